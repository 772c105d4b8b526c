import { Alert, Button, Group, Radio, Skeleton, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPlus, IconSpeakerphone } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, done, type Schemas } from '../../api/client'
import { changed, useClasses } from '../../api/queries'
import { useMay, useSession } from '../../api/session'
import { ClassesAndDivisions, useAudienceWords } from '../../patterns/Audience'
import { useAddress } from '../../patterns/address'
import { AttachButton, FileList } from '../../patterns/Files'
import { Confirm, Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, Facts, SaveBar, useDraft, useSave } from '../../patterns/record'
import { localOf, momentOf } from '../../patterns/zone'
import { Reach } from './reach'
import '../../patterns/areas.css'

type Counted = Schemas['Counted']
const states: Record<string, ['good' | 'busy' | 'warn' | 'off', string]> = {
  DRAFT: ['off', 'Draft'],
  SCHEDULED: ['busy', 'Scheduled'],
  PUBLISHED: ['good', 'Published'],
  WITHDRAWN: ['warn', 'Withdrawn'],
}
const audiences = [
  { value: 'ALL', label: 'Parents and teachers' },
  { value: 'PARENTS', label: 'Parents' },
  { value: 'TEACHERS', label: 'Teachers' },
]
const path = '/school-admin/announcement/'

function State({ of }: { of: string }) {
  const [tone, word] = states[of] ?? ['off', of]
  return <Status tone={tone}>{word}</Status>
}

export function Announcements() {
  const format = useFormat()
  const may = useMay()
  const classes = useClasses()
  const inWords = useAudienceWords()
  const [, setAddress] = useAddress()
  const add = may('announcement', 'write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      Write an announcement
    </Button>
  )
  const whom = (a: Counted) =>
    [audiences.find((x) => x.value === a.targetAudience)?.label, inWords(a.classIds, a.divisionIds)]
      .filter(Boolean)
      .join(' of ')
  return (
    <ListPage
      path="/school-admin/announcement/list"
      title="Announcements"
      noun={['announcement', 'announcements']}
      id={(a) => a.id}
      name={(a) => a.title}
      search="Title or text"
      filters={[
        {
          key: 'status',
          label: 'State',
          options: Object.entries(states).map(([value, [, label]]) => ({ value, label })),
        },
        { key: 'targetAudience', label: 'To', options: audiences },
        { key: 'classId', label: 'Class', options: (classes.data ?? []).map((c) => ({ value: c.id, label: c.name })) },
      ]}
      columns={[
        { key: 'title', title: 'Title', cell: (a) => a.title, sort: 'title' },
        { key: 'to', title: 'To', cell: whom },
        {
          key: 'state',
          title: 'State',
          cell: (a) => <State of={a.status} />,
          phone: true,
        },
        { key: 'at', title: 'When', cell: (a) => format.dateTime(a.publishedAt ?? a.publishAt), sort: 'publishedAt' },
        {
          key: 'read',
          title: 'Read',
          cell: (a) => (a.recipientCount ? `${format.number(a.readCount)} of ${format.number(a.recipientCount)}` : ''),
          end: true,
          phone: true,
        },
      ]}
      primary={add}
      empty={
        <Empty
          icon={<IconSpeakerphone size={32} stroke={1.2} />}
          title="Nothing was announced yet"
          text="Say something to everybody, to parents, to teachers, or to some classes. You see how many it reaches before it goes out, and how many have read it."
          action={add}
          example="For example: School closes at noon on Friday, to the parents of Class 5 and 6."
        />
      }
      drawer={(id, close) =>
        id === 'new' ? <Editor close={close} /> : <AnnouncementDrawer id={id} close={close} key={id} />
      }
    />
  )
}

const read = (id: string) => call(api.GET('/school-admin/announcement/{id}', { params: { path: { id } } }))

