import { Button, Group, Stack, Text } from '@mantine/core'
import { IconBook2, IconPlus, IconSchool, IconStack2 } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, call, done, type Schemas } from '../api/client'
import { fetchAll } from '../api/list'
import { changed, useClasses, useDivisions, useSubjects } from '../api/queries'
import { useMay } from '../api/session'
import { useAddress } from '../patterns/address'
import { Confirm, Empty, Lines, Status, Trouble } from '../patterns/feedback'
import { useFormat, words } from '../patterns/format'
import { ListPage } from '../patterns/ListPage'
import { DrawerHead, fieldsOf, SaveBar, useDraft, useSave } from '../patterns/record'

/** A drawer around one short form: head, fields, Save, and Delete where it is allowed. */
function FormDrawer({
  title,
  close,
  draft,
  save,
  create,
  remove,
  what,
  children,
  extra,
  locked,
  summary,
}: {
  title: string
  close: () => void
  draft: { dirty: boolean; reset: () => void }
  save: { submit: () => void; busy: boolean; saved: boolean; error: unknown; conflict: ReactNode }
  create?: boolean
  remove?: () => Promise<void>
  what: string
  children: ReactNode
  extra?: ReactNode
  /** To be read only: the fields are still there, and there is no Save. */
  locked?: boolean
  summary?: ReactNode
}) {
  const [asking, setAsking] = useState(false)
  const gone = useMutation({
    mutationFn: () => remove!(),
    onSuccess: () => {
      changed('/school-admin/')
      setAsking(false)
      close()
    },
  })
  return (
    <>
      <form
        style={{ display: 'contents' }}
        onSubmit={(e) => {
          e.preventDefault()
          save.submit()
        }}
      >
        <DrawerHead
          title={title}
          summary={summary}
          close={close}
          actions={
            remove && (
              <Button variant="default" size="compact-md" onClick={() => setAsking(true)}>
                Delete…
              </Button>
            )
          }
        />
        <div className="drawer-body" style={{ flex: 1 }}>
          <fieldset className="plain" disabled={locked}>
            <Stack gap={16}>{children}</Stack>
          </fieldset>
          {extra}
        </div>
        {!locked && (
          <SaveBar
            draft={draft}
            {...save}
            submit={() => undefined}
            label={create ? 'Add' : 'Save'}
            always={create}
            onCancel={create ? close : undefined}
          />
        )}
      </form>
      {save.conflict}
      <Confirm
        opened={asking}
        title={`Delete ${what}?`}
        action="Delete"
        danger
        busy={gone.isPending}
        error={gone.error}
        onClose={() => {
          setAsking(false)
          gone.reset()
        }}
        onConfirm={() => gone.mutate()}
      >
        It is deleted only if nothing refers to it.
      </Confirm>
    </>
  )
}

function Reading({ error, retry, close }: { error: unknown; retry: () => void; close: () => void }) {
  return (
    <>
      <DrawerHead title={' '} close={close} />
      <div className="drawer-body">{error ? <Trouble error={error} retry={retry} /> : <Lines />}</div>
    </>
  )
}

/* Academic years */

export function Years() {
  const format = useFormat()
  const may = useMay()
  const [, setAddress] = useAddress()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      Add a year
    </Button>
  )
  return (
    <ListPage
      path="/school-admin/academic-year/list"
      title="Academic years"
      noun={['year', 'years']}
      id={(y) => y.id}
      name={(y) => y.name}
      columns={[
        { key: 'name', title: 'Name', cell: (y) => y.name, sort: 'name' },
        { key: 'from', title: 'From', cell: (y) => format.date(y.startDate), sort: 'startDate' },
        { key: 'to', title: 'To', cell: (y) => format.date(y.endDate) },
        {
          key: 'active',
          title: 'Status',
          cell: (y) => (y.active ? <Status tone="good">Active</Status> : <Status tone="off">Not active</Status>),
          text: (y) => (y.active ? 'Active' : ''),
          phone: true,
        },
      ]}
      primary={may('academic-year', 'write') && add}
      empty={
        <Empty
          icon={<IconStack2 size={32} stroke={1.2} />}
          title="No academic year yet"
          text="Enrolments, timetables, marks and fees belong to a year. One year is active at a time."
          action={may('academic-year', 'write') && add}
          example="For example: 2026-27, from 1 June 2026 to 31 March 2027."
        />
      }
      drawer={(id, close) =>
        id === 'new' ? <YearForm close={close} /> : <YearDrawer id={id} close={close} key={id} />
      }
    />
  )
}

function YearDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({
    queryKey: ['/school-admin/academic-year/', id],
    queryFn: () => call(api.GET('/school-admin/academic-year/{id}', { params: { path: { id } } })),
  })
  return q.data ? (
    <YearForm year={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

const yearLabels = { name: 'Name', startDate: 'First day', endDate: 'Last day' }

function YearForm({ year, close }: { year?: Schemas['AcademicYear']; close: () => void }) {
  const may = useMay()
  const [, setAddress] = useAddress()
  const pick = (y?: Schemas['AcademicYear']) => ({
    name: y?.name ?? '',
    startDate: y?.startDate ?? '',
    endDate: y?.endDate ?? '',
  })
  const draft = useDraft(pick(year))
  const f = fieldsOf(draft)
  const activate = useMutation({
    mutationFn: (id: string) =>
      call(api.POST('/school-admin/academic-year/{id}/activate', { params: { path: { id } } })),
    onSuccess: () => changed('/school-admin/'),
  })
  const [asking, setAsking] = useState(false)
  const save = useSave({
    draft,
    labels: yearLabels,
    version: year?.version,
    save: (c, version) =>
      year
        ? call(
            api.PUT('/school-admin/academic-year/{id}', {
              params: { path: { id: year.id } },
              body: { data: { ...c, version } },
            }),
          )
        : call(api.POST('/school-admin/academic-year/create', { body: { data: draft.values } })),
    reread:
      year &&
      (async () => {
        const now = await call(api.GET('/school-admin/academic-year/{id}', { params: { path: { id: year.id } } }))
        return { ...pick(now), version: now.version }
      }),
    onSaved: (y) => {
      changed('/school-admin/academic-year/')
      if (!year && y) setAddress({ open: y.id })
    },
  })
  return (
    <FormDrawer
      title={year?.name ?? 'Add an academic year'}
      what={year?.name ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!year}
      remove={
        year && !year.active && may('academic-year', 'delete')
          ? () => done(api.DELETE('/school-admin/academic-year/{id}', { params: { path: { id: year.id } } }))
          : undefined
      }
      extra={
        year &&
        (year.active ? (
          <Text mt={24}>
            <Status tone="good">This is the school's active year</Status>
          </Text>
        ) : (
          may('academic-year', 'write') && (
            <Stack mt={24} gap={8} align="flex-start">
              <Text c="dimmed">Not active. Registers, timetables and assignments go by the active year.</Text>
              <Button variant="default" onClick={() => setAsking(true)}>
                Make it the active year
              </Button>
              <Confirm
                opened={asking}
                title={`Make ${year.name} the active year?`}
                action="Make it active"
                busy={activate.isPending}
                error={activate.error}
                onClose={() => setAsking(false)}
                onConfirm={() => activate.mutate(year.id, { onSuccess: () => setAsking(false) })}
              >
                From this moment everybody at the school works in {year.name}.
              </Confirm>
            </Stack>
          )
        ))
      }
    >
      {f.text({ k: 'name', label: yearLabels.name, placeholder: '2026-27', required: true })}
      <div className="pair">
        {f.day({ k: 'startDate', label: yearLabels.startDate, required: true })}
        {f.day({ k: 'endDate', label: yearLabels.endDate, required: true })}
      </div>
    </FormDrawer>
  )
}

/* Classes and their divisions */

export function Classes() {
  const may = useMay()
  const [, setAddress] = useAddress()
  const divisions = useDivisions()
  const classes = useClasses()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      Add a class
    </Button>
  )
  const of = (id: string) => (divisions.data ?? []).filter((d) => d.classId === id)
  return (
    <ListPage
      path="/school-admin/class/list"
      title="Classes"
      noun={['class', 'classes']}
      id={(c) => c.id}
      name={(c) => c.name}
      search="Name or code"
      columns={[
        { key: 'name', title: 'Name', cell: (c) => c.name, sort: 'name' },
        {
          key: 'divisions',
          title: 'Divisions',
          cell: (c) =>
            of(c.id)
              .map((d) => d.name)
              .join(', ') || (
              <Text span c="dimmed">
                None yet
              </Text>
            ),
          text: (c) =>
            of(c.id)
              .map((d) => d.name)
              .join(' '),
          phone: true,
        },
        { key: 'level', title: 'Level', cell: (c) => c.level, text: (c) => String(c.level), sort: 'level', end: true },
        {
          key: 'next',
          title: 'Goes up to',
          cell: (c) => classes.data?.find((x) => x.id === c.nextClassId)?.name ?? '',
        },
        { key: 'code', title: 'Code', cell: (c) => c.code, hidden: true },
      ]}
      primary={may('class', 'write') && add}
      empty={
        <Empty
          icon={<IconSchool size={32} stroke={1.2} />}
          title="No classes yet"
          text="A class has divisions, and students sit in a division. Classes know which one comes next, so that promotion is one click."
          action={may('class', 'write') && add}
          example="For example: Class 5 with divisions A and B."
        />
      }
      drawer={(id, close) =>
        id === 'new' ? <ClassForm close={close} /> : <ClassDrawer id={id} close={close} key={id} />
      }
    />
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

const classLabels = { name: 'Name', code: 'Code', level: 'Level', nextClassId: 'Goes up to', gradeScaleId: 'Graded by' }

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
  const save = useSave({
    draft,
    labels: classLabels,
    version: of?.version,
    save: (c, version) =>
      of
        ? call(
            api.PUT('/school-admin/class/{id}', {
              params: { path: { id: of.id } },
              body: { data: { ...wire(c), version } },
            }),
          )
        : call(
            api.POST('/school-admin/class/create', { body: { data: wire(draft.values) as Schemas['ClassFields'] } }),
          ),
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
      title={of?.name ?? 'Add a class'}
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
        {f.number({ k: 'level', label: classLabels.level, min: 0, description: 'The order of classes' })}
        {f.choice({
          k: 'nextClassId',
          label: classLabels.nextClassId,
          data: (classes.data ?? []).filter((c) => c.id !== of?.id).map((c) => ({ value: c.id, label: c.name })),
          none: 'Nothing: they graduate',
        })}
        {f.text({ k: 'code', label: classLabels.code })}
        {(scales.data?.length ?? 0) > 0 &&
          f.choice({
            k: 'gradeScaleId',
            label: classLabels.gradeScaleId,
            data: scales.data!.map((s) => ({ value: s.id, label: s.name })),
            none: "The school's default scale",
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
    <section aria-label="Divisions">
      <Text className="section">Divisions</Text>
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
                  {[d.classTeacherName, d.room && `Room ${d.room}`, d.capacity && `${d.capacity} places`]
                    .filter(Boolean)
                    .join(' · ') || 'No class teacher or room yet'}
                </Text>
              </div>
              {may('division', 'write') && (
                <Button
                  variant="default"
                  size="compact-md"
                  onClick={() => setEditing(d.id)}
                  aria-label={`Edit ${of.name} ${d.name}`}
                >
                  Edit
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
                Add a division
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
  const save = useSave({
    draft,
    labels: {},
    version: of?.version,
    save: (c, version) =>
      (of
        ? call(
            api.PUT('/school-admin/division/{id}', {
              params: { path: { id: of.id } },
              body: { data: { ...c, version } },
            }),
          )
        : call(
            api.POST('/school-admin/division/create', { body: { data: { classId, ...draft.values } } }),
          )) as Promise<unknown>,
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
        {f.text({ k: 'name', label: 'Name', placeholder: 'A' })}
        {f.text({ k: 'room', label: 'Room' })}
        {f.number({ k: 'capacity', label: 'Places', min: 1 })}
      </Group>
      <Trouble error={save.error ?? gone.error} />
      <Group gap={8} justify="flex-end">
        {of && may('division', 'delete') && (
          <Button
            variant="subtle"
            color="red"
            c="red.8"
            size="compact-md"
            mr="auto"
            loading={gone.isPending}
            onClick={() => gone.mutate()}
          >
            Delete
          </Button>
        )}
        <Button variant="default" size="compact-md" onClick={close}>
          Cancel
        </Button>
        <Button size="compact-md" loading={save.busy} onClick={save.submit}>
          {of ? 'Save division' : 'Add division'}
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
  const put = useMutation({
    mutationFn: (subjects: Schemas['ClassSubjectInput'][]) =>
      call(api.PUT('/school-admin/subject/class-subjects', { body: { data: { classId: of.id, subjects } } })),
    onSuccess: () => changed('/school-admin/subject/class-subjects'),
  })
  if (!q.data || !all.data) return null
  const taken = new Map(q.data.subjects.map((s) => [s.subjectId, s.weeklyPeriods]))
  return (
    <section aria-label="Subjects">
      <Text className="section">Subjects of the class</Text>
      {all.data.length === 0 ? (
        <Text c="dimmed">No subjects yet.</Text>
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

/* Subjects */

const subjectTypes = ['CORE', 'ELECTIVE', 'CO_SCHOLASTIC'].map((value) => ({ value, label: words(value) }))
const subjectLabels = { name: 'Name', code: 'Code', type: 'Kind', maxMarks: 'Full marks', passMarks: 'Marks to pass' }

export function Subjects() {
  const may = useMay()
  const [, setAddress] = useAddress()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      Add a subject
    </Button>
  )
  return (
    <ListPage
      path="/school-admin/subject/list"
      title="Subjects"
      noun={['subject', 'subjects']}
      id={(s) => s.id}
      name={(s) => s.name}
      search="Name or code"
      filters={[{ key: 'type', label: 'Kind', options: subjectTypes }]}
      columns={[
        { key: 'name', title: 'Name', cell: (s) => s.name, sort: 'name' },
        { key: 'code', title: 'Code', cell: (s) => s.code, sort: 'code', phone: true },
        { key: 'type', title: 'Kind', cell: (s) => words(s.type) },
        {
          key: 'max',
          title: 'Full marks',
          cell: (s) => s.maxMarks ?? '',
          text: (s) => String(s.maxMarks ?? ''),
          end: true,
        },
        {
          key: 'pass',
          title: 'To pass',
          cell: (s) => s.passMarks ?? '',
          text: (s) => String(s.passMarks ?? ''),
          end: true,
        },
      ]}
      primary={may('subject', 'write') && add}
      empty={
        <Empty
          icon={<IconBook2 size={32} stroke={1.2} />}
          title="No subjects yet"
          text="What is taught. A class takes some of them, and a lesson in the timetable is one."
          action={may('subject', 'write') && add}
          example="For example: Mathematics, code MATH, 100 marks, 35 to pass."
        />
      }
      drawer={(id, close) =>
        id === 'new' ? <SubjectForm close={close} /> : <SubjectDrawer id={id} close={close} key={id} />
      }
    />
  )
}

function SubjectDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({
    queryKey: ['/school-admin/subject/', id],
    queryFn: () => call(api.GET('/school-admin/subject/{id}', { params: { path: { id } } })),
  })
  return q.data ? (
    <SubjectForm of={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

function SubjectForm({ of, close }: { of?: Schemas['Subject']; close: () => void }) {
  const may = useMay()
  const pick = (s?: Schemas['Subject']) => ({
    name: s?.name ?? '',
    code: s?.code ?? '',
    type: (s?.type ?? 'CORE') as string,
    maxMarks: s?.maxMarks ?? null,
    passMarks: s?.passMarks ?? null,
  })
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const save = useSave({
    draft,
    labels: subjectLabels,
    version: of?.version,
    save: (c, version) =>
      of
        ? call(
            api.PUT('/school-admin/subject/{id}', {
              params: { path: { id: of.id } },
              body: { data: { ...(c as Schemas['SubjectChange']), version } },
            }),
          )
        : call(api.POST('/school-admin/subject/create', { body: { data: draft.values as Schemas['SubjectFields'] } })),
    reread:
      of &&
      (async () => {
        const now = await call(api.GET('/school-admin/subject/{id}', { params: { path: { id: of.id } } }))
        return { ...pick(now), version: now.version }
      }),
    onSaved: () => {
      changed('/school-admin/subject/')
      if (!of) close()
    },
  })
  return (
    <FormDrawer
      title={of?.name ?? 'Add a subject'}
      what={of?.name ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!of}
      remove={
        of && may('subject', 'delete')
          ? () => done(api.DELETE('/school-admin/subject/{id}', { params: { path: { id: of.id } } }))
          : undefined
      }
    >
      <div className="pair">
        {f.text({ k: 'name', label: subjectLabels.name, required: true })}
        {f.text({ k: 'code', label: subjectLabels.code, required: true })}
        {f.choice({ k: 'type', label: subjectLabels.type, data: subjectTypes })}
        <span />
        {f.number({ k: 'maxMarks', label: subjectLabels.maxMarks, min: 1 })}
        {f.number({ k: 'passMarks', label: subjectLabels.passMarks, min: 0 })}
      </div>
    </FormDrawer>
  )
}

export { FormDrawer, Reading }
