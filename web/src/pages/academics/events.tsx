import { Anchor, Button, Group, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { IconConfetti, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api, call, done, type Schemas } from '../../api/client'
import { changed, useClasses, useTeachers } from '../../api/queries'
import { useMay } from '../../api/session'
import { useAddress } from '../../patterns/address'
import { ClassTicks, useClassNames } from '../../patterns/ClassTicks'
import { saveCSV } from '../../patterns/csv'
import { Reading } from '../../patterns/FormDrawer'
import { Confirm, Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import { words } from '../../patterns/words'
import { Reach } from '../communication/reach'
import '../../day.css'
import { rich, t } from '../../messages/console'

type Event = Schemas['Event']
const states: Record<string, ['good' | 'busy' | 'off' | 'bad', string]> = {
  UPCOMING: ['busy', t('Upcoming')],
  ONGOING: ['good', t('Ongoing')],
  COMPLETED: ['off', t('Past')],
  CANCELLED: ['bad', t('Cancelled')],
}
const audiences = [
  { value: 'ALL', label: t('Everybody') },
  { value: 'PARENTS', label: t('Parents') },
  { value: 'STUDENTS', label: t('Students') },
  { value: 'TEACHERS', label: t('Teachers only') },
  { value: 'CLASSES', label: t('Some classes') },
]

function State({ status }: { status: string }) {
  const [tone, word] = states[status] ?? ['off', words(status)]
  return <Status tone={tone}>{word}</Status>
}

export function Events() {
  const may = useMay()
  const format = useFormat()
  const classes = useClasses()
  const names = useClassNames()
  const [address, setAddress] = useAddress()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new', tab: undefined })}>
      {t('Add an event')}
    </Button>
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the address the page is opened with
  useEffect(() => {
    if (Object.keys(address).length === 0) setAddress({ status: 'UPCOMING' }, true)
  }, [])
  const when = (e: Event) =>
    [
      format.date(e.eventDate),
      e.startTime && `${e.startTime.slice(0, 5)}${e.endTime ? `–${e.endTime.slice(0, 5)}` : ''}`,
    ]
      .filter(Boolean)
      .join(', ')
  const places = (e: Event) =>
    e.capacity
      ? t('{signedUp} of {capacity}', { signedUp: format.number(e.signedUp), capacity: format.number(e.capacity) })
      : format.number(e.signedUp)
  return (
    <ListPage
      path="/school-admin/event/list"
      title={t('Events')}
      noun={[t('event'), t('events')]}
      id={(e) => e.id}
      name={(e) => e.title}
      search={t('Title, venue or description')}
      filters={[
        {
          key: 'status',
          label: t('State'),
          options: Object.entries(states).map(([value, [, label]]) => ({ value, label: label.toLowerCase() })),
        },
        {
          key: 'classId',
          label: t('Class'),
          options: (classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
        },
      ]}
      columns={[
        { key: 'title', title: t('Title'), cell: (e) => e.title, sort: 'title' },
        { key: 'when', title: t('When'), cell: when, sort: 'eventDate', phone: true },
        { key: 'venue', title: t('Where'), cell: (e) => e.venue },
        {
          key: 'who',
          title: t('For'),
          cell: (e) =>
            e.classIds.length
              ? names(e.classIds, '')
              : (audiences.find((a) => a.value === e.targetAudience)?.label ?? words(e.targetAudience)),
        },
        { key: 'places', title: t('Signed up'), cell: places, end: true },
        {
          key: 'status',
          title: t('State'),
          cell: (e) => <State status={e.status} />,
          phone: true,
        },
      ]}
      primary={may('event', 'write') && add}
      none={
        address.status === 'UPCOMING' ? (
          <Empty
            icon={<IconConfetti size={32} stroke={1.2} />}
            title={t('Nothing is planned')}
            text={t('Past events are still here: choose another state, or clear the filter.')}
            action={
              <Button variant="default" onClick={() => setAddress({ status: undefined, page: '1' })}>
                {t('Show all events')}
              </Button>
            }
          />
        ) : undefined
      }
      empty={
        <Empty
          icon={<IconConfetti size={32} stroke={1.2} />}
          title={t('No events yet')}
          text={t(
            'Sports days, concerts, meetings: parents see what is for their children and sign them up in the app.',
          )}
          action={may('event', 'write') && add}
          example={t('For example: Sports day, 12 December, on the ground, 200 places.')}
        />
      }
      drawer={(id, close) =>
        id === 'new' ? <EventForm close={close} /> : <EventDrawer id={id} close={close} key={id} />
      }
    />
  )
}

function EventDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({
    queryKey: ['/school-admin/event/', id],
    queryFn: () => call(api.GET('/school-admin/event/{id}', { params: { path: { id } } })),
  })
  return q.data ? (
    <EventForm of={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

const labels = {
  title: t('Title'),
  description: t('Description'),
  eventDate: t('Day'),
  startTime: t('From'),
  endTime: t('To'),
  venue: t('Where'),
  targetAudience: t('For'),
  organiserId: t('Organised by'),
  capacity: t('Places'),
}

function EventForm({ of, close }: { of?: Event; close: () => void }) {
  const may = useMay()
  const format = useFormat()
  const teachers = useTeachers()
  const [address, setAddress] = useAddress()
  const tab = of && address.tab === 'sign-ups' ? 'sign-ups' : 'details'
  const pick = (e?: Event) => ({
    title: e?.title ?? '',
    description: e?.description ?? '',
    eventDate: e?.eventDate ?? '',
    startTime: e?.startTime.slice(0, 5) ?? '',
    endTime: e?.endTime.slice(0, 5) ?? '',
    venue: e?.venue ?? '',
    targetAudience: e?.targetAudience ?? 'ALL',
    organiserId: e?.organiserId ?? null,
    capacity: e?.capacity ?? null,
    classIds: e?.classIds ?? ([] as string[]),
  })
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const v = draft.values
  const read = (id: string) => call(api.GET('/school-admin/event/{id}', { params: { path: { id } } }))
  const save = useSave({
    draft,
    labels,
    version: of?.version,
    save: (c, version) =>
      of
        ? call(
            api.PUT('/school-admin/event/{id}', {
              params: { path: { id: of.id } },
              body: { data: { ...(c as Schemas['EventChange']), version } },
            }),
          )
        : call(
            api.POST('/school-admin/event/create', {
              body: {
                data: {
                  ...v,
                  eventDate: v.eventDate || undefined,
                  classIds: v.targetAudience === 'CLASSES' ? v.classIds : [],
                } as Schemas['EventFields'],
              },
            }),
          ),
    reread:
      of &&
      (async () => {
        const now = await read(of.id)
        return { ...pick(now), version: now.version }
      }),
    onSaved: (e) => {
      changed('/school-admin/event/', '/school-admin/dashboard/')
      if (!of && e) setAddress({ open: e.id })
    },
  })
  const open = !of || (of.status !== 'CANCELLED' && may('event', 'write'))
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <DrawerHead
        title={of?.title ?? t('Add an event')}
        close={close}
        actions={of && <EventActions event={of} close={close} />}
        summary={
          of && (
            <Group gap={12}>
              <State status={of.status} />
              <span>{format.date(of.eventDate)}</span>
            </Group>
          )
        }
      >
        {of && (
          <Tabs
            value={tab}
            onChange={(t) => setAddress({ tab: t === 'details' ? undefined : (t ?? undefined) })}
            mt={12}
          >
            <Tabs.List>
              <Tabs.Tab value="details">{t('Details')}</Tabs.Tab>
              <Tabs.Tab value="sign-ups">
                {rich('Signed up {signedUp}', {
                  signedUp: (
                    <Text span c="dimmed" inherit>
                      {of.signedUp || ''}
                    </Text>
                  ),
                })}
              </Tabs.Tab>
            </Tabs.List>
          </Tabs>
        )}
      </DrawerHead>
      {tab === 'sign-ups' ? (
        <div className="drawer-body">
          <SignUps event={of!} />
        </div>
      ) : (
        <>
          <div className="drawer-body" style={{ flex: 1 }}>
            {of?.status === 'CANCELLED' && (
              <Text mb={16}>
                {of.cancelReason
                  ? t('This event is cancelled: {cancelReason}', { cancelReason: of.cancelReason })
                  : t('This event is cancelled.')}
              </Text>
            )}
            <fieldset className="plain" disabled={!open}>
              <Stack gap={16}>
                {f.text({ k: 'title', label: labels.title, placeholder: t('Sports day'), required: true })}
                <div className="triple-even">
                  {f.day({ k: 'eventDate', label: labels.eventDate, required: true })}
                  {f.text({ k: 'startTime', label: labels.startTime, type: 'time' })}
                  {f.text({ k: 'endTime', label: labels.endTime, type: 'time' })}
                </div>
                <div className="pair">
                  {f.text({ k: 'venue', label: labels.venue, placeholder: t('School ground') })}
                  {f.number({
                    k: 'capacity',
                    label: labels.capacity,
                    min: 1,
                    description: t('Leave empty for no limit'),
                  })}
                  {f.choice({ k: 'targetAudience', label: labels.targetAudience, data: audiences })}
                  {f.choice({
                    k: 'organiserId',
                    label: labels.organiserId,
                    data: (teachers.data ?? []).map((t) => ({ value: t.id, label: nameOf(t) })),
                    none: t('Nobody yet'),
                  })}
                </div>
                {v.targetAudience === 'CLASSES' && (
                  <ClassTicks
                    label={t('Classes')}
                    none={t('At least one')}
                    value={v.classIds}
                    error={draft.errors.classIds}
                    onChange={(ids) => draft.set('classIds', ids)}
                  />
                )}
                {f.area({ k: 'description', label: labels.description })}
              </Stack>
            </fieldset>
            {of && <Reach recordId={of.id} version={of.version} mt={24} />}
          </div>
          {open && (
            <SaveBar
              draft={draft}
              {...save}
              submit={() => undefined}
              label={of ? t('Save') : t('Add')}
              always={!of}
              onCancel={of ? undefined : close}
            />
          )}
          {save.conflict}
        </>
      )}
    </form>
  )
}

function EventActions({ event, close }: { event: Event; close: () => void }) {
  const may = useMay()
  const [asking, setAsking] = useState<'cancel' | 'delete' | null>(null)
  const [reason, setReason] = useState('')
  const after = () => {
    changed('/school-admin/event/', '/school-admin/dashboard/')
    setAsking(null)
  }
  const cancel = useMutation({
    mutationFn: () =>
      call(
        api.PUT('/school-admin/event/{id}', {
          params: { path: { id: event.id } },
          body: { data: { status: 'CANCELLED', cancelReason: reason, version: event.version } },
        }),
      ),
    onSuccess: after,
  })
  const remove = useMutation({
    mutationFn: () => done(api.DELETE('/school-admin/event/{id}', { params: { path: { id: event.id } } })),
    onSuccess: () => {
      after()
      close()
    },
  })
  const coming = event.status === 'UPCOMING' || event.status === 'ONGOING'
  return (
    <>
      {coming && may('event', 'write') && (
        <Button variant="default" size="compact-md" onClick={() => setAsking('cancel')}>
          {t('Cancel event…')}
        </Button>
      )}
      {event.signedUp === 0 && may('event', 'delete') && (
        <Button variant="default" size="compact-md" onClick={() => setAsking('delete')}>
          {t('Delete…')}
        </Button>
      )}
      <Confirm
        opened={asking === 'cancel'}
        title={t('Cancel {title}?', { title: event.title })}
        action={t('Cancel the event')}
        danger
        busy={cancel.isPending}
        error={cancel.error}
        onClose={() => setAsking(null)}
        onConfirm={() => cancel.mutate()}
      >
        {event.signedUp
          ? t(
              'It stays in the list as cancelled, and the {signedUp} who are signed up see that it is cancelled. This cannot be undone.',
              { signedUp: event.signedUp },
            )
          : t('It stays in the list as cancelled. This cannot be undone.')}
        <TextInput
          mt={12}
          label={t('Why')}
          placeholder={t('Rain')}
          value={reason}
          maxLength={500}
          onChange={(e) => setReason(e.currentTarget.value)}
        />
      </Confirm>
      <Confirm
        opened={asking === 'delete'}
        title={t('Delete {title}?', { title: event.title })}
        action={t('Delete')}
        danger
        busy={remove.isPending}
        error={remove.error}
        onClose={() => setAsking(null)}
        onConfirm={() => remove.mutate()}
      >
        {t('Nobody is signed up for it.')}
      </Confirm>
    </>
  )
}

function SignUps({ event }: { event: Event }) {
  const format = useFormat()
  const q = useQuery({
    queryKey: ['/school-admin/event/sign-ups', event.id],
    queryFn: () => call(api.GET('/school-admin/event/{id}/sign-ups', { params: { path: { id: event.id } } })),
  })
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />
  const list = q.data.students
  if (list.length === 0)
    return (
      <Empty
        title={t('Nobody is signed up yet')}
        text={t('Parents sign their children up in the app, as long as there are places.')}
      />
    )
  return (
    <>
      <Group justify="space-between" mb={12}>
        <Text c="dimmed">
          {event.capacity
            ? t('{list} of {capacity} places, in the order they came', {
                list: format.number(list.length),
                capacity: format.number(event.capacity),
              })
            : t('{list}, in the order they came', { list: format.number(list.length) })}
        </Text>
        <Button
          variant="default"
          size="compact-md"
          onClick={() =>
            saveCSV(`${event.title}.csv`, [
              ['Name', 'Class', 'Admission no.', 'Signed up'],
              ...list.map((s) => [
                nameOf(s),
                `${s.className} ${s.divisionName}`,
                s.admissionNumber,
                format.dateTime(s.signedUpAt),
              ]),
            ])
          }
        >
          {t('CSV')}
        </Button>
      </Group>
      <div className="panel">
        <table className="list">
          <thead>
            <tr>
              <th scope="col">{t('Name')}</th>
              <th scope="col">{t('Class')}</th>
              <th scope="col" className="only-wide">
                {t('Signed up')}
              </th>
            </tr>
          </thead>
          <tbody>
            {list.map((s) => (
              <tr key={s.studentId}>
                <td>
                  <Anchor component={Link} to="/students" search={{ open: s.studentId } as never}>
                    {nameOf(s)}
                  </Anchor>
                </td>
                <td>
                  {s.className} {s.divisionName}
                </td>
                <td className="only-wide">{format.dateTime(s.signedUpAt)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