function AnnouncementDrawer({ id, close }: { id: string; close: () => void }) {
  const may = useMay()
  const q = useQuery({
    queryKey: [path, id],
    queryFn: () => read(id),
    refetchInterval: (x) => (x.state.data?.status === 'PUBLISHED' && x.state.data.recipientCount === 0 ? 1500 : false),
  })
  const a = q.data
  if (!a)
    return (
      <>
        <DrawerHead title={' '} close={close} />
        <div className="drawer-body">
          {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}
        </div>
      </>
    )
  return (a.status === 'DRAFT' || a.status === 'SCHEDULED') && may('announcement', 'write') ? (
    <Editor announcement={a} close={close} />
  ) : (
    <Published announcement={a} close={close} />
  )
}

function Published({ announcement: a, close }: { announcement: Counted; close: () => void }) {
  const format = useFormat()
  const may = useMay()
  const inWords = useAudienceWords()
  const [asking, setAsking] = useState(false)
  const withdraw = useMutation({
    mutationFn: () => call(api.POST('/school-admin/announcement/{id}/withdraw', { params: { path: { id: a.id } } })),
    onSuccess: () => {
      changed(path)
      setAsking(false)
    },
  })
  return (
    <>
      <DrawerHead
        title={a.title}
        close={close}
        summary={<State of={a.status} />}
        actions={
          a.status === 'PUBLISHED' &&
          may('announcement', 'write') && (
            <Button variant="default" size="compact-md" onClick={() => setAsking(true)}>
              Withdraw…
            </Button>
          )
        }
      />
      <div className="drawer-body">
        <Stack gap={24}>
          <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{a.body}</Text>
          <FileList ids={a.attachmentFileIds} />
          <Facts
            of={[
              [
                'To',
                [audiences.find((x) => x.value === a.targetAudience)?.label, inWords(a.classIds, a.divisionIds)]
                  .filter(Boolean)
                  .join(' of '),
              ],
              ['Sent to', `${format.number(a.recipientCount)} ${a.recipientCount === 1 ? 'person' : 'people'}`],
              [
                'Have read it',
                a.recipientCount
                  ? `${format.number(a.readCount)} (${Math.round((100 * a.readCount) / a.recipientCount)} %)`
                  : '–',
              ],
              ['Published', format.dateTime(a.publishedAt)],
              ['Visible until', a.expiresAt ? format.dateTime(a.expiresAt) : 'withdrawn'],
            ]}
          />
          {a.status === 'PUBLISHED' && <Reach recordId={a.id} version={a.recipientCount} />}
        </Stack>
      </div>
      <Confirm
        opened={asking}
        title={`Withdraw “${a.title}”?`}
        action="Withdraw"
        danger
        busy={withdraw.isPending}
        error={withdraw.error}
        onClose={() => setAsking(false)}
        onConfirm={() => withdraw.mutate()}
      >
        It is no longer visible, and its notifications are removed. It cannot be published again.
      </Confirm>
    </>
  )
}

const labels = {
  title: 'Title',
  body: 'Text',
  targetAudience: 'To',
  classIds: 'Classes',
  divisionIds: 'Divisions',
  attachmentFileIds: 'Attachments',
  publishAt: 'Published at',
  expiresAt: 'Shown until',
  urgent: 'Urgent',
}

