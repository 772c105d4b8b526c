// Money is minor units everywhere; people read and type it in the school's currency.
import { NumberInput } from '@mantine/core'
import type { ReactNode, Ref } from 'react'
import { useSession } from '../api/session'
import { useFormat } from './format'
import { memoize } from './memoize'

interface Currency {
  code: string
  symbol: string
  digits: number
  decimal: string
  group: string
  lakh: boolean
}

/** How the school's currency is written. */
function useCurrency(): Currency {
  const { school } = useSession()
  return currencyOf(school?.locale, school?.currency ?? 'USD', school?.currencyDigits ?? 2)
}

const currencyOf = memoize((locale: string | undefined, code: string, digits: number): Currency => {
  let format: Intl.NumberFormat
  try {
    format = new Intl.NumberFormat(locale, { style: 'currency', currency: code })
  } catch {
    format = new Intl.NumberFormat('en', { style: 'currency', currency: code })
  }
  const parts = format.formatToParts(1234567.5)
  const part = (type: string, otherwise: string) => parts.find((p) => p.type === type)?.value ?? otherwise
  return {
    code,
    symbol: part('currency', code),
    digits,
    decimal: part('decimal', '.'),
    group: part('group', ','),
    lakh:
      parts
        .filter((p) => p.type === 'integer')
        .map((p) => p.value.length)
        .join() === '2,2,3',
  }
})

/** Minor units as a spreadsheet reads them: 1500.00. */
export function usePlainMoney(): (minor: number) => string {
  const { digits } = useCurrency()
  return (minor) => (minor / 10 ** digits).toFixed(digits)
}

/** An amount with its currency, in figures of one width. */
export function Money({ of, strong }: { of: number; strong?: boolean }) {
  const format = useFormat()
  return (
    <span className="figures" style={strong ? { fontWeight: 600 } : undefined}>
      {format.money(of)}
    </span>
  )
}

/** A field for an amount: typed in the currency, kept in minor units. */
export function MoneyInput({
  label,
  value,
  onChange,
  inputRef,
  ...rest
}: {
  label: string
  value: number | null
  onChange: (minor: number | null) => void
  error?: ReactNode
  description?: ReactNode
  placeholder?: string
  required?: boolean
  disabled?: boolean
  size?: 'sm' | 'md' | 'lg'
  inputRef?: Ref<HTMLInputElement>
  'aria-label'?: string
}) {
  const c = useCurrency()
  const scale = 10 ** c.digits
  return (
    <NumberInput
      label={label || undefined}
      withAsterisk={false}
      {...rest}
      ref={inputRef}
      className="money-input"
      classNames={{ input: 'figures' }}
      inputMode="decimal"
      hideControls
      allowNegative={false}
      min={0}
      max={1e10}
      clampBehavior="none"
      leftSection={<span aria-hidden>{c.symbol}</span>}
      leftSectionWidth={c.symbol.length > 1 ? 16 + c.symbol.length * 8 : 32}
      decimalScale={c.digits}
      decimalSeparator={c.decimal}
      allowedDecimalSeparators={['.', ',']}
      thousandSeparator={c.group === c.decimal ? undefined : c.group}
      thousandsGroupStyle={c.lakh ? 'lakh' : 'thousand'}
      value={value === null ? '' : value / scale}
      onChange={(v) => onChange(v === '' || Number.isNaN(Number(v)) ? null : Math.round(Number(v) * scale))}
    />
  )
}
