import { Modal, Text, TextInput } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { IconBuilding, IconSearch, IconUser } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { fetchList } from '../api/list'
import { useMay, useSession } from '../api/session'
import { nameOf } from '../patterns/format'
import { type NavItem, navFor, pagesWithin } from './nav'

interface Hit {
  key: string
  title: string
  note?: string
  icon: ReactNode
  to: string
  search?: Record<string, string>
  sure?: boolean // whatever else may be found
}

/** Ctrl-K: any page, any student (or school, for the platform), without the mouse. */
export function Palette() {
  const [opened, setOpened] = useState(false)
  useHotkeys([['mod+K', () => setOpened((o) => !o)]], [])
  return (
    <>
      <button type="button" className="search-button" onClick={() => setOpened(true)}>
        <IconSearch size={16} stroke={1.6} />
        <span style={{ flex: 1, textAlign: 'start' }}>Search</span>
        <kbd className="key">Ctrl K</kbd>
      </button>
      <Modal.Root
        opened={opened}
        onClose={() => setOpened(false)}
        size={560}
        yOffset="12vh"
        centered={false}
        transitionProps={{ duration: 80 }}
      >
        <Modal.Overlay backgroundOpacity={0.35} />
        <Modal.Content aria-label="Search">
          <Modal.Body p={8}>{opened && <Finder close={() => setOpened(false)} />}</Modal.Body>
        </Modal.Content>
      </Modal.Root>
    </>
  )
}

function Finder({ close }: { close: () => void }) {
  const session = useSession()
  const may = useMay()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [settled] = useDebouncedValue(text.trim(), 200)
  const [on, setOn] = useState(0)
  const [waiting, setWaiting] = useState(false)
  const students = useQuery({
    queryKey: ['/school-admin/student/list', 'palette', settled],
    queryFn: () => fetchList('/school-admin/student/list', { page: 1, limit: 7, filters: { search: settled } }),
    enabled: settled.length > 1 && may('student', 'read'),
  })
  const platform = session.user.role === 'SUPER_ADMIN'
  const schools = useQuery({
    queryKey: ['/super-admin/school/list', 'palette', settled],
    queryFn: () => fetchList('/super-admin/school/list', { page: 1, limit: 7, filters: { search: settled } }),
    enabled: settled.length > 1 && platform,
  })
  const hits = useMemo(() => {
    const wanted = text.trim().toLowerCase()
    const items = navFor(session).flatMap((g) => g.items)
    const titled = (i: NavItem) => i.title.toLowerCase().includes(wanted)
    const page = (i: NavItem): Hit => ({ key: i.to, title: i.title, icon: <i.icon size={18} stroke={1.6} />, to: i.to })
    const places: Hit[] = (settled.length > 1 ? (schools.data?.items ?? []) : []).map((s) => ({
      key: s.id,
      title: s.name,
      note: s.code,
      icon: <IconBuilding size={18} stroke={1.6} />,
      to: '/schools',
      search: { open: s.id },
    }))
    const people: Hit[] = (settled.length > 1 ? (students.data?.items ?? []) : []).map((s) => ({
      key: s.id,
      title: nameOf(s),
      note: [s.className && `${s.className} ${s.divisionName}`, s.admissionNumber].filter(Boolean).join(' · '),
      icon: <IconUser size={18} stroke={1.6} />,
      to: '/students',
      search: { open: s.id },
    }))
    // A page within an area, or only about the word, comes after people who are called so.
    const inner = wanted === '' ? [] : pagesWithin(session).filter(titled)
    const about = items.filter((i) => !titled(i) && (i.words ?? '').toLowerCase().includes(wanted))
    return [
      ...items.filter(titled).map((i) => ({ ...page(i), sure: true })),
      ...people,
      ...places,
      ...inner.map(page),
      ...about.map(page),
    ]
  }, [text, settled, students.data, schools.data, session])
  useEffect(() => setOn(0), [text])
  const what = platform ? 'Search pages and schools' : 'Search pages and students'
  const go = (h: Hit) => {
    close()
    void navigate({ to: h.to, search: (h.search ?? {}) as never })
  }
  // Who presses Enter before the answer is there still gets the one they meant.
  const fresh = settled === text.trim() && !students.isFetching && !schools.isFetching
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the answer is there
  useEffect(() => {
    if (!waiting || !fresh) return
    setWaiting(false)
    if (hits[on]) go(hits[on])
  }, [waiting, fresh])
  return (
    <>
      <TextInput
        data-autofocus
        aria-label={what}
        placeholder={what}
        size="md"
        variant="unstyled"
        px={12}
        value={text}
        onChange={(e) => {
          setText(e.currentTarget.value)
          setWaiting(false)
        }}
        role="combobox"
        aria-expanded
        aria-controls="palette-hits"
        aria-activedescendant={hits[on] ? `hit-${on}` : undefined}
        onKeyDown={(e) => {
          if (e.key === 'ArrowDown') setOn((o) => Math.min(hits.length - 1, o + 1))
          else if (e.key === 'ArrowUp') setOn((o) => Math.max(0, o - 1))
          else if (e.key === 'Enter' && hits[on] && (fresh || on > 0 || hits[on].sure)) go(hits[on])
          else if (e.key === 'Enter' && !fresh) setWaiting(true)
          else return
          e.preventDefault()
        }}
      />
      <div
        id="palette-hits"
        role="listbox"
        aria-label="Results"
        style={{ maxHeight: 360, overflow: 'auto', borderTop: '1px solid var(--line)', paddingTop: 8, marginTop: 4 }}
      >
        {hits.map((h, i) => (
          <button
            key={h.key}
            id={`hit-${i}`}
            type="button"
            role="option"
            aria-selected={i === on}
            tabIndex={-1}
            className="palette-item"
            data-on={i === on || undefined}
            onMouseMove={() => setOn(i)}
            onClick={() => go(h)}
          >
            {h.icon}
            <span style={{ flex: 1 }}>{h.title}</span>
            {h.note && (
              <Text span size="sm" c="dimmed">
                {h.note}
              </Text>
            )}
          </button>
        ))}
        {hits.length === 0 && (
          <Text c="dimmed" p={12}>
            {students.isFetching || schools.isFetching
              ? 'Searching…'
              : platform
                ? 'Nothing found. Try a school, its code or a page.'
                : 'Nothing found. Try a name, an admission number or a page.'}
          </Text>
        )}
      </div>
    </>
  )
}
