// Finds a person by name, number or phone, without the mouse.
import { Loader, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Ref, useEffect, useId, useState } from 'react'
import { api, call } from '../api/client'
import './areas.css'
import { t } from '../messages/console'
import { TypeMore } from './feedback'
import { nameOf } from './format'
import { Photo } from './Photo'

export interface Person {
  kind: 'student' | 'employee'
  id: string
  name: string
  note: string
  parent?: string
  photo?: string | null
  left?: boolean // the school
}

/** Students, and employees where they are asked for, or they alone. */
type Among = boolean | 'only'

/** The people that match these words, the best first, and whether there are more than these. */
export async function findPeople(
  words: string,
  employees: Among = false,
): Promise<{ people: Person[]; more: boolean }> {
  const only = employees === 'only' ? 'EMPLOYEES' : employees ? 'PEOPLE' : 'STUDENTS'
  const found = await call(api.GET('/school-admin/search', { params: { query: { text: words, only } } }))
  const people = [
    ...found.students.map(
      (s): Person => ({
        kind: 'student',
        id: s.id,
        name: nameOf(s),
        note: [s.className && `${s.className} ${s.divisionName}`, s.admissionNumber].filter(Boolean).join(' · '),
        parent: s.guardianName,
        photo: s.photoFileId,
        left: s.status !== 'ACTIVE',
      }),
    ),
    ...found.employees
      .filter((e) => e.status === 'ACTIVE')
      .map(
        (e): Person => ({
          kind: 'employee',
          id: e.id,
          name: nameOf(e),
          note: [e.designation || t('Employee'), e.employeeCode].filter(Boolean).join(' · '),
        }),
      ),
  ]
  return { people, more: found.more }
}

/** The people for what is being typed, once it has settled: until then those for the words before. */
export function usePeople(words: string, employees: Among = false) {
  const [settled] = useDebouncedValue(words.trim(), 150)
  return useQuery({
    queryKey: ['/school-admin/student/list', 'people', settled, employees],
    enabled: settled.length > 0,
    placeholderData: keepPreviousData,
    queryFn: async () => ({ words: settled, ...(await findPeople(settled, employees)) }),
  })
}

/** Photo, name, a child's parent, class and number: what tells two of one name apart. */
export function PersonLine({ of: p }: { of: Person }) {
  return (
    <>
      <Photo file={p.photo} name={p.name} />
      <span style={{ flex: 1, overflow: 'hidden', textOverflow: 'ellipsis' }}>
        {p.name}
        {p.parent && (
          <Text span size="sm" c="dimmed">
            {' '}
            · {p.parent}
          </Text>
        )}
      </span>
      <Text span size="sm" c="dimmed" className="figures">
        {p.note}
      </Text>
    </>
  )
}

export function PersonPicker({
  label,
  placeholder = t("Name, parent's name, admission number or phone"),
  employees,
  present,
  onPick,
  autoFocus,
  size = 'md',
  error,
  inputRef,
}: {
  label: string
  placeholder?: string
  employees?: Among
  /** Only students who are at the school. */
  present?: boolean
  onPick: (p: Person) => void
  autoFocus?: boolean
  size?: 'sm' | 'md'
  error?: string
  inputRef?: Ref<HTMLInputElement>
}) {
  const id = useId()
  const [text, setText] = useState('')
  const [on, setOn] = useState(0)
  const [waiting, setWaiting] = useState(false)
  const found = usePeople(text, employees)
  const fresh = found.data?.words === text.trim()
  const people = text.trim() && found.data ? found.data.people.filter((p) => !present || !p.left) : []
  useEffect(() => setOn(0), [text])
  const pick = (p: Person) => {
    setWaiting(false)
    setText('')
    onPick(p)
  }
  // Who types a number and presses Enter before the answer is there still gets the one they meant.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the answer is there
  useEffect(() => {
    if (waiting && fresh) {
      setWaiting(false)
      if (people[0]) pick(people[0])
    }
  }, [waiting, fresh])
  const open = text.trim() !== ''
  return (
    <div className="picker">
      <TextInput
        label={label}
        placeholder={placeholder}
        size={size}
        ref={inputRef}
        autoFocus={autoFocus}
        value={text}
        error={error}
        autoComplete="off"
        spellCheck={false}
        onChange={(e) => setText(e.currentTarget.value)}
        leftSection={<IconSearch size={18} stroke={1.6} />}
        rightSection={found.isFetching ? <Loader size={14} /> : null}
        role="combobox"
        aria-expanded={open}
        aria-controls={open ? `${id}-hits` : undefined}
        aria-activedescendant={open && people[on] ? `${id}-${on}` : undefined}
        aria-autocomplete="list"
        onKeyDown={(e) => {
          if (e.key === 'ArrowDown') setOn((o) => Math.min(people.length - 1, o + 1))
          else if (e.key === 'ArrowUp') setOn((o) => Math.max(0, o - 1))
          else if (e.key === 'Escape' && text) setText('')
          else if (e.key === 'Enter' && open) {
            if (fresh && people[on]) pick(people[on])
            else setWaiting(true)
          } else return
          e.preventDefault()
          e.stopPropagation()
        }}
      />
      {open && (
        <div className="picker-hits panel" id={`${id}-hits`} role="listbox" aria-label={t('People found')}>
          {people.map((p, i) => (
            <button
              key={p.id}
              id={`${id}-${i}`}
              type="button"
              role="option"
              aria-selected={i === on}
              tabIndex={-1}
              className="palette-item"
              data-on={i === on || undefined}
              onMouseMove={() => setOn(i)}
              onClick={() => pick(p)}
            >
              <PersonLine of={p} />
            </button>
          ))}
          {found.data?.more && people.length > 0 && <TypeMore />}
          {people.length === 0 && (
            <Text c="dimmed" p={12} size="sm">
              {found.error
                ? t('The list could not be read. Try again.')
                : fresh
                  ? employees === 'only'
                    ? t('Nobody found. Try a name, a code or a phone.')
                    : t('Nobody found. Try a name, an admission number or a phone.')
                  : t('Searching…')}
            </Text>
          )}
        </div>
      )}
    </div>
  )
}
