import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlus, IconSchool } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call, done, type Schemas } from '../../api/client'
import { fetchAll } from '../../api/list'
import { changed, useClasses, useDivisions, useSubjects } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Empty, Trouble } from '../../patterns/feedback'
import { ListPage } from '../../patterns/ListPage'
import { fieldsOf, useDraft, useSave } from '../../patterns/record'
import { offerUndo } from '../../patterns/undo'
import { GenerateClasses } from './class-generator'

/* Classes, and the divisions and subjects of each. */

export function Classes() {
  const may = useMay()
  const [, setAddress] = useAddress()
  const divisions = useDivisions()
  const classes = useClasses()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a class')}
    </Button>
  )
  const [many, setMany] = useState(false)
  const of = (id: string) => (divisions.data ?? []).filter((d) => d.classId === id)
  return (
    <>
      {many && <GenerateClasses close={() => setMany(false)} />}
      <ListPage
        path="/school-admin/class/list"
        title={t('Classes')}
        noun={[t('class'), t('classes')]}
        id={(c) => c.id}
        name={(c) => c.name}
        search={t('Name or code')}
        columns={[
          { key: 'name', title: t('Name'), cell: (c) => c.name, sort: 'name' },
          {
            key: 'divisions',
            title: t('Divisions'),
            cell: (c) =>
              of(c.id)
                .map((d) => d.name)
                .join(', ') || (
                <Text span c="dimmed">
                  {t('None yet')}
                </Text>
              ),
            phone: true,
          },
          { key: 'level', title: t('Level'), cell: (c) => c.level, sort: 'level', end: true },
          {
            key: 'next',
            title: t('Next class'),
            cell: (c) => classes.data?.find((x) => x.id === c.nextClassId)?.name ?? '',
          },
          { key: 'code', title: t('Code'), cell: (c) => c.code, hidden: true },
        ]}
        primary={may('class', 'write') && add}
        more={
          <>
            <Button component={Link} to="/groups" variant="default">
              {t('Electives and groups')}
            </Button>
            {may('class', 'write') && (
              <Button variant="default" onClick={() => setMany(true)}>
                {t('Add many…')}
              </Button>
            )}
          </>
        }
        empty={
          <Empty
            icon={<IconSchool size={32} stroke={1.2} />}
            title={t('No classes yet')}
            text={t(
              'A class has divisions, and students sit in a division. Classes know which one comes next, so that promotion is one click.',
            )}
            action={
              may('class', 'write') && (
                <Button onClick={() => setMany(true)} leftSection={<IconPlus size={16} />}>
                  {t('Add many classes')}
                </Button>
              )
            }
            example={t('For example: Class 5 with divisions A and B.')}
          />
        }
        drawer={(id, close) =>
          id === 'new' ? <ClassForm close={close} /> : <ClassDrawer id={id} close={close} key={id} />
        }
      />
    </>
  )
}

function ClassDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({
    queryKey: ['/school-admin/class/', id],
    queryFn: () => call(api.GET('/school-admin/class/{id}', { params: { path: { id } } })),
  })
  return q.data ? (
    <ClassForm of={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

const classLabels = {
  name: t('Name'),
  code: t('Code'),
  level: t('Level'),
  nextClassId: t('Next class'),
  gradeScaleId: t('Grade scale'),
}

function ClassForm({ of, close }: { of?: Schemas['Class']; close: () => void }) {
  const may = useMay()
  const classes = useClasses()
  const [, setAddress] = useAddress()
  const pick = (c?: Schemas['Class']) => ({
    name: c?.name ?? '',
    code: c?.code ?? '',
    level: c?.level ?? (null as number | null),
    nextClassId: c?.nextClassId ?? null,
    gradeScaleId: c?.gradeScaleId ?? null,
  })
  const scales = useQuery({
    queryKey: ['/school-admin/exam/grade-scale/list', 'all'],
    queryFn: () => fetchAll('/school-admin/exam/grade-scale/list'),
    enabled: may('exam', 'read'),
  })
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const wire = (c: Partial<typeof draft.values>) => ({ ...c, level: c.level ?? undefined }) as Schemas['ClassChange']
  const add = (v: typeof draft.values) =>
    call(api.POST('/school-admin/class/create', { body: { data: wire(v) as Schemas['ClassFields'] } }))
  const save = useSave({
    draft,
    undo: (was) => was.level !== null && was, // a level is changed, not taken away
    labels: classLabels,
    version: of?.version,
    save: (c, version, v) =>
      of
        ? call(
            api.PUT('/school-admin/class/{id}', {
              params: { path: { id: of.id } },
              body: { data: { ...wire(c), version } },
            }),
          )
        : add(v),
    reread:
      of &&
      (async () => {
        const now = await call(api.GET('/school-admin/class/{id}', { params: { path: { id: of.id } } }))
        return { ...pick(now), version: now.version }
      }),
    onSaved: (c) => {
      changed('/school-admin/class/')
      if (!of && c) setAddress({ open: c.id })
    },
  })
  return (
    <FormDrawer
      title={of?.name ?? t('Add a class')}
      what={of?.name ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!of}
      remove={
        of && may('class', 'delete')
          ? () => done(api.DELETE('/school-admin/class/{id}', { params: { path: { id: of.id } } }))
          : undefined
      }
      restore={() => add(pick(of))}
      extra={
        of && (
          <>
            <DivisionLines of={of} />
            <ClassSubjects of={of} />
          </>
        )
      }
    >
      <div className="pair">
        {f.text({ k: 'name', label: classLabels.name, placeholder: 'Class 5', required: true })}
        {f.number({ k: 'level', label: classLabels.level, min: 0, description: t('The order of classes') })}
        {f.choice({
          k: 'nextClassId',
          label: classLabels.nextClassId,
          data: (classes.data ?? []).filter((c) => c.id !== of?.id).map((c) => ({ value: c.id, label: c.name })),
          none: t('None: students graduate'),
        })}
        {f.text({ k: 'code', label: classLabels.code })}
        {(scales.data?.length ?? 0) > 0 &&
          f.choice({
            k: 'gradeScaleId',
            label: classLabels.gradeScaleId,
            data: scales.data!.map((s) => ({ value: s.id, label: s.name })),
            none: t("The school's default scale"),
          })}
      </div>
    </FormDrawer>
  )
}

function DivisionLines({ of }: { of: Schemas['Class'] }) {
  const may = useMay()
  const divisions = useDivisions()
  const [editing, setEditing] = useState<string | null>(null)
  const mine = (divisions.data ?? []).filter((d) => d.classId === of.id)
  return (
    <section aria-label={t('Divisions')}>
      <Text className="section">{t('Divisions')}</Text>
      <Stack gap={8}>
        {mine.map((d) =>
          editing === d.id ? (
            <DivisionForm key={d.id} classId={of.id} of={d} close={() => setEditing(null)} />
          ) : (
            <Group key={d.id} className="panel" p={12} justify="space-between" wrap="nowrap">
              <div>
                <Text fw={500}>
                  {of.name} {d.name}
                </Text>
                <Text size="sm" c="dimmed">
                  {[
                    d.classTeacherName,
                    d.room && t('Room {room}', { room: d.room }),
                    d.capacity && t('{capacity} places', { capacity: d.capacity }),
                  ]
                    .filter(Boolean)
                    .join(' · ') || t('No class teacher or room yet')}
                </Text>
              </div>
              {may('division', 'write') && (
                <Button
                  variant="default"
                  size="compact-md"
                  onClick={() => setEditing(d.id)}
                  aria-label={t('Edit {name} {name2}', { name: of.name, name2: d.name })}
                >
                  {t('Edit')}
                </Button>
              )}
            </Group>
          ),
        )}
        {editing === 'new' ? (
          <DivisionForm classId={of.id} close={() => setEditing(null)} />
        ) : (
          may('division', 'write') && (
            <Group>
              <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setEditing('new')}>
                {t('Add a division')}
              </Button>
            </Group>
          )
        )}
      </Stack>
    </section>
  )
}

function DivisionForm({ classId, of, close }: { classId: string; of?: Schemas['DivisionView']; close: () => void }) {
  const may = useMay()
  const draft = useDraft({
    name: of?.name ?? '',
    room: of?.room ?? '',
    capacity: of?.capacity ?? (null as number | null),
  })
  const f = fieldsOf(draft)
  const add = (v: typeof draft.values) =>
    call(api.POST('/school-admin/division/create', { body: { data: { classId, ...v } } }))
  const save = useSave({
    draft,
    labels: { name: t('Name'), room: t('Room'), capacity: t('Places') },
    version: of?.version,
    save: (c, version, v) =>
      (of
        ? call(
            api.PUT('/school-admin/division/{id}', {
              params: { path: { id: of.id } },
              body: { data: { ...c, version } },
            }),
          )
        : add(v)) as Promise<unknown>,
    onSaved: () => {
      changed('/school-admin/division/')
      close()
    },
  })
  const gone = useMutation({
    mutationFn: () => done(api.DELETE('/school-admin/division/{id}', { params: { path: { id: of!.id } } })),
    onSuccess: () => {
      changed('/school-admin/division/')
      close()
      const { name, room, capacity } = of!
      offerUndo(t('{what} deleted', { what: name }), () => add({ name, room, capacity }))
    },
  })
  // Not a form of its own: it stands within the class's. Enter saves it all the same.
  return (
    <Stack
      gap={12}
      className="panel"
      p={12}
      onKeyDown={(e) => {
        if (e.key === 'Enter') {
          e.preventDefault()
          save.submit()
        }
      }}
    >
      <Group gap={8} grow align="flex-start">
        {f.text({ k: 'name', label: t('Name'), placeholder: 'A' })}
        {f.text({ k: 'room', label: t('Room') })}
        {f.number({ k: 'capacity', label: t('Places'), min: 1 })}
      </Group>
      <Trouble error={save.error ?? gone.error} />
      <Group gap={8} justify="flex-end">
        {of && may('division', 'delete') && (
          <Button
            variant="subtle"
            color="red"
            c="red.8"
            size="compact-md"
            me="auto"
            loading={gone.isPending}
            onClick={() => gone.mutate()}
          >
            {t('Delete')}
          </Button>
        )}
        <Button variant="default" size="compact-md" onClick={close}>
          {t('Cancel')}
        </Button>
        <Button size="compact-md" loading={save.busy} onClick={save.submit}>
          {of ? t('Save division') : t('Add division')}
        </Button>
      </Group>
    </Stack>
  )
}

function ClassSubjects({ of }: { of: Schemas['Class'] }) {
  const may = useMay()
  const q = useQuery({
    queryKey: ['/school-admin/subject/class-subjects', of.id],
    queryFn: () => call(api.GET('/school-admin/subject/class-subjects', { params: { query: { classId: of.id } } })),
    enabled: may('subject', 'read'),
  })
  const all = useSubjects()
  const write = (subjects: Schemas['ClassSubjectInput'][]) =>
    call(api.PUT('/school-admin/subject/class-subjects', { body: { data: { classId: of.id, subjects } } }))
  const put = useMutation({
    mutationFn: write,
    onSuccess: () => {
      const was = (q.data?.subjects ?? []).map(({ subjectId, weeklyPeriods }) => ({ subjectId, weeklyPeriods }))
      changed('/school-admin/subject/class-subjects')
      offerUndo(t('Subjects of {name} changed', { name: of.name }), () => write(was))
    },
  })
  if (!q.data || !all.data) return null
  const taken = new Map(q.data.subjects.map((s) => [s.subjectId, s.weeklyPeriods]))
  return (
    <section aria-label={t('Subjects')}>
      <Text className="section">{t('Subjects of the class')}</Text>
      {all.data.length === 0 ? (
        <Text c="dimmed">{t('No subjects yet.')}</Text>
      ) : (
        <Group gap={8}>
          {all.data.map((s) => (
            <button
              key={s.id}
              type="button"
              className="chip"
              data-set={taken.has(s.id) || undefined}
              aria-pressed={taken.has(s.id)}
              disabled={!may('subject', 'write') || put.isPending}
              onClick={() =>
                put.mutate(
                  taken.has(s.id)
                    ? q.data.subjects
                        .filter((x) => x.subjectId !== s.id)
                        .map((x) => ({ subjectId: x.subjectId, weeklyPeriods: x.weeklyPeriods }))
                    : [
                        ...q.data.subjects.map((x) => ({ subjectId: x.subjectId, weeklyPeriods: x.weeklyPeriods })),
                        { subjectId: s.id },
                      ],
                )
              }
            >
              {taken.has(s.id) ? '✓ ' : '+ '}
              {s.name}
            </button>
          ))}
        </Group>
      )}
      <Stack mt={8}>
        <Trouble error={put.error} />
      </Stack>
    </section>
  )
}
