// A day as the school writes it, whatever the browser's language: typed in the school's order, or chosen from a small calendar.
import { ActionIcon, Popover, TextInput } from '@mantine/core'
import { IconCalendar } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useSession } from '../api/session'
import { t } from '../messages/console'
import { readDate } from './date'
import { knownLocale, useFormat } from './format'
import { part } from './part'

const Calendar = part(() => import('./Calendar'), 'Calendar')

interface Props {
  /** YYYY-MM-DD, or empty */
  value: string
  /** Gets the day, or nothing; of a form also what cannot be read as one, which the service then refuses by name. */
  onChange: (day: string) => void
  label?: string
  'aria-label'?: string
  description?: string
  error?: ReactNode
  min?: string
  max?: string
  disabled?: boolean
  required?: boolean
  size?: string
  w?: number | string
}

export function DateField({ value, onChange, min, max, error, size, ...rest }: Props) {
  const { school } = useSession()
  const locale = knownLocale(school?.locale)
  const format = useFormat()
  const [typed, setTyped] = useState<string | null>(null) // while it is typed
  const [open, setOpen] = useState(false)
  const [unread, setUnread] = useState(false)
  const shown = /^\d{4}-\d\d-\d\d$/.test(value) ? format.date(value) : value
  const name = rest.label ?? rest['aria-label'] ?? t('Day')
  const sent = useRef(value)
  const send = (day: string) => {
    sent.current = day
    onChange(day)
  }
  // Another day came from elsewhere: what was typed is over.
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setTyped(null)
    setUnread(false)
  }, [value])
  function finish() {
    if (typed === null) return
    const day = typed.trim() === '' ? '' : typed === shown ? value : readDate(typed, locale)
    setUnread(day === undefined)
    if (day === undefined) {
      if (rest.label) send(typed)
      return
    }
    setTyped(null)
    if (day !== value) send(day)
  }
  return (
    <TextInput
      {...rest}
      size={size}
      withAsterisk={false}
      autoComplete="off"
      value={typed ?? shown}
      error={
        error || (unread && t('Enter a date like {day}', { day: format.date(`${new Date().getFullYear()}-11-30`) }))
      }
      onChange={(e) => {
        const text = e.currentTarget.value
        setTyped(text)
        setUnread(false)
        // A whole date is taken at once; one with two digits for the year may go on.
        const day = text === '' ? '' : /\d{4}/.test(text) ? readDate(text, locale) : undefined
        if (day !== undefined && day !== value) send(day)
      }}
      onBlur={finish}
      onKeyDown={(e) => {
        if (e.key === 'Enter') finish()
        if (e.key === 'ArrowDown' && e.altKey) setOpen(true)
      }}
      rightSectionPointerEvents="all"
      rightSection={
        <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus returnFocus withRoles={false}>
          <Popover.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              disabled={rest.disabled}
              aria-label={t('Open the calendar')}
              aria-expanded={open}
              onMouseEnter={() => void Calendar.preload()}
              onClick={() => setOpen(!open)}
            >
              <IconCalendar size={16} stroke={1.6} />
            </ActionIcon>
          </Popover.Target>
          <Popover.Dropdown role="dialog" aria-label={name} p={8}>
            <Calendar
              value={/^\d{4}-/.test(value) ? value : ''}
              min={min}
              max={max}
              locale={locale}
              choose={(day: string) => {
                setTyped(null)
                setUnread(false)
                setOpen(false)
                send(day)
              }}
            />
          </Popover.Dropdown>
        </Popover>
      }
    />
  )
}
