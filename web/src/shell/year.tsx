import { Menu, Text, UnstyledButton } from '@mantine/core'
import { IconCheck, IconChevronDown } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useYears } from '../api/queries'
import { useSession } from '../api/session'
import { t } from '../messages/console'
import { LateMenu } from '../patterns/late'
import { useStored } from '../patterns/stored'

/** The academic year the office is looking at: the active one unless they chose another. */
export function useYear() {
  const years = useYears()
  const { school } = useSession()
  const [chosen, choose] = useStored(`homeroom.year.${school?.id ?? ''}`, '')
  const active = years.data?.find((y) => y.active)
  const year = years.data?.find((y) => y.id === chosen) ?? active
  return {
    years: years.data ?? [],
    year,
    active,
    choose: (id: string) => choose(id === active?.id ? '' : id),
    loaded: years.isSuccess,
  }
}

export function YearSwitch() {
  const { years, year, choose, loaded } = useYear()
  if (!loaded) return null
  if (years.length === 0)
    return (
      <Text size="sm" component={Link} to="/years" search={{ open: 'new' } as never} c="dimmed">
        {t('Add an academic year')}
      </Text>
    )
  return (
    <LateMenu
      position="bottom-end"
      target={
        <UnstyledButton
          className="chip"
          data-set
          aria-label={t('Academic year {name}', { name: year?.name ?? t('not chosen') })}
        >
          <span className="figures">{year?.name ?? t('Year')}</span>
          {year && !year.active && (
            <Text span size="xs" c="dimmed">
              {t('not active')}
            </Text>
          )}
          <IconChevronDown size={14} />
        </UnstyledButton>
      }
    >
      {() => (
        <Menu.Dropdown>
          <Menu.Label>{t('Academic year')}</Menu.Label>
          {years.map((y) => (
            <Menu.Item
              key={y.id}
              onClick={() => choose(y.id)}
              rightSection={y.id === year?.id ? <IconCheck size={14} /> : undefined}
            >
              {y.name}
              {y.active && (
                <Text span size="xs" c="dimmed" ms={8}>
                  {t('active')}
                </Text>
              )}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      )}
    </LateMenu>
  )
}
