import { Button, Group, Menu, Stack } from '@mantine/core'
import { IconCertificate, IconChevronDown, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { api, call, type Schemas } from '../api/client'
import { fetchAll } from '../api/list'
import { changed, useClasses } from '../api/queries'
import { useMay } from '../api/session'
import { useAddress } from '../patterns/address'
import { ClassTicks, useClassNames } from '../patterns/ClassTicks'
import { Empty, Status } from '../patterns/feedback'
import { useFormat } from '../patterns/format'
import { ListPage, SideDrawer } from '../patterns/ListPage'
import { DrawerHead, fieldsOf, SaveBar, useDraft, useSave } from '../patterns/record'
import { useYear } from '../shell/year'
import '../day.css'

export type Exam = Schemas['Exam']

export function ExamStatus({ exam }: { exam: Pick<Exam, 'status' | 'schedulePublishedAt'> }) {
  if (exam.status === 'PUBLISHED') return <Status tone="good">Results published</Status>
  if (exam.status === 'DRAFT') return <Status tone="off">No papers yet</Status>
  return exam.schedulePublishedAt ? (
    <Status tone="busy">Schedule published</Status>
  ) : (
    <Status tone="warn">Scheduled</Status>
  )
}

export function useTerms(yearId?: string) {
  return useQuery({
    queryKey: ['/school-admin/exam/term/list', 'of', yearId],
    queryFn: () => fetchAll('/school-admin/exam/term/list', { filters: yearId ? { academicYearId: yearId } : {} }),
    enabled: !!yearId,
  })
}

export function Exams() {
  const may = useMay()
  const format = useFormat()
  const navigate = useNavigate()
  const names = useClassNames()
  const classes = useClasses()
  const { year } = useYear()
  const terms = useTerms(year?.id)
  const [address, setAddress] = useAddress()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      Add an exam
    </Button>
  )
  return (
    <>
      <ListPage
        path="/school-admin/exam/list"
        title="Exams"
        noun={['exam', 'exams']}
        id={(e) => e.id}
        name={(e) => e.name}
        search="Name"
        fixed={year ? { academicYearId: year.id } : undefined}
        filters={[
          {
            key: 'status',
            label: 'State',
            options: [
              { value: 'DRAFT', label: 'no papers yet' },
              { value: 'SCHEDULED', label: 'scheduled' },
              { value: 'PUBLISHED', label: 'results published' },
            ],
          },
          {
            key: 'classId',
            label: 'Class',
            options: (classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
          },
          { key: 'termId', label: 'Term', options: (terms.data ?? []).map((t) => ({ value: t.id, label: t.name })) },
        ]}
        columns={[
          {
            key: 'name',
            title: 'Name',
            cell: (e) => (
              <Link to="/exams/$id" params={{ id: e.id } as never} className="row-name">
                {e.name}
              </Link>
            ),
            text: (e) => e.name,
            sort: 'name',
          },
          { key: 'classes', title: 'Classes', cell: (e) => names(e.classIds, '') },
          {
            key: 'when',
            title: 'When',
            cell: (e) => [e.startDate, e.endDate].filter(Boolean).map(format.date).join(' – '),
            sort: 'startDate',
            phone: true,
          },
          { key: 'papers', title: 'Papers', cell: (e) => format.number(e.paperCount), end: true },
          { key: 'term', title: 'Term', cell: (e) => terms.data?.find((t) => t.id === e.termId)?.name ?? '' },
          { key: 'weight', title: 'Weight', cell: (e) => format.number(e.weight ?? 1), end: true, hidden: true },
          {
            key: 'status',
            title: 'State',
            cell: (e) => <ExamStatus exam={e} />,
            text: (e) => e.status,
            sort: 'status',
            phone: true,
          },
        ]}
        primary={may('exam', 'write') && add}
        more={
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" rightSection={<IconChevronDown size={14} />}>
                More
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item component={Link} to="/exams/terms">
                Terms and weights
              </Menu.Item>
              <Menu.Item component={Link} to="/exams/scales">
                Grade scales
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        }
        empty={
          <Empty
            icon={<IconCertificate size={32} stroke={1.2} />}
            title={year ? `No exams in ${year.name} yet` : 'No academic year yet'}
            text="An exam has classes and papers; marks are entered per paper, graded by the class's scale, and shown to parents when you publish them."
            action={
              year ? (
                may('exam', 'write') && add
              ) : (
                <Button component={Link} to="/years" search={{ open: 'new' } as never}>
                  Add a year
                </Button>
              )
            }
            example="For example: Half-yearly, of classes 5 to 8, from 3 to 14 October."
          />
        }
      />
      <SideDrawer opened={address.open === 'new'} close={() => setAddress({ open: undefined })} label="New exam">
        {address.open === 'new' && (
          <ExamForm
            close={() => setAddress({ open: undefined })}
            onSaved={(e) => void navigate({ to: '/exams/$id', params: { id: e.id } as never })}
          />
        )}
      </SideDrawer>
    </>
  )
}

const labels = { name: 'Name', startDate: 'First day', endDate: 'Last day', termId: 'Term', weight: 'Weight' }

export function ExamForm({ of, close, onSaved }: { of?: Exam; close: () => void; onSaved: (e: Exam) => void }) {
  const { year, years } = useYear()
  const yearId = of?.academicYearId ?? year?.id
  const terms = useTerms(yearId)
  const pick = (e?: Exam) => ({
    name: e?.name ?? '',
    startDate: e?.startDate ?? null,
    endDate: e?.endDate ?? null,
    termId: e?.termId ?? null,
    weight: e?.weight ?? 1,
    classIds: e?.classIds ?? ([] as string[]),
  })
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const save = useSave({
    draft,
    labels,
    version: of?.version,
    save: (c, version) =>
      of
        ? call(
            api.PUT('/school-admin/exam/{id}', { params: { path: { id: of.id } }, body: { data: { ...c, version } } }),
          )
        : call(api.POST('/school-admin/exam/create', { body: { data: { ...draft.values, academicYearId: yearId } } })),
    reread:
      of &&
      (async () => {
        const now = await call(api.GET('/school-admin/exam/{id}', { params: { path: { id: of.id } } }))
        return { ...pick(now), version: now.version }
      }),
    onSaved: (e) => {
      changed('/school-admin/exam/')
      if (e) onSaved(e)
    },
  })
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <DrawerHead
        title={of?.name ?? 'Add an exam'}
        summary={`In ${years.find((y) => y.id === yearId)?.name ?? 'the active year'}`}
        close={close}
      />
      <div className="drawer-body" style={{ flex: 1 }}>
        <Stack gap={16}>
          {f.text({ k: 'name', label: labels.name, placeholder: 'Half-yearly', required: true })}
          <ClassTicks
            label="Classes"
            none="Who sits it: at least one"
            value={draft.values.classIds}
            error={draft.errors.classIds ?? Object.entries(draft.errors).find(([k]) => k.startsWith('classIds['))?.[1]}
            onChange={(ids) => draft.set('classIds', ids)}
          />
          <div className="pair">
            {f.day({ k: 'startDate', label: labels.startDate })}
            {f.day({ k: 'endDate', label: labels.endDate })}
            {f.choice({
              k: 'termId',
              label: labels.termId,
              data: (terms.data ?? []).map((t) => ({ value: t.id, label: t.name })),
              none: 'No term',
            })}
            {f.number({
              k: 'weight',
              label: labels.weight,
              min: 0,
              description: 'Against the other exams of its term',
            })}
          </div>
          <Group gap={4}>
            <Link to="/exams/terms" className="quiet-link">
              Terms and their weights
            </Link>
          </Group>
        </Stack>
      </div>
      <SaveBar
        draft={draft}
        {...save}
        submit={() => undefined}
        label={of ? 'Save' : 'Add'}
        always={!of}
        onCancel={of ? undefined : close}
      />
      {save.conflict}
    </form>
  )
}
