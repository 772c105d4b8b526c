import { alpha, type CSSVariablesResolver, createTheme } from '@mantine/core'
import { t } from './messages/console'
import { indigo, night, slate, teal } from './palette'

// What explains a field stands under it, so that fields side by side stay in line.
const order = {
  inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
}

/** One accent for schools, another for the platform, so that nobody mistakes where they are. */
export function themeFor(platform: boolean) {
  return createTheme({
    colors: { accent: platform ? teal : indigo, gray: slate, dark: night },
    primaryColor: 'accent',
    primaryShade: { light: 7, dark: 7 },
    fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
    fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
    lineHeights: { md: '1.5' },
    defaultRadius: 8,
    cursorType: 'pointer',
    spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
    headings: {
      fontWeight: '600',
      sizes: {
        h1: { fontSize: '20px', lineHeight: '36px' },
        h2: { fontSize: '16px', lineHeight: '24px' },
        h3: { fontSize: '14px', lineHeight: '20px' },
      },
    },
    components: {
      Button: { defaultProps: { size: 'sm', fw: 500 } },
      TextInput: { defaultProps: { size: 'sm', ...order } },
      Select: { defaultProps: { size: 'sm', comboboxProps: { shadow: 'md' }, ...order } },
      NativeSelect: { defaultProps: { size: 'sm', ...order } },
      NumberInput: { defaultProps: { size: 'sm', ...order } },
      Textarea: { defaultProps: { size: 'sm', autosize: true, minRows: 2, ...order } },
      PasswordInput: { defaultProps: { size: 'sm', ...order } },
      Tooltip: { defaultProps: { openDelay: 300, withArrow: false } },
      Menu: { defaultProps: { shadow: 'md' } },
      Notification: { defaultProps: { closeButtonProps: { 'aria-label': t('Dismiss') } } },
    },
  })
}

/** Contrast AA for what Mantine makes too faint. */
export const variables: CSSVariablesResolver = (theme) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5a6271',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#1f2430',
    '--mantine-color-error': '#b42424',
    '--mantine-color-accent-light': theme.colors.accent![0],
    '--mantine-color-accent-light-color': theme.colors.accent![8],
    '--mantine-color-red-light': '#fdf0f0',
    '--line': '#e6e9ee',
    '--canvas': '#fbfbfd',
    '--hover': '#f5f6f9',
  },
  dark: {
    '--mantine-color-dimmed': '#9aa1ae',
    '--mantine-color-placeholder': '#8a92a1',
    '--mantine-color-body': '#161920',
    '--mantine-color-error': '#ff8787',
    '--line': '#272c37',
    '--canvas': '#12141a',
    '--hover': '#1d212a',
    '--mantine-color-accent-light': alpha(theme.colors.accent![4], 0.18),
    '--mantine-color-accent-light-color': theme.colors.accent![2],
    '--mantine-color-anchor': theme.colors.accent![2],
    '--mantine-color-red-light': 'rgba(255, 107, 107, 0.12)',
  },
})
