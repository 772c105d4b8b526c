import { Alert, Button, Group, Menu, Stack, Tabs, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import {
  IconChevronDown,
  IconDoorExit,
  IconDots,
  IconDownload,
  IconId,
  IconPlus,
  IconPrinter,
  IconStairsUp,
  IconUpload,
  IconUsersGroup,
} from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, asProblem, call, done, download, openPaper, type Schemas } from '../../api/client'
import { wireQuery } from '../../api/list'
import { changed, useClasses, useDivisions } from '../../api/queries'
import { useMay } from '../../api/session'
import { rich, t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { Confirm, Dialog, Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { KeptOffer } from '../../patterns/kept'
import { ListPage } from '../../patterns/ListPage'
import { LateMenu } from '../../patterns/late'
import { Picture } from '../../patterns/Picture'
import { part } from '../../patterns/part'
import { DrawerHead, Facts, fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import { offerUndo } from '../../patterns/undo'
import { words } from '../../patterns/words'
import { useYear } from '../../shell/year'
import { Certificates } from './certificates'
import { ClassListDialog, IDCardsDialog } from './class-papers'
import { CustomFacts, otherDetails, useCustomColumns, useCustomLine, valuesOf } from './custom-fields'
import { Guardians } from './guardians'
import { PersonalData } from './personal-data'
import { Readmit } from './readmit'
import {
  emptyFields,
  genders,
  labels,
  StudentBasics,
  type StudentFields,
  StudentMore,
  useDivisionChoices,
  wire,
} from './student-form'

const Admission = part(() => import('./admission'), 'Admission', <Lines />)
const AttendanceTab = part(() => import('./student-day'), 'AttendanceTab', <Lines />)
const ResultsTab = part(() => import('./student-day'), 'ResultsTab', <Lines />)
const StudentGroups = part(() => import('./student-groups'), 'StudentGroups', <Lines />)
const StudentLedger = part(() => import('../fees/student-ledger'), 'StudentLedger', <Lines />)

type Detail = Schemas['StudentDetail']

const states = ['ACTIVE', 'TRANSFERRED', 'GRADUATED', 'WITHDRAWN']

function StudentStatus({ status }: { status: string }) {
  return <Status tone={status === 'ACTIVE' ? 'good' : 'off'}>{words(status)}</Status>
}

export function Students() {
  const format = useFormat()
  const may = useMay()
  const [address, setAddress] = useAddress()
  const classes = useClasses()
  const divisions = useDivisions()
  const { year } = useYear()
  const custom = useCustomColumns('STUDENT')
  const className = (id: string) => classes.data?.find((c) => c.id === id)?.name ?? ''
  const add = () => setAddress({ open: 'new', tab: undefined })
  const importer = (
    <Button
      component={Link}
      to="/students/import"
      variant="default"
      leftSection={<IconUpload size={16} stroke={1.6} />}
    >
      {t('Import')}
    </Button>
  )
  return (
    <ListPage
      path="/school-admin/student/list"
      title={t('Students')}
      noun={[t('student'), t('students')]}
      id={(s) => s.id}
      name={nameOf}
      search={t('Name, number or phone')}
      fixed={year && !year.active ? { academicYearId: year.id } : undefined}
      filters={[
        {
          key: 'classId',
          label: t('Class'),
          options: (classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
        },
        {
          key: 'divisionId',
          label: t('Division'),
          options: (divisions.data ?? [])
            .filter((d) => !address.classId || d.classId === address.classId)
            .map((d) => ({ value: d.id, label: `${className(d.classId)} ${d.name}` })),
        },
        { key: 'status', label: t('Status'), options: states.map((s) => ({ value: s, label: words(s) })) },
        { key: 'unplaced', label: t('Student'), options: [{ value: 'true', label: t('not in a class') }] },
        { key: 'gender', label: t('Gender'), options: genders },
        ...custom.filters,
      ]}
      columns={[
        { key: 'name', title: t('Name'), cell: nameOf, sort: 'firstName' },
        {
          key: 'number',
          title: t('Admission no.'),
          cell: (s) => <span className="figures">{s.admissionNumber}</span>,
          sort: 'admissionNumber',
        },
        {
          key: 'class',
          title: t('Class'),
          cell: (s) =>
            s.className ? (
              `${s.className} ${s.divisionName}`
            ) : (
              <Text span c="dimmed">
                {t('No class yet')}
              </Text>
            ),
          phone: true,
        },
        {
          key: 'roll',
          title: t('Roll'),
          cell: (s) => s.rollNumber ?? '',
          sort: 'rollNumber',
          end: true,
        },
        {
          key: 'gender',
          title: t('Gender'),
          cell: (s) => genders.find((g) => g.value === s.gender)?.label ?? '',
          hidden: true,
        },
        { key: 'born', title: t('Born'), cell: (s) => format.date(s.dateOfBirth), hidden: true },
        { key: 'phone', title: t('Phone'), cell: (s) => s.phone, hidden: true },
        { key: 'admitted', title: t('Admitted'), cell: (s) => format.date(s.admissionDate) },
        {
          key: 'status',
          title: t('Status'),
          cell: (s) => <StudentStatus status={s.status} />,
        },
        ...custom.columns,
      ]}
      csv={(q) => download('/school-admin/student/export', wireQuery(q), 'students.csv')}
      primary={
        may('student', 'write') && (
          <Button leftSection={<IconPlus size={16} />} onClick={add}>
            {t('Admit a student')}
          </Button>
        )
      }
      more={<ListMenu division={address.divisionId} />}
      empty={
        <Empty
          icon={<IconUsersGroup size={32} stroke={1.2} />}
          title={t('No students yet')}
          text={t(
            'Students, their guardians and their divisions live here. Guardians can sign in to the app as soon as they are added.',
          )}
          action={
            may('student', 'write') ? (
              <>
                <Button component={Link} to="/students/import" leftSection={<IconUpload size={16} stroke={1.6} />}>
                  {t('Import from a file')}
                </Button>
                <Button variant="default" onClick={add}>
                  {t('Admit one student')}
                </Button>
              </>
            ) : (
              importer
            )
          }
          example={t("A spreadsheet saved as CSV will do: first name, class, division, guardian's phone.")}
        />
      }
      bulk={(rows, clear) => <BulkMove rows={rows} clear={clear} />}
      drawer={(id, close) =>
        id === 'new' ? <Admission close={close} /> : <StudentDrawer id={id} close={close} key={id} />
      }
    />
  )
}

/** Files of many students, and the papers of a division. */
function ListMenu({ division }: { division?: string }) {
  const may = useMay()
  const [paper, setPaper] = useState<'list' | 'cards' | null>(null)
  return (
    <>
      <LateMenu
        position="bottom-end"
        target={
          <Button variant="default" rightSection={<IconChevronDown size={14} />}>
            {t('More')}
          </Button>
        }
      >
        {() => (
          <Menu.Dropdown>
            {may('student', 'write') && (
              <>
                <Menu.Item component={Link} to="/students/import" leftSection={<IconUpload size={16} stroke={1.6} />}>
                  {t('Import from a file')}
                </Menu.Item>
                <Menu.Item
                  component={Link}
                  to="/students/promote"
                  leftSection={<IconStairsUp size={16} stroke={1.6} />}
                >
                  {t('Promote a class')}
                </Menu.Item>
              </>
            )}
            <Menu.Label>{t('Print')}</Menu.Label>
            <Menu.Item leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => setPaper('list')}>
              {t('Class list…')}
            </Menu.Item>
            <Menu.Item leftSection={<IconId size={16} stroke={1.6} />} onClick={() => setPaper('cards')}>
              {t('ID cards…')}
            </Menu.Item>
          </Menu.Dropdown>
        )}
      </LateMenu>
      {paper === 'list' && <ClassListDialog division={division} close={() => setPaper(null)} />}
      {paper === 'cards' && <IDCardsDialog division={division} close={() => setPaper(null)} />}
    </>
  )
}

/** Moves the selected students into one division, from today on: all or nobody, after saying what will happen. */
function BulkMove({ rows, clear }: { rows: Schemas['StudentItem'][]; clear: () => void }) {
  const choices = useDivisionChoices()
  const may = useMay()
  const [to, setTo] = useState<{ value: string; label: string } | null>(null)
  const send = (divisionId: string, dryRun: boolean) =>
    call(
      api.POST('/school-admin/student/move', {
        body: { data: { divisionId, studentIds: rows.map((s) => s.id), dryRun } },
      }),
    )
  const plan = useQuery({
    queryKey: ['/school-admin/student/move', to?.value, rows.map((s) => s.id)],
    queryFn: () => send(to!.value, true),
    enabled: !!to,
    staleTime: 0,
  })
  const move = useMutation({
    mutationFn: (divisionId: string) => send(divisionId, false),
    onSuccess: (m) => {
      changed('/school-admin/student/')
      const said = t('{moved} moved to {label}', { moved: m.moved, label: to?.label })
      const from = new Set(rows.map((s) => s.divisionId))
      const [back] = from
      // Nobody's roll number is lost, and all go back to one division: the same call takes it back.
      if (from.size === 1 && back && m.rollNumbers === 0) offerUndo(said, () => send(back, false))
      else notifications.show({ message: said })
      setTo(null)
      clear()
    },
  })
  const error = move.error ?? plan.error
  const p = plan.data
  if (!may('student', 'write')) return null
  return (
    <>
      <Menu position="top">
        <Menu.Target>
          <Button variant="default" size="compact-md">
            {t('Move to…')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={320} style={{ overflow: 'auto' }}>
          {choices.map((c) => (
            <Menu.Item key={c.value} onClick={() => setTo(c)}>
              {c.label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={!!to}
        title={t('Move {moved} students?', { moved: p?.moved ?? rows.length })}
        action={t('Move')}
        busy={move.isPending || plan.isFetching}
        error={error}
        onClose={() => {
          setTo(null)
          move.reset()
        }}
        onConfirm={() => to && p && !plan.error && move.mutate(to.value)}
      >
        {p && p.alreadyThere > 0
          ? p && p.rollNumbers > 0
            ? t(
                'From today they are in {label}. Their records until then stay with the old division. {alreadyThere} are there already. {rollNumbers} lose the roll number of their old division.',
                { label: to?.label, alreadyThere: p.alreadyThere, rollNumbers: p.rollNumbers },
              )
            : t(
                'From today they are in {label}. Their records until then stay with the old division. {alreadyThere} are there already.',
                { label: to?.label, alreadyThere: p.alreadyThere },
              )
          : p && p.rollNumbers > 0
            ? t(
                'From today they are in {label}. Their records until then stay with the old division. {rollNumbers} lose the roll number of their old division.',
                { label: to?.label, rollNumbers: p.rollNumbers },
              )
            : t('From today they are in {label}. Their records until then stay with the old division.', {
                label: to?.label,
              })}
        {error &&
          asProblem(error).details.map(([field, message]) => (
            <span key={field} className="why">
              {message}
            </span>
          ))}
      </Confirm>
    </>
  )
}

const sitsSince = (s: Detail) =>
  s.enrolments.find((e) => e.divisionId === s.divisionId && !e.endDate)?.startDate ?? null

function pick(s: Detail): StudentFields {
  const out: Record<string, unknown> = {}
  for (const k of Object.keys(labels)) out[k] = s[k as keyof Detail] ?? emptyFields[k as keyof StudentFields]
  if (!out.gender) out.gender = null
  out.enrolledFrom = sitsSince(s)
  out.customFields = valuesOf(s)
  return out as unknown as StudentFields
}

function StudentDrawer({ id, close }: { id: string; close: () => void }) {
  const [address, setAddress] = useAddress()
  const tab = address.tab ?? 'details'
  const may = useMay()
  const q = useQuery({
    queryKey: ['/school-admin/student/', id],
    queryFn: () => call(api.GET('/school-admin/student/{id}', { params: { path: { id } } })),
  })
  const s = q.data
  if (!s)
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
        title={nameOf(s)}
        close={close}
        actions={<StudentActions student={s} close={close} />}
        summary={
          <Group gap={12}>
            <StudentStatus status={s.status} />
            <span>{s.className ? `${s.className} ${s.divisionName}` : t('No class yet')}</span>
            <span className="figures">{s.admissionNumber}</span>
          </Group>
        }
      >
        <Tabs value={tab} onChange={(t) => setAddress({ tab: t === 'details' ? undefined : (t ?? undefined) })} mt={12}>
          <Tabs.List>
            <Tabs.Tab value="details">{t('Details')}</Tabs.Tab>
            <Tabs.Tab value="guardians">
              {rich('Guardians {guardians}', {
                guardians: (
                  <Text span c="dimmed" inherit>
                    {s.guardians.length || ''}
                  </Text>
                ),
              })}
            </Tabs.Tab>
            <Tabs.Tab value="groups">{t('Groups')}</Tabs.Tab>
            {may('attendance', 'read') && <Tabs.Tab value="attendance">{t('Attendance')}</Tabs.Tab>}
            {may('result', 'read') && <Tabs.Tab value="results">{t('Results')}</Tabs.Tab>}
            <Tabs.Tab value="timeline">{t('Timeline')}</Tabs.Tab>
            {may('fee', 'read') && <Tabs.Tab value="ledger">{t('Ledger')}</Tabs.Tab>}
          </Tabs.List>
        </Tabs>
      </DrawerHead>
      {tab === 'ledger' && may('fee', 'read') ? (
        <div className="drawer-body">
          <StudentLedger id={id} />
        </div>
      ) : tab === 'guardians' ? (
        <div className="drawer-body">
          <Guardians student={s} />
        </div>
      ) : tab === 'groups' ? (
        <div className="drawer-body">
          <StudentGroups student={s} />
        </div>
      ) : tab === 'timeline' ? (
        <div className="drawer-body">
          <Timeline id={id} enrolments={s.enrolments} />
        </div>
      ) : tab === 'attendance' && may('attendance', 'read') ? (
        <div className="drawer-body">
          <AttendanceTab id={id} name={s.admissionNumber} />
        </div>
      ) : tab === 'results' && may('result', 'read') ? (
        <div className="drawer-body">
          <ResultsTab id={id} />
        </div>
      ) : (
        <StudentDetails student={s} />
      )}
    </>
  )
}

function StudentDetails({ student }: { student: Detail }) {
  const may = useMay()
  const format = useFormat()
  const draft = useDraft<StudentFields>(pick(student))
  const customLine = useCustomLine('STUDENT')
  const read = () => call(api.GET('/school-admin/student/{id}', { params: { path: { id: student.id } } }))
  const save = useSave({
    draft,
    labels: { ...labels, customFields: otherDetails },
    say: { customFields: customLine },
    version: student.version,
    undo: (was, before) => ('divisionId' in was ? { ...was, rollNumber: before.rollNumber } : was),
    save: (c, version) =>
      call(
        api.PUT('/school-admin/student/{id}', {
          params: { path: { id: student.id } },
          body: { data: { ...wire(c), ...(c.divisionId === null && { withoutClass: true }), version } },
        }),
      ),
    reread: async () => {
      const now = await read()
      return { ...pick(now), version: now.version }
    },
    onSaved: () => changed('/school-admin/student/'),
  })
  if (!may('student', 'write')) {
    return (
      <div className="drawer-body">
        {student.photoFileId && <Picture id={student.photoFileId} label={labels.photoFileId} purpose="PHOTO" none="" />}
        <Facts
          of={(Object.keys(labels) as (keyof typeof labels)[])
            .filter((k) => k !== 'photoFileId')
            .map((k) => [
              labels[k],
              k === 'divisionId'
                ? `${student.className} ${student.divisionName}`
                : k === 'dateOfBirth' || k === 'admissionDate' || k === 'enrolledFrom'
                  ? format.date(k === 'enrolledFrom' ? sitsSince(student) : student[k])
                  : String(student[k as keyof Detail] ?? ''),
            ])}
        />
        <CustomFacts subject="STUDENT" of={valuesOf(student)} />
      </div>
    )
  }
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <div className="drawer-body" style={{ flex: 1 }}>
        <Stack gap={16}>
          <StudentBasics draft={draft} />
          <StudentMore draft={draft} />
        </Stack>
      </div>
      <SaveBar draft={draft} {...save} submit={() => undefined} />
      {save.conflict}
    </form>
  )
}

function StudentActions({ student, close }: { student: Detail; close: () => void }) {
  const may = useMay()
  const divisions = useDivisionChoices()
  const [asking, setAsking] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const [readmitting, setReadmitting] = useState(false)
  const [privacy, setPrivacy] = useState(false)
  const [certificate, setCertificate] = useState<'bonafide' | 'fee' | null>(null)
  const print = (path: string, query: Record<string, string>, name: string) =>
    void openPaper(path, query, name).catch((e) => notifications.show({ color: 'red', message: asProblem(e).message }))
  const printCertificate = () =>
    print(
      `/school-admin/student/${student.id}/leaving-certificate`,
      { format: 'pdf' },
      `leaving-certificate-${student.admissionNumber}.pdf`,
    )
  const remove = useMutation({
    mutationFn: () => done(api.DELETE('/school-admin/student/{id}', { params: { path: { id: student.id } } })),
    onSuccess: () => {
      changed('/school-admin/student/')
      setAsking(false)
      close()
    },
  })
  return (
    <>
      {student.status === 'ACTIVE' && may('student', 'write') && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          px={6}
          aria-label={t('Mark as left…')}
          title={t('Mark as left…')}
          onClick={() => setLeaving(true)}
        >
          <IconDoorExit size={18} stroke={1.6} />
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="subtle" color="gray" size="compact-md" px={6} aria-label={t('More')}>
            <IconDots size={18} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {student.status !== 'ACTIVE' && (
            <Menu.Item leftSection={<IconDownload size={16} stroke={1.6} />} onClick={printCertificate}>
              {t('Leaving certificate')}
            </Menu.Item>
          )}
          {student.divisionId && (
            <Menu.Item
              leftSection={<IconId size={16} stroke={1.6} />}
              onClick={() => print('/school-admin/student/id-cards', { studentId: student.id }, 'id-card.pdf')}
            >
              {t('ID card')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => setCertificate('bonafide')}>
            {t('Bonafide certificate…')}
          </Menu.Item>
          {may('fee', 'read') && (
            <Menu.Item leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => setCertificate('fee')}>
              {t('Fee certificate…')}
            </Menu.Item>
          )}
          {student.status !== 'ACTIVE' && may('student', 'write') && (
            <Menu.Item onClick={() => setReadmitting(true)}>{t('Readmit…')}</Menu.Item>
          )}
          {may('permission', 'read') && <Menu.Item onClick={() => setPrivacy(true)}>{t('Personal data…')}</Menu.Item>}
          {may('student', 'delete') && (
            <Menu.Item c="red.8" onClick={() => setAsking(true)}>
              {t('Remove…')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {certificate && <Certificates kind={certificate} student={student} close={() => setCertificate(null)} />}
      {leaving && <Leaving student={student} close={() => setLeaving(false)} print={printCertificate} />}
      {readmitting && <Readmit student={student} divisions={divisions} close={() => setReadmitting(false)} />}
      {privacy && (
        <PersonalData
          kind="student"
          id={student.id}
          name={nameOf(student)}
          number={student.admissionNumber}
          here={student.status === 'ACTIVE' ? t('They can be erased once they are marked as left.') : undefined}
          close={() => setPrivacy(false)}
          erased={close}
        />
      )}
      <Confirm
        opened={asking}
        title={t('Remove {name}?', { name: nameOf(student) })}
        action={t('Remove')}
        danger
        busy={remove.isPending}
        error={remove.error}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutate()}
      >
        {t(
          'A student with records stays on file as withdrawn; one who was added by mistake is deleted. Guardians keep their accounts.',
        )}
      </Confirm>
    </>
  )
}

const ways = [
  { value: 'TRANSFERRED', label: t('Goes to another school') },
  { value: 'GRADUATED', label: t('Has finished school') },
  { value: 'WITHDRAWN', label: t('Is withdrawn') },
]

/** Lets a student leave: their place ends, and a certificate is made and shown. */
function Leaving({ student, close, print }: { student: Detail; close: () => void; print: () => void }) {
  const draft = useDraft<{ status: string; reason: string; conduct: string; leavingDate: string | null }>({
    status: 'TRANSFERRED',
    reason: '',
    conduct: '',
    leavingDate: null,
  })
  const f = fieldsOf(draft)
  const format = useFormat()
  const open = useQuery({
    queryKey: ['/school-admin/student/clearance', student.id],
    queryFn: () => call(api.GET('/school-admin/student/{id}/clearance', { params: { path: { id: student.id } } })),
  })
  const leave = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/student/{id}/transfer', {
          params: { path: { id: student.id } },
          body: { data: draft.values as Schemas['Leaving'] },
        }),
      ),
    onSuccess: () => {
      changed('/school-admin/student/')
      close()
      print()
    },
    onError: (e) => draft.setErrors(asProblem(e).fields),
  })
  return (
    <Dialog onClose={close} title={t('Mark {name} as left', { name: nameOf(student) })}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          leave.mutate()
        }}
      >
        <Stack gap={16}>
          <KeptOffer kept={draft.kept} what={t('A part of this form was')} />
          {open.data && (open.data.outstanding > 0 || open.data.loans.length > 0) && (
            <Alert color="red" variant="light" title={t('Still open')}>
              {open.data.outstanding > 0 && (
                <Text size="sm">
                  {t('Fees: {outstanding} outstanding', { outstanding: format.money(open.data.outstanding) })}
                </Text>
              )}
              {open.data.loans.map((l) => (
                <Text size="sm" key={l.accessionNumber}>
                  {t('Library: {title} ({accessionNumber}), due {dueOn}', {
                    title: l.title,
                    accessionNumber: l.accessionNumber,
                    dueOn: format.date(l.dueOn),
                  })}
                </Text>
              ))}
            </Alert>
          )}
          {open.data && open.data.outstanding <= 0 && open.data.loans.length === 0 && (
            <Text size="sm">{t('No fees outstanding and no library books out.')}</Text>
          )}
          <Trouble error={open.error} retry={() => void open.refetch()} />
          {f.choice({ k: 'status', label: t('How'), data: ways })}
          {f.text({
            k: 'reason',
            label: t('Reason'),
            description: t('As it should appear on the certificate'),
            required: true,
          })}
          {f.text({ k: 'conduct', label: t('Conduct'), placeholder: t('Good') })}
          {f.day({ k: 'leavingDate', label: t('Last day'), description: t('Leave empty for today') })}
          <Text size="sm" c="dimmed">
            {t('They leave their class, and the leaving certificate opens to be printed. The More menu has it later.')}
          </Text>
          <Trouble error={leave.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" color="red.8" loading={leave.isPending}>
              {t('Issue leaving certificate')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

function Timeline({ id, enrolments }: { id: string; enrolments: Schemas['EnrolmentView'][] }) {
  const format = useFormat()
  const q = useQuery({
    queryKey: ['/school-admin/student/timeline', id],
    queryFn: () => call(api.GET('/school-admin/student/{id}/timeline', { params: { path: { id } } })),
  })
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />
  return (
    <>
      <Text className="section" mt={0}>
        {t('Classes')}
      </Text>
      {enrolments.length === 0 ? (
        <Text c="dimmed">{t('None yet')}</Text>
      ) : (
        <Facts
          of={enrolments.map((e) => [
            e.academicYearName,
            e.rollNumber
              ? t('{className} {divisionName}, roll {rollNumber}, {startDate} – {endDate}', {
                  className: e.className,
                  divisionName: e.divisionName,
                  rollNumber: e.rollNumber,
                  startDate: format.date(e.startDate),
                  endDate: e.endDate ? format.date(e.endDate) : t('today'),
                })
              : `${e.className} ${e.divisionName}, ${format.date(e.startDate)} – ${e.endDate ? format.date(e.endDate) : 'today'}`,
          ])}
        />
      )}
      <Text className="section">{t('What happened')}</Text>
      <ul className="moments">
        {[...q.data.events].reverse().map((e, i) => (
          <li key={i}>
            <Text>{e.text}</Text>
            <Text size="sm" c="dimmed">
              {e.at ? format.dateTime(e.at) : format.date(e.date)}
            </Text>
          </li>
        ))}
      </ul>
    </>
  )
}