function Editor({ announcement, close }: { announcement?: Counted; close: () => void }) {
  const may = useMay()
  const format = useFormat()
  const inWords = useAudienceWords()
  const zone = useSession().school?.timeZone ?? 'UTC'
  const [, setAddress] = useAddress()
  const pick = (a?: Counted) => ({
    title: a?.title ?? '',
    body: a?.body ?? '',
    targetAudience: a?.targetAudience ?? 'ALL',
    classIds: a?.classIds ?? [],
    divisionIds: a?.divisionIds ?? [],
    attachmentFileIds: a?.attachmentFileIds ?? [],
    publishAt: a?.publishAt ?? null,
    expiresAt: a?.expiresAt ?? null,
    urgent: a?.urgent ?? false,
  })
  const draft = useDraft(pick(announcement))
  const v = draft.values
  const [some, setSome] = useState(v.classIds.length + v.divisionIds.length > 0)
  const [asking, setAsking] = useState(false)
  const [removing, setRemoving] = useState(false)
  const target = {
    targetAudience: v.targetAudience,
    classIds: some ? v.classIds : [],
    divisionIds: some ? v.divisionIds : [],
  }
  const nobody = some && v.classIds.length + v.divisionIds.length === 0
  const reach = useReach(target, !nobody)
  const fields = () => ({ ...v, ...target }) as Schemas['AnnouncementFields']
  const store = (version: number | undefined) =>
    announcement
      ? call(
          api.PUT('/school-admin/announcement/{id}', {
            params: { path: { id: announcement.id } },
            body: { data: { ...fields(), version } },
          }),
        )
      : call(api.POST('/school-admin/announcement/create', { body: { data: fields() } }))
  const save = useSave({
    draft,
    labels,
    version: announcement?.version,
    say: {
      classIds: (x) => inWords(x, []),
      divisionIds: (x) => inWords([], x),
      attachmentFileIds: (x) => `${x.length} files`,
      publishAt: (x) => format.dateTime(x),
      expiresAt: (x) => format.dateTime(x),
    },
    save: (_, version) => store(version),
    reread:
      announcement &&
      (async () => {
        const now = await read(announcement.id)
        return { ...pick(now), version: now.version }
      }),
    onSaved: (a) => {
      changed(path)
      if (!announcement && a) setAddress({ open: a.id })
    },
  })
  const publish = useMutation({
    mutationFn: async () => {
      const a = draft.dirty || !announcement ? await store(announcement?.version) : announcement
      return call(api.POST('/school-admin/announcement/{id}/publish', { params: { path: { id: a.id } } }))
    },
    onSuccess: (a) => {
      changed(path)
      setAddress({ open: a.id })
      setAsking(false)
    },
    onError: (e) => draft.setErrors(asProblem(e).fields),
  })
  const remove = useMutation({
    mutationFn: () =>
      done(api.DELETE('/school-admin/announcement/{id}', { params: { path: { id: announcement!.id } } })),
    onSuccess: () => {
      changed(path)
      close()
    },
  })
  const e = draft.errors
  const moment = (k: 'publishAt' | 'expiresAt', label: string, description: string) => (
    <TextInput
      type="datetime-local"
      label={label}
      description={description}
      value={v[k] ? localOf(v[k], zone) : ''}
      error={e[k]}
      onChange={(ev) => draft.set(k, ev.currentTarget.value ? momentOf(ev.currentTarget.value, zone) : null)}
    />
  )
  const ready = v.title.trim() !== '' && v.body.trim() !== '' && !nobody
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(ev) => {
        ev.preventDefault()
        save.submit()
      }}
    >
      <DrawerHead
        title={announcement?.title ?? 'Write an announcement'}
        close={close}
        summary={announcement && <State of={announcement.status} />}
        actions={
          <>
            {announcement && may('announcement', 'delete') && (
              <Button variant="default" size="compact-md" onClick={() => setRemoving(true)}>
                Delete…
              </Button>
            )}
            <Button size="compact-md" disabled={!ready} onClick={() => setAsking(true)}>
              Publish…
            </Button>
          </>
        }
      />
      <div className="drawer-body" style={{ flex: 1 }}>
        <Stack gap={16}>
          <TextInput
            label={labels.title}
            maxLength={200}
            value={v.title}
            error={e.title}
            onChange={(ev) => draft.set('title', ev.currentTarget.value)}
          />
          <Textarea
            label={labels.body}
            minRows={5}
            maxLength={10000}
            value={v.body}
            error={e.body}
            onChange={(ev) => draft.set('body', ev.currentTarget.value)}
          />
          <div>
            <FileList
              ids={v.attachmentFileIds}
              remove={(id) =>
                draft.set(
                  'attachmentFileIds',
                  v.attachmentFileIds.filter((x) => x !== id),
                )
              }
            />
            <Group mt={v.attachmentFileIds.length ? 8 : 0}>
              <AttachButton
                size="compact-md"
                added={(ids) => draft.set('attachmentFileIds', [...v.attachmentFileIds, ...ids])}
              />
            </Group>
          </div>
          <Radio.Group label="To" value={v.targetAudience} onChange={(x) => draft.set('targetAudience', x)}>
            <Group gap={16} mt={4}>
              {audiences.map((a) => (
                <Radio key={a.value} {...a} />
              ))}
            </Group>
          </Radio.Group>
          <Switch
            label="Only of some classes"
            checked={some}
            onChange={(ev) => {
              setSome(ev.currentTarget.checked)
              if (!ev.currentTarget.checked) draft.setAll({ classIds: [], divisionIds: [] })
            }}
          />
          {some && (
            <ClassesAndDivisions
              classIds={v.classIds}
              divisionIds={v.divisionIds}
              onChange={(c, d) => draft.setAll({ classIds: c, divisionIds: d })}
            />
          )}
          <Alert variant="light" p={12} role="status" title={nobody ? 'Choose a class or a division' : undefined}>
            {nobody ? (
              'Nothing is chosen yet.'
            ) : reach.data ? (
              <ReachWords reach={reach.data} />
            ) : reach.error ? (
              asProblem(reach.error).message
            ) : (
              <Skeleton height={14} width="60%" />
            )}
          </Alert>
          <div className="pair">
            {moment('publishAt', 'Publish automatically at', "The school's time; empty keeps it a draft")}
            {moment('expiresAt', 'Visible until', 'Leave empty for no end date')}
          </div>
          <Switch
            label="Urgent"
            description="Sent at once, in quiet hours too. For a closed school, an accident, a missing child."
            checked={v.urgent}
            onChange={(ev) => draft.set('urgent', ev.currentTarget.checked)}
          />
        </Stack>
      </div>
      <SaveBar
        draft={draft}
        {...save}
        busy={save.busy || publish.isPending}
        submit={() => undefined}
        label={v.publishAt ? 'Schedule' : 'Save the draft'}
        always={!announcement}
        onCancel={announcement ? undefined : close}
      />
      {save.conflict}
      <Confirm
        opened={asking}
        title="Publish it now?"
        action={
          reach.data
            ? `Send to ${format.number(reach.data.recipients)} ${reach.data.recipients === 1 ? 'person' : 'people'}`
            : 'Publish'
        }
        busy={publish.isPending}
        error={publish.error}
        onClose={() => {
          setAsking(false)
          publish.reset()
        }}
        onConfirm={() => !publish.isPending && publish.mutate()}
      >
        {reach.data && <ReachWords reach={reach.data} />} They are notified at once. It can be withdrawn, but not
        changed any more.
      </Confirm>
      <Confirm
        opened={removing}
        title="Delete this announcement?"
        action="Delete"
        danger
        busy={remove.isPending}
        error={remove.error}
        onClose={() => setRemoving(false)}
        onConfirm={() => remove.mutate()}
      >
        Nobody was notified of it. It is deleted permanently.
      </Confirm>
    </form>
  )
}

