import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { IconPlus, IconUsersGroup } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, asProblem, call, done, type Schemas } from '../../api/client'
import { changed, useClasses, useSubjects } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { useDivisionChoices, useToday } from '../../patterns/choices'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { fieldsOf, useDraft, useSave } from '../../patterns/record'
import { offerUndo } from '../../patterns/undo'
import { useYear } from '../../shell/year'

const kinds = [
  { value: 'ELECTIVE', label: t('Elective') },
  { value: 'BATCH', label: t('Batch') },
]
const kindOf = (k: string) => kinds.find((x) => x.value === k)?.label ?? k
const labels = { name: t('Name'), subjectId: t('Subject'), kind: t('Kind'), divisionIds: t('Divisions') }

/** Students of some divisions who are taught a subject together: electives, languages, batches. */
export function Groups() {
  const may = useMay()
  const format = useFormat()
  const [, setAddress] = useAddress()
  const classes = useClasses()
  const subjects = useSubjects()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a group')}
    </Button>
  )
  return (
    <ListPage
      path="/school-admin/group/list"
      title={t('Electives and groups')}
      noun={[t('group'), t('groups')]}
      id={(g) => g.id}
      name={(g) => g.name}
      search={t('Name')}
      filters={[
        {
          key: 'classId',
          label: t('Class'),
          options: (classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
        },
        {
          key: 'subjectId',
          label: t('Subject'),
          options: (subjects.data ?? []).map((s) => ({ value: s.id, label: s.name })),
        },
      ]}
      columns={[
        { key: 'name', title: t('Name'), cell: (g) => g.name, sort: 'name' },
        { key: 'subject', title: t('Subject'), cell: (g) => g.subjectName },
        { key: 'divisions', title: t('Divisions'), cell: (g) => g.divisions },
        { key: 'kind', title: t('Kind'), cell: (g) => kindOf(g.kind) },
        {
          key: 'members',
          title: t('Members'),
          cell: (g) => format.number(g.members),
          end: true,
          phone: true,
        },
      ]}
      primary={may('class', 'write') && add}
      more={
        <Button component={Link} to="/timetable" variant="default">
          {t('To the timetable')}
        </Button>
      }
      empty={
        <Empty
          icon={<IconUsersGroup size={32} stroke={1.2} />}
          title={t('No groups yet')}
          text={t(
            'A group is students of one or more divisions who learn a subject together. Two electives can have lessons at one time, and exams expect marks only from those who take them.',
          )}
          action={may('class', 'write') && add}
          example={t('For example: French, class 9, from divisions A and B.')}
        />
      }
      drawer={(id, close) =>
        id === 'new' ? <GroupForm close={close} /> : <GroupDrawer id={id} close={close} key={id} />
      }
    />
  )
}

function GroupDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({
    queryKey: ['/school-admin/group/', id],
    queryFn: () => call(api.GET('/school-admin/group/{id}', { params: { path: { id } } })),
  })
  return q.data ? (
    <GroupForm of={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

function GroupForm({ of, close }: { of?: Schemas['Group']; close: () => void }) {
  const may = useMay()
  const [, setAddress] = useAddress()
  const subjects = useSubjects()
  const { choices } = useDivisionChoices()
  const pick = (g?: Schemas['Group']) => ({
    name: g?.name ?? '',
    subjectId: (g?.subjectId ?? null) as string | null,
    kind: (g?.kind ?? 'ELECTIVE') as string,
    divisionIds: g?.divisionIds ?? ([] as string[]),
  })
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const add = (v: typeof draft.values) =>
    call(api.POST('/school-admin/group/create', { body: { data: v as Schemas['GroupFields'] } }))
  const save = useSave({
    draft,
    labels,
    version: of?.version,
    say: {
      subjectId: (x) => subjects.data?.find((s) => s.id === x)?.name ?? '',
      kind: (x) => kindOf(x ?? ''),
      divisionIds: (x) =>
        choices
          .filter((c) => x?.includes(c.value))
          .map((c) => c.label)
          .join(', '),
    },
    save: (c, version, v) =>
      of
        ? call(
            api.PUT('/school-admin/group/{id}', {
              params: { path: { id: of.id } },
              body: { data: { ...(c as Schemas['GroupChange']), version } },
            }),
          )
        : add(v),
    reread:
      of &&
      (async () => {
        const now = await call(api.GET('/school-admin/group/{id}', { params: { path: { id: of.id } } }))
        return { ...pick(now), version: now.version }
      }),
    onSaved: (g) => {
      changed('/school-admin/group/', '/school-admin/timetable/')
      if (!of && g) setAddress({ open: (g as Schemas['Group']).id })
    },
  })
  const divisionError = Object.entries(draft.errors).find(([k]) => k.startsWith('divisionIds'))?.[1]
  return (
    <FormDrawer
      title={of?.name ?? t('Add a group')}
      what={of?.name ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!of}
      locked={!may('class', 'write')}
      remove={
        of && may('class', 'delete')
          ? () => done(api.DELETE('/school-admin/group/{id}', { params: { path: { id: of.id } } }))
          : undefined
      }
      restore={() => add(pick(of))}
      extra={of && <Members of={of} key={of.divisionIds.join()} />}
    >
      <div className="pair">
        {f.text({ k: 'name', label: labels.name, placeholder: t('French, class 9'), required: true })}
        {f.choice({
          k: 'subjectId',
          label: labels.subjectId,
          data: (subjects.data ?? []).map((s) => ({ value: s.id, label: s.name })),
          none: t('Choose a subject'),
        })}
      </div>
      {f.choice({
        k: 'kind',
        label: labels.kind,
        data: kinds,
        description:
          draft.values.kind === 'BATCH'
            ? t('Everybody takes the subject, in parts, as in a laboratory.')
            : t('In these classes only members take the subject: nobody else is asked for marks.'),
      })}
      <Checkbox.Group
        label={labels.divisionIds}
        description={t('Whose students can be in it')}
        error={divisionError}
        value={draft.values.divisionIds}
        onChange={(v) => draft.set('divisionIds', v)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
      >
        <div className="ticks">
          {choices.map((c) => (
            <Checkbox key={c.value} value={c.value} label={c.label} size="sm" />
          ))}
        </div>
      </Checkbox.Group>
    </FormDrawer>
  )
}

async function readMembers(group: Schemas['Group'], date: string) {
  const [members, ...rosters] = await Promise.all([
    call(api.GET('/school-admin/group/{id}/members', { params: { path: { id: group.id }, query: { date } } })),
    ...group.divisionIds.map((id) =>
      call(api.GET('/school-admin/division/{id}/students', { params: { path: { id }, query: { date } } })),
    ),
  ])
  return { members: members.members, rosters }
}

/** Who is in the group: ticks by division, saved at once from a day on. */
function Members({ of }: { of: Schemas['Group'] }) {
  const format = useFormat()
  const may = useMay()
  const today = useToday()
  const { year } = useYear()
  const q = useQuery({
    queryKey: ['/school-admin/group/', of.id, 'members', of.divisionIds, today],
    queryFn: () => readMembers(of, today),
  })
  const [ticked, setTicked] = useState<string[] | null>(null)
  const [since, setSince] = useState<'today' | 'year'>('today')
  const before = q.data?.members.map((m) => m.studentId) ?? []
  const now = ticked ?? before
  const dirty = ticked !== null && (ticked.length !== before.length || ticked.some((id) => !before.includes(id)))
  const put = (studentIds: string[], fromDate: string) =>
    call(
      api.PUT('/school-admin/group/{id}/members', {
        params: { path: { id: of.id } },
        body: { data: { studentIds, fromDate } },
      }),
    )
  const save = useMutation({
    mutationFn: () => put(now, since === 'year' && year ? year.startDate : today),
    onSuccess: async () => {
      if (since === 'today') offerUndo(t('Members of {name} changed', { name: of.name }), () => put(before, today))
      await q.refetch()
      setTicked(null)
      changed('/school-admin/group/', '/school-admin/timetable/', '/school-admin/exam/')
    },
  })
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />
  const from = new Map(q.data.members.map((m) => [m.studentId, m.fromDate]))
  const faults = save.error ? Object.values(asProblem(save.error).fields).filter(Boolean) : []
  const locked = !may('class', 'write')
  return (
    <section aria-label={t('Members')}>
      <Text className="section">{t('Members ({now})', { now: format.number(now.length) })}</Text>
      <Stack gap={16}>
        {q.data.rosters.map((r) => {
          const ids = r.students.map((s) => s.id)
          const all = ids.length > 0 && ids.every((id) => now.includes(id))
          return (
            <Checkbox.Group
              key={r.divisionId}
              value={now}
              onChange={setTicked}
              label={
                <Group gap={12}>
                  <span>
                    {r.className} {r.divisionName}
                  </span>
                  {!locked && ids.length > 0 && (
                    <Button
                      variant="subtle"
                      size="compact-sm"
                      onClick={() =>
                        setTicked(all ? now.filter((x) => !ids.includes(x)) : [...new Set([...now, ...ids])])
                      }
                    >
                      {all
                        ? t('Nobody of {className} {divisionName}', {
                            className: r.className,
                            divisionName: r.divisionName,
                          })
                        : t('Everybody of {className} {divisionName}', {
                            className: r.className,
                            divisionName: r.divisionName,
                          })}
                    </Button>
                  )}
                </Group>
              }
            >
              <div className="ticks">
                {r.students.map((s) => (
                  <Checkbox
                    key={s.id}
                    value={s.id}
                    size="sm"
                    disabled={locked}
                    label={nameOf(s)}
                    description={
                      from.has(s.id) ? t('since {since}', { since: format.date(from.get(s.id)!) }) : undefined
                    }
                  />
                ))}
                {ids.length === 0 && (
                  <Text size="sm" c="dimmed">
                    {t('No students today')}
                  </Text>
                )}
              </div>
            </Checkbox.Group>
          )
        })}
        {save.error && <Trouble error={save.error} />}
        {faults.length > 1 && (
          <Text size="sm" c="red.8">
            {faults.slice(0, 5).join('. ')}
          </Text>
        )}
        {!locked && (
          <Group justify="space-between" gap={12}>
            <Checkbox
              size="sm"
              label={
                year
                  ? t('Already since the year began, {startDate}', { startDate: format.date(year.startDate) })
                  : t('Already since the year began')
              }
              checked={since === 'year'}
              disabled={!year}
              onChange={(e) => setSince(e.currentTarget.checked ? 'year' : 'today')}
            />
            <Group gap={8}>
              <Text size="sm" c="dimmed" aria-live="polite">
                {dirty ? t('Unsaved changes') : save.isSuccess ? t('Members saved') : ''}
              </Text>
              <Button variant="default" disabled={!dirty} loading={save.isPending} onClick={() => save.mutate()}>
                {t('Save members')}
              </Button>
            </Group>
          </Group>
        )}
      </Stack>
    </section>
  )
}
