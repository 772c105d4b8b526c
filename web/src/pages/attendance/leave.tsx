import { ActionIcon, Anchor, Button, Group, NumberInput, Stack, Tabs, Text, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBeach, IconInbox, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { useAddress } from '../../patterns/address'
import { Dialog, Empty, Lines, Status, Trouble, UnsavedGuard } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, Facts, useDraft } from '../../patterns/record'
import { words } from '../../patterns/words'
import '../../day.css'
import { t } from '../../messages/console'

type Leave = Schemas['LeaveView']
const types = ['SICK', 'CASUAL', 'EMERGENCY']
const states: Record<string, ['good' | 'busy' | 'bad' | 'off' | 'warn', string]> = {
  PENDING: ['warn', t('Waiting')],
  APPROVED: ['good', t('Approved')],
  REJECTED: ['bad', t('Rejected')],
  CANCELLED: ['off', t('Withdrawn')],
}

function State({ status }: { status: string }) {
  const [tone, word] = states[status] ?? ['off', words(status)]
  return <Status tone={tone}>{word}</Status>
}

function LeaveTabs({ at }: { at: 'requests' | 'balances' }) {
  const navigate = useNavigate()
  return (
    <Tabs value={at} onChange={(t) => void navigate({ to: t === 'balances' ? '/leave/balances' : '/leave' })} mb={16}>
      <Tabs.List>
        <Tabs.Tab value="requests">{t('Requests')}</Tabs.Tab>
        <Tabs.Tab value="balances">{t('Balances')}</Tabs.Tab>
      </Tabs.List>
    </Tabs>
  )
}

function useDays() {
  const format = useFormat()
  return {
    span: (l: Leave) =>
      l.fromDate === l.toDate
        ? l.halfDay
          ? t('{fromDate}, half a day', { fromDate: format.date(l.fromDate) })
          : `${format.date(l.fromDate)}`
        : `${format.date(l.fromDate)} – ${format.date(l.toDate)}`,
    count: (n: number) => t({ one: '{n} day', other: '{n} days' }, { count: n, n: format.number(n) }),
  }
}

/** The leave inbox: what waits is decided in a drawer, and everything else can be found again. */
export function LeaveInbox() {
  const format = useFormat()
  const days = useDays()
  const [address, setAddress] = useAddress()
  // What waits is what people come for: a bare address shows that, and "any" shows all.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the address the page is opened with
  useEffect(() => {
    if (address.status === undefined && Object.keys(address).length === 0) setAddress({ status: 'PENDING' }, true)
  }, [])
  return (
    <ListPage
      path="/school-admin/leave/list"
      title={t('Leave')}
      noun={[t('request'), t('requests')]}
      id={(l) => l.id}
      name={(l) => l.applicantName}
      search={t('Name')}
      above={<LeaveTabs at="requests" />}
      filters={[
        {
          key: 'status',
          label: t('State'),
          options: Object.entries(states).map(([value, [, label]]) => ({ value, label })),
        },
        {
          key: 'applicantType',
          label: t('Of'),
          options: [
            { value: 'STUDENT', label: t('students') },
            { value: 'EMPLOYEE', label: t('employees') },
          ],
        },
        { key: 'leaveType', label: t('Kind'), options: types.map((value) => ({ value, label: words(value) })) },
      ]}
      columns={[
        { key: 'who', title: t('Who'), cell: (l) => l.applicantName },
        {
          key: 'class',
          title: t('Class'),
          cell: (l) =>
            l.applicantType === 'EMPLOYEE' ? (
              <Text span c="dimmed">
                {t('Employee')}
              </Text>
            ) : (
              `${l.className} ${l.divisionName}`
            ),
        },
        { key: 'when', title: t('When'), cell: days.span, sort: 'fromDate', phone: true },
        { key: 'days', title: t('Days'), cell: (l) => format.number(l.days), end: true },
        { key: 'kind', title: t('Kind'), cell: (l) => words(l.leaveType) },
        { key: 'reason', title: t('Reason'), cell: (l) => l.reason },
        {
          key: 'status',
          title: t('State'),
          cell: (l) => <State status={l.status} />,
          sort: 'status',
          phone: true,
        },
        {
          key: 'asked',
          title: t('Requested'),
          cell: (l) => format.dateTime(l.createdAt),
          sort: 'createdAt',
          hidden: true,
        },
      ]}
      none={
        address.status === 'PENDING' ? (
          <Empty
            icon={<IconInbox size={32} stroke={1.2} />}
            title={t('No requests are waiting')}
            text={t('Requests of parents and teachers appear here the moment they are made.')}
            action={
              <Button
                variant="default"
                onClick={() =>
                  setAddress({
                    status: undefined,
                    q: undefined,
                    applicantType: undefined,
                    leaveType: undefined,
                    page: '1',
                  })
                }
              >
                {t('Show all leave')}
              </Button>
            }
          />
        ) : undefined
      }
      empty={
        <Empty
          icon={<IconBeach size={32} stroke={1.2} />}
          title={t('Nobody has asked for leave yet')}
          text={t(
            'Parents ask for their children and teachers for themselves, in the app. You decide here; approved leave of students shows in the register automatically.',
          )}
          action={
            <Button component={Link} to="/leave/balances" variant="default">
              {t('Set the leave days of employees')}
            </Button>
          }
          example={t('A class teacher may decide the leave of their own students too.')}
        />
      }
      drawer={(id, close) => <LeaveDrawer id={id} close={close} key={id} />}
    />
  )
}