function useReach(target: { targetAudience: string; classIds: string[]; divisionIds: string[] }, enabled: boolean) {
  const [asked] = useDebouncedValue(JSON.stringify(target), 200)
  return useQuery({
    queryKey: [`${path}reach`, asked],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: () => {
      const t = JSON.parse(asked) as typeof target
      return call(
        api.GET('/school-admin/announcement/reach', {
          params: {
            query: {
              targetAudience: t.targetAudience as 'ALL',
              ...(t.classIds.length ? { classIds: t.classIds } : {}),
              ...(t.divisionIds.length ? { divisionIds: t.divisionIds } : {}),
            },
          },
        }),
      )
    },
  })
}

function ReachWords({ reach: r }: { reach: Schemas['Reach'] }) {
  const format = useFormat()
  const parts = [
    r.parents > 0 &&
      `${format.number(r.parents)} ${r.parents === 1 ? 'parent' : 'parents'} of ${format.number(r.students)} ${r.students === 1 ? 'student' : 'students'}`,
    r.teachers > 0 && `${format.number(r.teachers)} ${r.teachers === 1 ? 'teacher' : 'teachers'}`,
  ]
    .filter(Boolean)
    .join(' and ')
  return (
    <>
      {parts ? (
        <>
          It reaches <b>{parts}</b>.
        </>
      ) : (
        'It reaches nobody yet: nobody in it has an account.'
      )}
    </>
  )
}
