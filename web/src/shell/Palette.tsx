import { Modal, Text, TextInput } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { IconBook2, IconBuilding, IconClock, IconId, IconReceipt, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { api, call } from '../api/client'
import { fetchList } from '../api/list'
import { openedPrefix } from '../api/offline'
import { useMay, useSession } from '../api/session'
import { t } from '../messages/console'
import { TypeMore } from '../patterns/feedback'
import { nameOf, useFormat } from '../patterns/format'
import { useLateOpen } from '../patterns/late'
import { Photo } from '../patterns/Photo'
import { undoLast } from '../patterns/undo'
import { type NavItem, navFor, pagesWithin } from './nav'

interface Hit {
  key: string
  title: string
  note?: string
  icon: ReactNode
  to: string
  search?: Record<string, string>
  sure?: boolean // whatever else may be found
  record?: boolean // a person or a thing, not a page
}

type Opened = Pick<Hit, 'key' | 'title' | 'note' | 'to' | 'search'>

/** What this account opened last by the search, kept in this browser. */
function readOpened(account: string): Opened[] {
  try {
    return JSON.parse(localStorage.getItem(`${openedPrefix}${account}`) ?? '[]') as Opened[]
  } catch {
    return []
  }
}

function keepOpened(account: string, { key, title, note, to, search }: Opened) {
  const rest = readOpened(account).filter((o) => o.key !== key)
  try {
    localStorage.setItem(
      `${openedPrefix}${account}`,
      JSON.stringify([{ key, title, note, to, search }, ...rest].slice(0, 6)),
    )
  } catch {
    // no room: then nothing is offered next time
  }
}

const keys: [string, string][] = [
  ['/ or Ctrl K', t('Search people, receipts, books and pages')],
  ['?', t('This sheet')],
  ['↑ ↓ Enter', t('Choose from what was found; move in a grid')],
  [t('Esc'), t('Close a drawer, a dialog or the search')],
  ['Ctrl Z', t('Undo what was done last, for ten seconds')],
  ['P A L', t('In a register: present, absent, late')],
  [t('Tab'), t('The next field; the first one skips to the page')],
]

/** Ctrl-K or /: any page, any person, receipt or book (or school, for the platform), without the mouse. */
export function Palette() {
  const [opened, setOpened] = useState(false)
  const [help, setHelp] = useState(false)
  const [isFinderDrawn, isFinderOpen] = useLateOpen(opened)
  const [isHelpDrawn, isHelpOpen] = useLateOpen(help)
  useHotkeys([['mod+K', () => setOpened((o) => !o)]], [])
  useEffect(() => {
    // By the sign, not by the key: on many keyboards "/" is typed with Shift.
    const press = (e: KeyboardEvent) => {
      if (e.altKey || e.defaultPrevented) return
      if ((e.target as Element).closest?.('input, textarea, select, [contenteditable]')) return
      if ((e.ctrlKey || e.metaKey) && e.key === 'z') return undoLast()
      if (e.ctrlKey || e.metaKey) return
      if (e.key === '/') setOpened(true)
      else if (e.key === '?') setHelp(true)
      else return
      e.preventDefault()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
  return (
    <>
      <button type="button" className="search-button" onClick={() => setOpened(true)}>
        <IconSearch size={16} stroke={1.6} />
        <span style={{ flex: 1, textAlign: 'start' }}>{t('Search')}</span>
        <kbd className="key">{t('Ctrl K')}</kbd>
      </button>
      {isHelpDrawn && (
        <Modal.Root opened={isHelpOpen} onClose={() => setHelp(false)} size={480} transitionProps={{ duration: 80 }}>
          <Modal.Overlay backgroundOpacity={0.35} />
          <Modal.Content aria-label={t('Keys')}>
            <Modal.Body p={24}>
              <Text fw={600} mb={12}>
                {t('Keys')}
              </Text>
              <dl className="keys">
                {keys.map(([key, what]) => (
                  <div key={key}>
                    <dt>
                      <kbd className="key">{key}</kbd>
                    </dt>
                    <dd>{what}</dd>
                  </div>
                ))}
              </dl>
            </Modal.Body>
          </Modal.Content>
        </Modal.Root>
      )}
      {isFinderDrawn && (
        <Modal.Root
          opened={isFinderOpen}
          onClose={() => setOpened(false)}
          size={560}
          yOffset="12vh"
          centered={false}
          transitionProps={{ duration: 80 }}
        >
          <Modal.Overlay backgroundOpacity={0.35} />
          <Modal.Content aria-label={t('Search')}>
            <Modal.Body p={8}>{opened && <Finder close={() => setOpened(false)} />}</Modal.Body>
          </Modal.Content>
        </Modal.Root>
      )}
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
  const format = useFormat()
  const opened = useMemo(() => readOpened(session.user.id), [session.user.id])
  const found = useQuery({
    queryKey: ['/school-admin/search', settled],
    queryFn: () => call(api.GET('/school-admin/search', { params: { query: { text: settled } } })),
    enabled: settled.length > 1 && ['student', 'employee', 'fee', 'library'].some((m) => may(m, 'read')),
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
    const f = settled.length > 1 ? found.data : undefined
    const people: Hit[] = [
      ...(f?.students ?? []).map((s) => ({
        key: s.id,
        title: nameOf(s),
        note: [s.guardianName, s.className && `${s.className} ${s.divisionName}`, s.admissionNumber]
          .filter(Boolean)
          .join(' · '),
        icon: <Photo file={s.photoFileId} name={s.firstName} />,
        to: '/students',
        search: { open: s.id },
        record: true,
      })),
      ...(f?.employees ?? []).map((e) => ({
        key: e.id,
        title: nameOf(e),
        note: [e.designation || t('Employee'), e.employeeCode].filter(Boolean).join(' · '),
        icon: <IconId size={18} stroke={1.6} />,
        to: '/employees',
        search: { open: e.id },
        record: true,
      })),
      ...(f?.receipts ?? []).map((r) => ({
        key: r.id,
        title: t('Receipt {receiptNumber}', { receiptNumber: r.receiptNumber }),
        note: [r.studentName, format.money(r.amount), format.date(r.receivedOn)].join(' · '),
        icon: <IconReceipt size={18} stroke={1.6} />,
        to: '/fees/receipts',
        search: { open: r.id },
        record: true,
      })),
      ...(f?.books ?? []).map((b) => ({
        key: b.id,
        title: b.title,
        note: [b.author, b.accessionNumber].filter(Boolean).join(' · '),
        icon: <IconBook2 size={18} stroke={1.6} />,
        to: '/library/books',
        search: { open: b.id },
        record: true,
      })),
    ]
    const recent: Hit[] =
      wanted === '' ? opened.map((o) => ({ ...o, icon: <IconClock size={18} stroke={1.6} />, record: true })) : []
    // A page within an area, or only about the word, comes after people who are called so.
    const inner = wanted === '' ? [] : pagesWithin(session).filter(titled)
    const about = items.filter((i) => !titled(i) && (i.words ?? '').toLowerCase().includes(wanted))
    return [
      ...recent,
      ...items.filter(titled).map((i) => ({ ...page(i), sure: true })),
      ...people,
      ...places,
      ...inner.map(page),
      ...about.map(page),
    ]
  }, [text, settled, found.data, schools.data, session, opened, format])
  useEffect(() => setOn(0), [text])
  const what = platform ? t('Search pages and schools') : t('Search people, receipts, books and pages')
  const go = (h: Hit) => {
    close()
    if (h.record) keepOpened(session.user.id, h)
    void navigate({ to: h.to, search: (h.search ?? {}) as never })
  }
  const more =
    settled.length > 1 && (found.data?.more || (schools.data?.total ?? 0) > (schools.data?.items.length ?? 0))
  // Who presses Enter before the answer is there still gets the one they meant.
  const fresh = settled === text.trim() && !found.isFetching && !schools.isFetching
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
        aria-label={t('Results')}
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
        {hits.length > 0 && more && <TypeMore />}
        {hits.length === 0 && (
          <Text c="dimmed" p={12}>
            {found.isFetching || schools.isFetching
              ? t('Searching…')
              : platform
                ? t('Nothing found. Try a school, its code or a page.')
                : t("Nothing found. Try a name, a parent's name, a phone, a number or a page.")}
          </Text>
        )}
      </div>
    </>
  )
}
