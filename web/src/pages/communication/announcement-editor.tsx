// What an announcement says, and to whom: written, checked and published in a drawer.
import { Alert, Button, Group, Radio, Skeleton, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, done, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay, useSession } from '../../api/session'
import { rich, t } from '../../messages/console'
import { ClassesAndDivisions, useAudienceWords } from '../../patterns/Audience'
import { useAddress } from '../../patterns/address'
import { AttachButton, FileList } from '../../patterns/Files'
import { Confirm, Status } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { DrawerHead, SaveBar, useDraft, useSave } from '../../patterns/record'
import { listed } from '../../patterns/words'
import { localOf, momentOf } from '../../patterns/zone'
import { NotifiedWords, SMSCost, useNoticeRules, useNotified } from './notice-time'

type Counted = Schemas['Counted']
export const states: Record<string, ['good' | 'busy' | 'warn' | 'off', string]> = {
  DRAFT: ['off', t('Draft')],
  SCHEDULED: ['busy', t('Scheduled')],
  PUBLISHED: ['good', t('Published')],
  WITHDRAWN: ['warn', t('Withdrawn')],
}

export const audiences = [
  { value: 'ALL', label: t('Parents and teachers') },
  { value: 'PARENTS', label: t('Parents') },
  { value: 'TEACHERS', label: t('Teachers') },
]
const path = '/school-admin/announcement/'

export function State({ of }: { of: string }) {
  const [tone, word] = states[of] ?? ['off', of]
  return <Status tone={tone}>{word}</Status>
}

export const read = (id: string) => call(api.GET('/school-admin/announcement/{id}', { params: { path: { id } } }))

const labels = {
  title: t('Title'),
  body: t('Text'),
  targetAudience: t('To'),
  classIds: t('Classes'),
  divisionIds: t('Divisions'),
  attachmentFileIds: t('Attachments'),
  publishAt: t('Published at'),
  expiresAt: t('Visible until'),
  urgent: t('Urgent'),
}

