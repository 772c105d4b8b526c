import { ActionIcon, Anchor, Button, Checkbox, Group, Pagination, Skeleton, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBellRinging, IconCoins, IconDownload, IconX } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api, asProblem, call, download, type Schemas } from '../../api/client'
import { useMay } from '../../api/session'
import { useAddress } from '../../patterns/address'
import { Confirm, Empty, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { Money } from '../../patterns/money'
import { useOnce } from '../../patterns/once'
import { SMSPrice } from '../communication/no-price'
import { moneyMoved } from './shared'
import '../../patterns/areas.css'
import { rich, t } from '../../messages/console'

type Dues = Schemas['Dues']
type Answer<T> = Promise<{ data?: { data: T }; error?: unknown; response: Response }>
const buckets = [
  ['notDue', t('Not due yet')],
  ['days0To30', t('0 – 30 days')],
  ['days31To60', t('31 – 60 days')],
  ['days61To90', t('61 – 90 days')],
  ['daysOver90', t('Over 90 days')],
] as const

/** What the school is owed, by how long: the ones who owe most first, and a reminder for them. */
export function DuesPage() {
  const format = useFormat()
  const may = useMay()
  const [address, setAddress] = useAddress()
  const page = Math.max(1, Number(address.page) || 1)
  const classId = address.classId
  const [picked, setPicked] = useState<Map<string, string>>(new Map())
  const [reminding, setReminding] = useState(false)
  const all = useQuery({ queryKey: ['/school-admin/fee/dues', 'all'], queryFn: () => read(undefined, 1) })
  const q = useQuery({
    queryKey: ['/school-admin/fee/dues', classId, page],
    queryFn: () => read(classId, page),
    placeholderData: keepPreviousData,
  })
  useEffect(() => setPicked(new Map()), [classId, page])
  const d = q.data
  const chosen = all.data?.classes.find((c) => c.classId === classId)
  const tick = (id: string, name: string, on: boolean) => {
    const next = new Map(picked)
    if (on) next.set(id, name)
    else next.delete(id)
    setPicked(next)
  }
  return (
    <div className="page">
      <Group justify="space-between" mb={16} gap={12}>
        <Group gap={8} align="baseline">
          <Title order={1}>{t('Dues')}</Title>
          <Text c="dimmed" className="figures" aria-live="polite">
            {d
              ? t(
                  { one: '{total} student owes', other: '{total} students owe' },
                  { count: d.total, total: format.number(d.total) },
                )
              : ''}
          </Text>
        </Group>
        <Group gap={8}>
          {may('message', 'read') && (
            <Anchor component={Link} to="/dispatch/batches" search={{ kind: 'FEE_REMINDER' } as never} size="sm">
              {t('Reminders sent')}
            </Anchor>
          )}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('Download as CSV')}
            title={t('Download as CSV')}
            onClick={() =>
              void download(
                '/school-admin/fee/dues',
                { format: 'csv', ...(classId ? { classId } : {}) },
                'dues.csv',
              ).catch((e) => notifications.show({ color: 'red', message: asProblem(e).message }))
            }
          >
            <IconDownload size={18} stroke={1.6} />
          </ActionIcon>
          {may('fee', 'write') && !!d && d.total > 0 && (
            <Button leftSection={<IconBellRinging size={16} stroke={1.6} />} onClick={() => setReminding(true)}>
              {t('Send reminders…')}
            </Button>
          )}
        </Group>
      </Group>
      {q.error && !d ? (
        <Trouble error={q.error} retry={() => void q.refetch()} />
      ) : !d ? (
        <Lines />
      ) : all.data?.total === 0 ? (
        <div className="panel">
          <Empty
            icon={<IconCoins size={32} stroke={1.2} />}
            title={t('Nobody owes anything')}
            text={t(
              'What is charged and not paid yet shows here, by class and by how long it has been due. Reminders go out from here.',
            )}
            action={
              may('fee', 'write') && (
                <Button component={Link} to="/fees/charge">
                  {t('Charge a class')}
                </Button>
              )
            }
          />
        </div>
      ) : (
        <Stack gap={16}>
          <Buckets ageing={d.ageing} />
          {d.inClearing > 0 && (
            <Text size="sm">
              {rich('Cheques of {inClearing} are in clearing and counted as paid. {anchor}', {
                inClearing: <Money of={d.inClearing} />,
                anchor: (
                  <Anchor component={Link} to="/fees/receipts" search={{ clearing: 'IN_CLEARING' } as never} size="sm">
                    {t('Show them')}
                  </Anchor>
                ),
              })}
            </Text>
          )}
          <Group gap={8}>
            {classId && (
              <button
                type="button"
                className="chip"
                data-set
                onClick={() => setAddress({ classId: undefined, page: undefined })}
              >
                {rich('Class is {className}', { className: <strong>{chosen?.className ?? '…'}</strong> })}
                <IconX size={14} aria-label={t('Remove')} />
              </button>
            )}
            {!classId &&
              (all.data?.classes ?? []).map((c) => (
                <button
                  key={c.classId ?? 'none'}
                  type="button"
                  className="chip"
                  disabled={!c.classId}
                  onClick={() => setAddress({ classId: c.classId ?? undefined, page: undefined })}
                >
                  {c.className || t('No class')} <strong className="figures">{format.money(c.total)}</strong>
                </button>
              ))}
          </Group>
          <div className="panel">
            <div className="list-scroll" tabIndex={0} role="region" aria-label={t('Who owes')}>
              <table className="list two-lines" data-stale={q.isPlaceholderData || undefined}>
                <thead>
                  <tr>
                    {may('fee', 'write') && (
                      <th className="tick">
                        <Checkbox
                          size="xs"
                          aria-label={t('Select all on this page')}
                          checked={d.items.length > 0 && d.items.every((s) => picked.has(s.studentId))}
                          indeterminate={picked.size > 0 && !d.items.every((s) => picked.has(s.studentId))}
                          onChange={(e) =>
                            setPicked(
                              e.currentTarget.checked
                                ? new Map(d.items.map((s) => [s.studentId, s.studentName]))
                                : new Map(),
                            )
                          }
                        />
                      </th>
                    )}
                    <th scope="col">{t('Student')}</th>
                    <th scope="col" className="only-wide">
                      {t('Class')}
                    </th>
                    {buckets.map(([k, title]) => (
                      <th key={k} scope="col" className="end only-wide">
                        {title}
                      </th>
                    ))}
                    <th scope="col" className="end">
                      {t('Owes')}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {d.items.map((s) => (
                    <tr key={s.studentId}>
                      {may('fee', 'write') && (
                        <td className="tick">
                          <Checkbox
                            size="xs"
                            aria-label={t('Select {studentName}', { studentName: s.studentName })}
                            checked={picked.has(s.studentId)}
                            onChange={(e) => tick(s.studentId, s.studentName, e.currentTarget.checked)}
                          />
                        </td>
                      )}
                      <td>
                        <Link
                          to="/fees/ledger"
                          search={{ student: s.studentId } as never}
                          className="row-name"
                          style={{ textDecoration: 'none' }}
                        >
                          {s.studentName}
                        </Link>
                        <Text size="xs" c="dimmed" className="figures">
                          {s.inClearing > 0
                            ? t('{admissionNumber} · {inClearing} in clearing', {
                                admissionNumber: s.admissionNumber,
                                inClearing: format.money(s.inClearing),
                              })
                            : `${s.admissionNumber}`}
                        </Text>
                      </td>
                      <td className="only-wide">{s.className}</td>
                      {buckets.map(([k]) => (
                        <td key={k} className="end only-wide">
                          {s[k] ? (
                            <Money of={s[k]} />
                          ) : (
                            <Text span c="dimmed">
                              –
                            </Text>
                          )}
                        </td>
                      ))}
                      <td className="end">
                        <Money of={s.total} strong />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </div>
          {d.totalPages > 1 && (
            <Group justify="space-between">
              <Text size="sm" c="dimmed" className="figures">
                {t('{number}–{min} of {total}', {
                  number: format.number((page - 1) * d.limit + 1),
                  min: format.number(Math.min(d.total, page * d.limit)),
                  total: format.number(d.total),
                })}
              </Text>
              <Pagination
                size="sm"
                total={d.totalPages}
                value={page}
                onChange={(p) => setAddress({ page: p === 1 ? undefined : String(p) })}
                getControlProps={(c) => ({
                  'aria-label': {
                    first: t('First page'),
                    last: t('Last page'),
                    next: t('Next page'),
                    previous: t('Previous page'),
                  }[c],
                })}
              />
            </Group>
          )}
        </Stack>
      )}
      {picked.size > 0 && (
        <div className="bulk" role="toolbar" aria-label={t('For the selected rows')}>
          <Text fw={500} className="figures">
            {t('{picked} selected', { picked: format.number(picked.size) })}
          </Text>
          <Button variant="default" size="compact-md" onClick={() => setReminding(true)}>
            {t('Remind them…')}
          </Button>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('Clear the selection')}
            onClick={() => setPicked(new Map())}
          >
            <IconX size={16} />
          </ActionIcon>
        </div>
      )}
      {reminding && (
        <Remind
          close={() => setReminding(false)}
          sent={() => setPicked(new Map())}
          to={picked.size ? { studentIds: [...picked.keys()] } : classId ? { classId } : { all: true }}
        />
      )}
    </div>
  )
}

function read(classId: string | undefined, page: number): Promise<Dues> {
  return call(
    api.GET('/school-admin/fee/dues', {
      params: { query: { ...(classId ? { classId } : {}), page, limit: 50 } as never },
    }) as Answer<Dues>,
  )
}

/** The sum by age: a bar, and each part in words. */
function Buckets({ ageing }: { ageing: Schemas['Ageing'] }) {
  return (
    <div className="panel" style={{ padding: 16 }}>
      <Text size="sm" c="dimmed">
        {t('Outstanding')}
      </Text>
      <div className="owed">
        <Money of={ageing.total} />
      </div>
      <div className="ageing-bar" aria-hidden>
        {buckets.map(([k], i) => ageing[k] > 0 && <span key={k} data-age={i} style={{ flexGrow: ageing[k] }} />)}
      </div>
      <dl className="ageing">
        {buckets.map(([k, title], i) => (
          <div key={k}>
            <dt>
              <i data-age={i} />
              {title}
            </dt>
            <dd className="figures">
              <Money of={ageing[k]} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** Says whom a reminder reaches before it goes. */
function Remind({
  to,
  close,
  sent,
}: {
  to: { classId?: string; studentIds?: string[]; all?: boolean }
  close: () => void
  sent: () => void
}) {
  const format = useFormat()
  const once = useOnce('reminder')
  const plan = useQuery({
    queryKey: ['/school-admin/fee/reminder', 'plan', to],
    staleTime: 0,
    gcTime: 0,
    queryFn: () => call(api.POST('/school-admin/fee/reminder/send', { body: { data: { ...to, dryRun: true } } })),
  })
  const send = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/fee/reminder/send', {
          params: { header: { 'Idempotency-Key': once.keyFor(to) } },
          body: { data: to },
        }),
      ),
    onSuccess: (r) => {
      once.happened()
      moneyMoved()
      notifications.show({
        message: t(
          { one: '{sent} family reminded', other: '{sent} families reminded' },
          { count: r.sent, sent: format.number(r.sent) },
        ),
      })
      sent()
      close()
    },
  })
  const p = plan.data
  const sum = p?.students.reduce((n, s) => n + s.amount, 0) ?? 0
  const n = p?.sent ?? 0
  return (
    <Confirm
      opened
      title={
        p
          ? n
            ? t(
                { one: 'Remind the families of {n} student?', other: 'Remind the families of {n} students?' },
                { count: n, n: format.number(n) },
              )
            : t('Nobody is left to remind today')
          : t('Who would be reminded?')
      }
      action={n ? t('Send {n}', { n: format.number(n) }) : t('Close')}
      busy={plan.isPending || send.isPending || once.done}
      error={plan.error ?? send.error}
      onClose={close}
      onConfirm={() => (n ? send.mutate() : close())}
    >
      {!p ? (
        <Skeleton component="span" display="block" height={14} width="80%" />
      ) : (
        <>
          {n > 0 &&
            (p.students.length < n
              ? t(
                  '{sum} is due from them together and more. Each guardian is notified, with the text from the settings and their own amount, by the channels of the notification rules.',
                  { sum: format.money(sum) },
                )
              : t(
                  '{sum} is due from them together. Each guardian is notified, with the text from the settings and their own amount, by the channels of the notification rules.',
                  { sum: format.money(sum) },
                ))}{' '}
          {p.already > 0 &&
            t(
              {
                one: '{already} was reminded today already and is left out.',
                other: '{already} were reminded today already and are left out.',
              },
              { count: p.already, already: format.number(p.already) },
            )}{' '}
          {p.noDues > 0 &&
            t(
              { one: '{noDues} owes nothing that is due.', other: '{noDues} owe nothing that is due.' },
              { count: p.noDues, noDues: format.number(p.noDues) },
            )}
          {n > 0 && <SMSPrice mt={8} />}
        </>
      )}
    </Confirm>
  )
}
