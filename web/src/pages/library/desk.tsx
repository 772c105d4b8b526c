import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconBarcode, IconBook2, IconX } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, asProblem, call } from '../../api/client'
import { fetchList } from '../../api/list'
import { useMay } from '../../api/session'
import { rich, t } from '../../messages/console'
import { Status, Trouble, TypeMore } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { Money } from '../../patterns/money'
import { findPeople, type Person, PersonLine, usePeople } from '../../patterns/PersonPicker'
import { Photo } from '../../patterns/Photo'
import { offerUndo } from '../../patterns/undo'
import { LostDialog } from './lost'
import { booksMoved, type Copy, CopyStatus, Due, LibraryNav, type Loan, loanOf, lookUp, useOpenLoans } from './shared'

interface Line {
  key: string
  tone: 'good' | 'busy' | 'warn'
  text: string
  more?: string
}

/**
 * The desk. One box takes what a scanner reads or a hand types: a copy's number, or a borrower's name or number.
 * A borrower and a copy make a loan; a copy that is out is taken back by Enter once more.
 */
export function Desk() {
  const may = useMay()
  const format = useFormat()
  const box = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [on, setOn] = useState(-1)
  const [borrower, setBorrower] = useState<Person | null>(null)
  const [copy, setCopy] = useState<Copy | null>(null)
  const [loan, setLoan] = useState<Loan | null>(null)
  const [problem, setProblem] = useState<unknown>(null)
  const [losing, setLosing] = useState(false)
  const [log, setLog] = useState<Line[]>([])
  const typed = text.trim()
  const people = usePeople(text, true)
  const [settled] = useDebouncedValue(typed, 150)
  const titles = useQuery({
    queryKey: ['/school-admin/library/copy/list', 'desk', settled],
    enabled: settled.length > 1,
    placeholderData: keepPreviousData,
    queryFn: () => fetchList('/school-admin/library/copy/list', { page: 1, limit: 6, filters: { search: settled } }),
  })
  type Hit = { person: Person } | { copy: Copy }
  const hits: Hit[] = typed
    ? [
        ...(people.data?.people ?? []).map((person) => ({ person })),
        ...(settled.length > 1 ? (titles.data?.items ?? []) : []).map((c) => ({ copy: c })),
      ]
    : []
  const focus = () => box.current?.focus()
  useEffect(focus, [])
  useEffect(() => setOn(-1), [text])
  const write = may('library', 'write')

  function say(l: Omit<Line, 'key'>) {
    setLog((old) => [{ ...l, key: crypto.randomUUID() }, ...old].slice(0, 20))
  }
  function clear() {
    setText('')
    setCopy(null)
    setLoan(null)
    setProblem(null)
    focus()
  }
  function done(l: Omit<Line, 'key'>) {
    say(l)
    booksMoved()
    clear()
  }
  const fail = (e: unknown) => {
    setProblem(e)
    focus()
  }
  const giveBack = (copy: Copy, waiveFine: boolean) =>
    call(api.POST('/school-admin/library/loan/return', { body: { data: { copyId: copy.id, waiveFine } } }))
  const issue = useMutation({
    mutationFn: (o: { copy: Copy; to: Person }) =>
      call(
        api.POST('/school-admin/library/loan/issue', {
          body: {
            data: {
              copyId: o.copy.id,
              ...(o.to.kind === 'student' ? { studentId: o.to.id } : { employeeId: o.to.id }),
            },
          },
        }),
      ),
    onSuccess: (l, o) => {
      const text = t('{title} issued to {borrowerName}', { title: l.title, borrowerName: l.borrowerName })
      done({
        tone: 'busy',
        text,
        more: t('{accessionNumber}, due {dueOn}', { accessionNumber: l.accessionNumber, dueOn: format.date(l.dueOn) }),
      })
      offerUndo(text, () => giveBack(o.copy, false).finally(booksMoved))
    },
    onError: fail,
  })
  const back = useMutation({
    mutationFn: (o: { copy: Copy; waive: boolean }) => giveBack(o.copy, o.waive),
    onSuccess: (l) =>
      done({
        tone: l.fine ? 'warn' : 'good',
        text: t('{title} returned by {borrowerName}', { title: l.title, borrowerName: l.borrowerName }),
        more: l.fine
          ? t('{accessionNumber}, {daysLate} days late: {fine} is on the fee account', {
              accessionNumber: l.accessionNumber,
              daysLate: l.daysLate,
              fine: format.money(l.fine),
            })
          : l.accessionNumber,
      }),
    onError: fail,
  })
  const renew = useMutation({
    mutationFn: (c: Copy) =>
      call(
        api.POST('/school-admin/library/loan/renew', {
          body: { data: { copyId: c.id } },
        }),
      ),
    onSuccess: (l) =>
      done({
        tone: 'busy',
        text: t('{title} renewed for {borrowerName}', { title: l.title, borrowerName: l.borrowerName }),
        more: t('{accessionNumber}, now due {dueOn}', {
          accessionNumber: l.accessionNumber,
          dueOn: format.date(l.dueOn),
        }),
      }),
    onError: fail,
  })
  const find = useMutation({
    mutationFn: async (what: string): Promise<Hit> => {
      try {
        return { copy: await lookUp(what) }
      } catch (e) {
        if (asProblem(e).status !== 404) throw e
      }
      const words = what.toLowerCase()
      const known = people.data?.words === what ? people.data.people : (await findPeople(what, true)).people // a scanner is faster than the list
      const hit = known.find((p) => p.note.toLowerCase().split(' · ').includes(words)) ?? known[0]
      if (!hit)
        throw new Error(t('No copy and no person matches {what}. Scan it again, or type a part of the name.', { what }))
      return { person: hit }
    },
    onSuccess: (h) => void take(h),
    onError: fail,
  })
  const busy = issue.isPending || back.isPending || renew.isPending || find.isPending

  async function take(h: Hit) {
    setText('')
    setProblem(null)
    if ('person' in h) {
      setBorrower(h.person)
      if (copy && copy.status !== 'ISSUED' && write) issue.mutate({ copy, to: h.person })
      focus()
      return
    }
    const c = h.copy
    if (borrower && write && (c.status === 'AVAILABLE' || c.status === 'HELD')) {
      setCopy(c)
      issue.mutate({ copy: c, to: borrower })
      return
    }
    setCopy(c)
    setLoan(null)
    setLoan(await loanOf(c).catch(() => null))
    focus()
  }
  function enter() {
    if (busy) return
    if (typed) {
      const chosen = hits[on]
      if (chosen) void take(chosen)
      else find.mutate(typed)
    } else if (copy && write) {
      if (copy.status === 'ISSUED') back.mutate({ copy, waive: false })
      else if (borrower) issue.mutate({ copy, to: borrower })
    }
  }
  const waits = copy && copy.status !== 'ISSUED' && !borrower
  return (
    <>
      <LibraryNav />
      <div className="page">
        <Title order={1} mb={16}>
          {t('Library desk')}
        </Title>
        <div className="split">
          <Stack gap={16}>
            <div className="picker">
              <TextInput
                ref={box}
                size="lg"
                label={
                  waits
                    ? t('Now the borrower: name or admission number')
                    : borrower
                      ? t('Scan what {name} takes', { name: borrower.name })
                      : t('Scan a copy, or find a borrower')
                }
                placeholder={t('Barcode, accession number, name or admission number')}
                autoComplete="off"
                spellCheck={false}
                value={text}
                leftSection={<IconBarcode size={22} stroke={1.4} />}
                onChange={(e) => setText(e.currentTarget.value)}
                role="combobox"
                aria-expanded={hits.length > 0}
                aria-controls={hits.length ? 'desk-hits' : undefined}
                aria-activedescendant={hits[on] ? `desk-${on}` : undefined}
                aria-autocomplete="list"
                onKeyDown={(e) => {
                  if (e.key === 'ArrowDown') setOn((o) => Math.min(hits.length - 1, o + 1))
                  else if (e.key === 'ArrowUp') setOn((o) => Math.max(-1, o - 1))
                  else if (e.key === 'Enter') enter()
                  else if (e.key === 'Escape') {
                    if (typed || copy) clear()
                    else setBorrower(null)
                  } else return
                  e.preventDefault()
                }}
              />
              {hits.length > 0 && (
                <div className="picker-hits panel" id="desk-hits" role="listbox" aria-label={t('Found')}>
                  {hits.map((h, i) => (
                    <button
                      key={i}
                      id={`desk-${i}`}
                      type="button"
                      role="option"
                      aria-selected={i === on}
                      tabIndex={-1}
                      className="palette-item"
                      data-on={i === on || undefined}
                      onMouseMove={() => setOn(i)}
                      onClick={() => void take(h)}
                    >
                      {'person' in h ? (
                        <PersonLine of={h.person} />
                      ) : (
                        <>
                          <IconBook2 size={16} stroke={1.6} />
                          <span style={{ flex: 1, overflow: 'hidden', textOverflow: 'ellipsis' }}>{h.copy.title}</span>
                          <Text span size="sm" c="dimmed" className="figures">
                            {h.copy.accessionNumber}
                          </Text>
                        </>
                      )}
                    </button>
                  ))}
                  {(people.data?.more || (titles.data?.total ?? 0) > (titles.data?.items.length ?? 0)) && <TypeMore />}
                </div>
              )}
            </div>
            {problem ? <Trouble error={problem} /> : null}
            {copy && (
              <div className="panel" style={{ padding: 16 }} role="region" aria-label={t('Copy')}>
                <Group justify="space-between" align="flex-start" wrap="nowrap" gap={12}>
                  <div style={{ minWidth: 0 }}>
                    <Title order={2} style={{ overflowWrap: 'anywhere' }}>
                      {copy.title}
                    </Title>
                    <Text c="dimmed" size="sm" className="figures">
                      {[copy.author, copy.accessionNumber, copy.shelf && t('shelf {shelf}', { shelf: copy.shelf })]
                        .filter(Boolean)
                        .join(' · ')}
                    </Text>
                  </div>
                  <CopyStatus of={copy.status} />
                </Group>
                {copy.borrowerName && (
                  <Text mt={8}>
                    {copy.status === 'ISSUED' ? t('With') : t('Held for')} <b>{copy.borrowerName}</b>
                    {loan && <>{rich(', due {due}', { due: <Due loan={loan} /> })}</>}
                  </Text>
                )}
                {!!loan?.fineSoFar && (
                  <Text mt={4}>
                    {rich('Late: {fineSoFar} goes to the fee account when it is returned.', {
                      fineSoFar: <Money of={loan.fineSoFar} strong />,
                    })}
                  </Text>
                )}
                {write && (
                  <Group gap={8} mt={16}>
                    {copy.status === 'ISSUED' ? (
                      <>
                        <Button loading={back.isPending} onClick={() => back.mutate({ copy, waive: false })}>
                          {rich('Return {kbd}', { kbd: <kbd className="key on-accent">{t('Enter')}</kbd> })}
                        </Button>
                        {!!loan?.fineSoFar && (
                          <Button variant="default" onClick={() => back.mutate({ copy, waive: true })}>
                            {t('Return without the fine')}
                          </Button>
                        )}
                        <Button variant="default" loading={renew.isPending} onClick={() => renew.mutate(copy)}>
                          {t('Renew')}
                        </Button>
                        <Button variant="default" onClick={() => setLosing(true)}>
                          {t('Lost…')}
                        </Button>
                      </>
                    ) : borrower ? (
                      <Button loading={issue.isPending} onClick={() => issue.mutate({ copy, to: borrower })}>
                        {t('Issue to {name}', { name: borrower.name })}
                      </Button>
                    ) : copy.status === 'AVAILABLE' || copy.status === 'HELD' ? (
                      <Text size="sm" c="dimmed">
                        {t('Type or scan who takes it.')}
                      </Text>
                    ) : (
                      <Text size="sm" c="dimmed">
                        {t('It is marked as {status} and cannot be lent.', { status: copy.status.toLowerCase() })}
                      </Text>
                    )}
                    <Button variant="subtle" color="gray" c="dimmed" onClick={clear}>
                      {t('Clear')}
                    </Button>
                  </Group>
                )}
              </div>
            )}
            <section className="panel" aria-label={t('Done at this desk')}>
              {log.length === 0 ? (
                <Text c="dimmed" p={16} size="sm">
                  {t(
                    'A borrower and then a copy make a loan. Press Enter again to return a copy that is out. Escape clears the desk.',
                  )}
                </Text>
              ) : (
                <ul className="desk-log" aria-live="polite">
                  {log.map((l) => (
                    <li key={l.key}>
                      <Status tone={l.tone}>{l.text}</Status>
                      {l.more && (
                        <Text size="sm" c="dimmed" className="figures" pl={14}>
                          {l.more}
                        </Text>
                      )}
                    </li>
                  ))}
                </ul>
              )}
            </section>
          </Stack>
          <BorrowerCard
            borrower={borrower}
            forget={() => {
              setBorrower(null)
              focus()
            }}
            pick={(code) => find.mutate(code)}
          />
        </div>
      </div>
      {losing && copy && (
        <LostDialog
          copy={copy}
          loan={loan}
          close={() => {
            setLosing(false)
            focus()
          }}
          done={(l) => {
            setLosing(false)
            done({
              tone: 'warn',
              text: t('{title} lost by {borrowerName}', { title: l.title, borrowerName: l.borrowerName }),
              more: l.charge
                ? t('{charge} is on the fee account', { charge: format.money(l.charge) })
                : l.accessionNumber,
            })
          }}
        />
      )}
    </>
  )
}