function LeaveDrawer({ id, close }: { id: string; close: () => void }) {
  const format = useFormat()
  const days = useDays()
  const q = useQuery({
    queryKey: ['/school-admin/leave/', id],
    queryFn: () => call(api.GET('/school-admin/leave/{id}', { params: { path: { id } } })),
  })
  const l = q.data
  if (!l)
    return (
      <>
        <DrawerHead title={' '} close={close} />
        <div className="drawer-body">
          {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}
        </div>
      </>
    )
  return (
    <>
      <DrawerHead
        title={l.applicantName}
        close={close}
        summary={
          <Group gap={12}>
            <State status={l.status} />
            <span>{l.applicantType === 'EMPLOYEE' ? t('Employee') : `${l.className} ${l.divisionName}`}</span>
          </Group>
        }
      />
      <div className="drawer-body" style={{ flex: 1 }}>
        <Facts
          of={[
            [t('When'), days.span(l)],
            [t('School days'), days.count(l.days)],
            [t('Kind'), words(l.leaveType)],
            [
              t('Reason'),
              <span key="r" style={{ whiteSpace: 'pre-wrap' }}>
                {l.reason}
              </span>,
            ],
            [t('Requested'), format.dateTime(l.createdAt)],
            ...(l.decidedAt
              ? ([
                  [t('Decided'), format.dateTime(l.decidedAt)],
                  [t('Note'), l.decisionNote],
                ] as [string, string][])
              : []),
          ]}
        />
        {l.employeeId && <Left employeeId={l.employeeId} leaveType={l.leaveType} />}
        {l.studentId && (
          <Text mt={24}>
            <Anchor component={Link} to="/students" search={{ open: l.studentId, tab: 'attendance' } as never}>
              {t("See {applicantName}'s attendance", { applicantName: l.applicantName })}
            </Anchor>
          </Text>
        )}
      </div>
      {l.status === 'PENDING' && <Decide leave={l} close={close} />}
    </>
  )
}

