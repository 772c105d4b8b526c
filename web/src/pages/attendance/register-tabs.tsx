import { Tabs } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'

/** The five ways to look at attendance, each with an address of its own. */
export function RegisterTabs({ at }: { at: 'day' | 'month' | 'summary' | 'unmarked' | 'holidays' }) {
  const navigate = useNavigate()
  const [address] = useAddress()
  const keep = { division: address.division }
  const go: Record<string, () => void> = {
    day: () => void navigate({ to: '/register', search: keep as never }),
    month: () => void navigate({ to: '/register', search: { ...keep, view: 'month' } as never }),
    summary: () => void navigate({ to: '/register/summary' }),
    unmarked: () => void navigate({ to: '/register', search: { ...keep, view: 'unmarked' } as never }),
    holidays: () => void navigate({ to: '/register/holidays' }),
  }
  return (
    <Tabs value={at} onChange={(t) => go[t ?? 'day']?.()} mb={16} className="no-print">
      <Tabs.List>
        <Tabs.Tab value="day">{t('Day')}</Tabs.Tab>
        <Tabs.Tab value="month">{t('Month')}</Tabs.Tab>
        <Tabs.Tab value="summary">{t('Summary')}</Tabs.Tab>
        <Tabs.Tab value="unmarked">{t('Not yet marked')}</Tabs.Tab>
        <Tabs.Tab value="holidays">{t('Days off')}</Tabs.Tab>
      </Tabs.List>
    </Tabs>
  )
}