function BorrowerCard({
  borrower,
  forget,
  pick,
}: {
  borrower: Person | null
  forget: () => void
  pick: (code: string) => void
}) {
  const loans = useOpenLoans(borrower)
  if (!borrower)
    return (
      <div className="panel" style={{ padding: 16 }}>
        <Text fw={500}>{t('No borrower')}</Text>
        <Text size="sm" c="dimmed">
          {t('Scan a card or type a name to see what somebody has, and to lend to them.')}
        </Text>
      </div>
    )
  return (
    <section className="panel" aria-label={t('Borrower')} style={{ padding: 16 }}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Photo file={borrower.photo} name={borrower.name} />
        <div style={{ flex: 1, minWidth: 0 }}>
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            {borrower.name}
          </Title>
          <Text size="sm" c="dimmed" className="figures">
            {[borrower.note, borrower.parent].filter(Boolean).join(' · ')}
          </Text>
        </div>
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          px={6}
          aria-label={t('Another borrower')}
          onClick={forget}
        >
          <IconX size={16} />
        </Button>
      </Group>
      <Text className="section">{t('Has now')}</Text>
      {loans.error ? (
        <Trouble error={loans.error} />
      ) : loans.data?.length === 0 ? (
        <Text c="dimmed" size="sm">
          {t('Nothing')}
        </Text>
      ) : (
        <Stack gap={12}>
          {loans.data?.map((l) => (
            <Group key={l.id} justify="space-between" wrap="nowrap" gap={8}>
              <div style={{ minWidth: 0 }}>
                <Text truncate>{l.title}</Text>
                <Text size="sm" c="dimmed" component="div">
                  <span className="figures">{l.accessionNumber}</span>, <Due loan={l} />
                </Text>
              </div>
              <Button
                variant="default"
                size="compact-sm"
                aria-label={t('Open {title}', { title: l.title })}
                onClick={() => pick(l.accessionNumber)}
              >
                {t('Open')}
              </Button>
            </Group>
          ))}
        </Stack>
      )}
    </section>
  )
}