/** What an employee has left of the kind they ask for. */
function Left({ employeeId, leaveType }: { employeeId: string; leaveType: string }) {
  const days = useDays()
  const q = useQuery({
    queryKey: ['/school-admin/leave/balances', 'of', employeeId],
    queryFn: () =>
      call(api.GET('/school-admin/leave/balances', { params: { query: { 'filters[employeeId]': employeeId } } })),
  })
  const b = q.data?.items.find((x) => x.leaveType === leaveType)
  if (!b) return null
  return (
    <Text mt={24}>
      {b.remaining === null
        ? t('{leaveType} leave is not counted at this school; {n} taken this year.', {
            leaveType: words(leaveType),
            n: days.count(b.taken),
          })
        : t('{n} of {n2} {leaveType} leave are left this year, this request not counted.', {
            n: days.count(b.remaining),
            n2: days.count(b.daysPerYear ?? 0),
            leaveType: words(leaveType).toLowerCase(),
          })}
    </Text>
  )
}

function Decide({ leave, close }: { leave: Leave; close: () => void }) {
  const may = useMay()
  const [note, setNote] = useState('')
  const decide = useMutation({
    mutationFn: (status: 'APPROVED' | 'REJECTED') =>
      call(api.POST('/school-admin/leave/decide', { body: { data: { leaveId: leave.id, status, note } } })),
    onSuccess: (l) => {
      changed('/school-admin/leave/', '/school-admin/dashboard/', '/school-admin/attendance/')
      notifications.show({
        message:
          l.status === 'APPROVED'
            ? t("{applicantName}'s leave is approved. They are notified.", { applicantName: l.applicantName })
            : t("{applicantName}'s leave is rejected. They are notified.", { applicantName: l.applicantName }),
      })
      close()
    },
    onError: (e) => {
      if (asProblem(e).status === 409) changed('/school-admin/leave/') // somebody was quicker
    },
  })
  if (!may('leave', 'write')) return null
  return (
    <div className="savebar stacked">
      <Textarea
        aria-label={t('Note')}
        placeholder={t('A note to {applicantName}, if you like', {
          applicantName: leave.applicantType === 'STUDENT' ? t('the parents') : leave.applicantName,
        })}
        value={note}
        maxLength={500}
        minRows={1}
        onChange={(e) => setNote(e.currentTarget.value)}
        error={decide.error ? asProblem(decide.error).fields.note : undefined}
      />
      <Trouble error={decide.error} />
      <Group gap={8} justify="flex-end">
        <Text size="sm" c="dimmed" me="auto">
          {leave.applicantType === 'STUDENT' ? t('Approved days show in the register.') : ''}
        </Text>
        <Button
          variant="default"
          loading={decide.isPending && decide.variables === 'REJECTED'}
          disabled={decide.isPending}
          onClick={() => decide.mutate('REJECTED')}
        >
          {t('Reject')}
        </Button>
        <Button
          loading={decide.isPending && decide.variables === 'APPROVED'}
          disabled={decide.isPending}
          onClick={() => decide.mutate('APPROVED')}
        >
          {t('Approve')}
        </Button>
      </Group>
    </div>
  )
}

/** What employees have left, by kinds of leave. */
export function LeaveBalances() {
  const may = useMay()
  const format = useFormat()
  const [editing, setEditing] = useState(false)
  const number = (n: number | null) => (n === null ? t('not counted') : format.number(n))
  return (
    <>
      <ListPage
        path="/school-admin/leave/balances"
        title={t('Leave')}
        noun={[t('balance'), t('balances')]}
        id={(b) => b.employeeId + b.leaveType}
        name={(b) => b.employeeName}
        search={t('Name')}
        above={<LeaveTabs at="balances" />}
        filters={[
          { key: 'leaveType', label: t('Kind'), options: types.map((value) => ({ value, label: words(value) })) },
        ]}
        columns={[
          { key: 'who', title: t('Employee'), cell: (b) => b.employeeName, sort: 'employeeName' },
          { key: 'kind', title: t('Kind'), cell: (b) => words(b.leaveType), phone: true },
          { key: 'year', title: t('A year'), cell: (b) => number(b.daysPerYear), end: true },
          { key: 'taken', title: t('Taken'), cell: (b) => format.number(b.taken), end: true },
          { key: 'pending', title: t('Waiting'), cell: (b) => format.number(b.pending), end: true },
          {
            key: 'left',
            title: t('Left'),
            cell: (b) => number(b.remaining),
            sort: 'remaining',
            end: true,
            phone: true,
          },
        ]}
        primary={
          may('leave', 'write') && (
            <Button variant="default" onClick={() => setEditing(true)}>
              {t('Days a year')}
            </Button>
          )
        }
        empty={
          <Empty
            icon={<IconBeach size={32} stroke={1.2} />}
            title={t('No employees yet')}
            text={t('Shows how many days of each kind of leave employees have taken and have left.')}
            action={
              <Button component={Link} to="/employees">
                {t('To the employees')}
              </Button>
            }
          />
        }
      />
      {editing && <Entitlements close={() => setEditing(false)} />}
    </>
  )
}