export function Editor({ announcement, close }: { announcement?: Counted; close: () => void }) {
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
  const rules = useNoticeRules()
  const notified = useNotified(rules, v)
  const byClock = useNotified(rules, v, v.publishAt)
  const fields = () => ({ ...v, ...target }) as Schemas['AnnouncementFields']
  const store = (version: number | undefined, what = fields()) =>
    announcement
      ? call(
          api.PUT('/school-admin/announcement/{id}', {
            params: { path: { id: announcement.id } },
            body: { data: { ...what, version } },
          }),
        )
      : call(api.POST('/school-admin/announcement/create', { body: { data: what } }))
  const save = useSave({
    draft,
    labels,
    version: announcement?.version,
    say: {
      classIds: (x) => inWords(x, []),
      divisionIds: (x) => inWords([], x),
      attachmentFileIds: (x) => t('{x} files', { x: x.length }),
      publishAt: (x) => format.dateTime(x),
      expiresAt: (x) => format.dateTime(x),
    },
    save: (_, version, x) => store(version, x === v ? fields() : (x as Schemas['AnnouncementFields'])),
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
        title={announcement?.title ?? t('Write an announcement')}
        close={close}
        summary={announcement && <State of={announcement.status} />}
        actions={
          <>
            {announcement && may('announcement', 'delete') && (
              <Button variant="default" size="compact-md" onClick={() => setRemoving(true)}>
                {t('Delete…')}
              </Button>
            )}
            <Button size="compact-md" disabled={!ready} onClick={() => setAsking(true)}>
              {t('Publish…')}
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
          <Radio.Group label={t('To')} value={v.targetAudience} onChange={(x) => draft.set('targetAudience', x)}>
            <Group gap={16} mt={4}>
              {audiences.map((a) => (
                <Radio key={a.value} {...a} />
              ))}
            </Group>
          </Radio.Group>
          <Switch
            label={t('Only of some classes')}
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
          <Alert variant="light" p={12} role="status" title={nobody ? t('Choose a class or a division') : undefined}>
            {nobody ? (
              t('Nothing is chosen yet.')
            ) : reach.data ? (
              <>
                <ReachWords reach={reach.data} />
                {v.publishAt && ' '}
                {v.publishAt && <NotifiedWords of={byClock} />}
                <SMSCost known={rules} of={v} reach={reach.data} />
              </>
            ) : reach.error ? (
              asProblem(reach.error).message
            ) : (
              <Skeleton height={14} width="60%" />
            )}
          </Alert>
          <div className="pair">
            {moment('publishAt', t('Publish automatically at'), t("The school's time; empty keeps it a draft"))}
            {moment('expiresAt', t('Visible until'), t('Leave empty for no end date'))}
          </div>
          <Switch
            label={t('Urgent')}
            description={t('Sent at once, in quiet hours too. For a closed school, an accident, a missing child.')}
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
        label={v.publishAt ? t('Schedule') : t('Save the draft')}
        always={!announcement}
        onCancel={announcement ? undefined : close}
      />
      {save.conflict}
      <Confirm
        opened={asking}
        title={t('Publish it now?')}
        action={
          reach.data
            ? t(
                { one: 'Send to {recipients} person', other: 'Send to {recipients} people' },
                { count: reach.data.recipients, recipients: format.number(reach.data.recipients) },
              )
            : t('Publish')
        }
        busy={publish.isPending}
        error={publish.error}
        onClose={() => {
          setAsking(false)
          publish.reset()
        }}
        onConfirm={() => !publish.isPending && publish.mutate()}
      >
        {rich('{reachwords} {notified} It can be withdrawn, but not changed any more.', {
          reachwords: reach.data && <ReachWords reach={reach.data} />,
          notified: <NotifiedWords of={notified} />,
        })}
        {(v.urgent || notified.when !== 'NOW') && (
          <Switch
            mt={12}
            label={t('Urgent: notify them at once')}
            checked={v.urgent}
            onChange={(ev) => draft.set('urgent', ev.currentTarget.checked)}
          />
        )}
        <SMSCost known={rules} of={v} reach={reach.data} />
      </Confirm>
      <Confirm
        opened={removing}
        title={t('Delete this announcement?')}
        action={t('Delete')}
        danger
        busy={remove.isPending}
        error={remove.error}
        onClose={() => setRemoving(false)}
        onConfirm={() => remove.mutate()}
      >
        {t('Nobody was notified of it. It is deleted permanently.')}
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

/** Parents of Class 5, or teachers alone. */
export function audienceOf(a: Pick<Counted, 'targetAudience'>, classes: string): string {
  const audience = audiences.find((x) => x.value === a.targetAudience)?.label ?? ''
  return classes ? t('{audience} of {classes}', { audience, classes }) : audience
}

function ReachWords({ reach: r }: { reach: Schemas['Reach'] }) {
  const format = useFormat()
  const reached = [
    r.parents > 0 &&
      (r.parents === 1
        ? t(
            { one: '{parents} parent of {students} student', other: '{parents} parent of {students} students' },
            { count: r.students, parents: format.number(r.parents), students: format.number(r.students) },
          )
        : t(
            { one: '{parents} parents of {students} student', other: '{parents} parents of {students} students' },
            { count: r.students, parents: format.number(r.parents), students: format.number(r.students) },
          )),
    r.teachers > 0 &&
      t(
        { one: '{teachers} teacher', other: '{teachers} teachers' },
        { count: r.teachers, teachers: format.number(r.teachers) },
      ),
  ].filter((part) => part !== false)
  const parts = reached.length > 0 && listed(reached)
  return (
    <>
      {parts
        ? rich('It reaches {parts}.', { parts: <b>{parts}</b> })
        : t('It reaches nobody yet: nobody in it has an account.')}
    </>
  )
}