function Entitlements({ close }: { close: () => void }) {
  const q = useQuery({
    queryKey: ['/school-admin/leave/entitlements'],
    queryFn: () => call(api.GET('/school-admin/leave/entitlements')),
  })
  return (
    <Dialog onClose={close} title={t('Days of leave a year')}>
      {q.data ? (
        <EntitlementForm of={q.data.entitlements} close={close} />
      ) : q.error ? (
        <Trouble error={q.error} retry={() => void q.refetch()} />
      ) : (
        <Lines n={3} />
      )}
    </Dialog>
  )
}

function EntitlementForm({ of, close }: { of: Schemas['Entitlement'][]; close: () => void }) {
  const draft = useDraft<Record<string, number | null>>(
    Object.fromEntries(types.map((t) => [t, of.find((e) => e.leaveType === t)?.daysPerYear ?? null])),
  )
  const named = types.filter((t) => draft.values[t] !== null)
  const save = useMutation({
    mutationFn: () =>
      call(
        api.PUT('/school-admin/leave/entitlements', {
          body: {
            data: {
              entitlements: named.map((leaveType) => ({
                leaveType: leaveType as 'SICK',
                daysPerYear: draft.values[leaveType]!,
              })),
            },
          },
        }),
      ),
    onSuccess: () => {
      changed('/school-admin/leave/')
      close()
    },
    onError: (e) =>
      draft.setErrors(
        Object.fromEntries(
          Object.entries(asProblem(e).fields).map(([k, m]) => [named[Number(/\[(\d+)\]/.exec(k)?.[1] ?? -1)] ?? k, m]),
        ),
      ),
  })
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault()
        save.mutate()
      }}
    >
      <Stack gap={16}>
        <Text c="dimmed">{t('For every employee, in an academic year. A kind without a number is not counted.')}</Text>
        {types.map((it) => (
          <Group key={it} align="flex-end" gap={8} wrap="nowrap">
            <NumberInput
              style={{ flex: 1 }}
              label={words(it)}
              hideControls
              min={0}
              max={366}
              step={0.5}
              decimalScale={1}
              placeholder={t('Not counted')}
              value={draft.values[it] ?? ''}
              error={draft.errors[it]}
              onChange={(v) => draft.set(it, v === '' ? null : Number(v))}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={t('Do not count {t} leave', { t: words(it).toLowerCase() })}
              disabled={draft.values[it] === null}
              onClick={() => draft.set(it, null)}
            >
              <IconTrash size={16} stroke={1.6} />
            </ActionIcon>
          </Group>
        ))}
        <Trouble error={save.error} />
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={close}>
            {t('Cancel')}
          </Button>
          <Button type="submit" loading={save.isPending} disabled={!draft.dirty}>
            {t('Save')}
          </Button>
        </Group>
      </Stack>
      <UnsavedGuard when={draft.dirty && !save.isPending && !save.isSuccess} />
    </form>
  )
}
