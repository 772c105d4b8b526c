import { ActionIcon, Button, Group, Menu, NativeSelect, Stack, Switch, Tabs, Text } from '@mantine/core'
import { IconDots, IconId, IconPlus, IconTrash, IconUpload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call, done, download, type Schemas } from '../../api/client'
import { fetchAll, wireQuery } from '../../api/list'
import { changed, useClasses, useDivisions, useSubjects } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { Confirm, Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { PaperDialog, PerPage } from '../../patterns/PaperDialog'
import { DrawerHead, fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import { offerUndo } from '../../patterns/undo'
import { words } from '../../patterns/words'
import { useYear } from '../../shell/year'
import { Suppressed } from '../communication/suppressed'
import { CustomPart, type CustomValues, otherDetails, useCustomColumns, useCustomLine, valuesOf } from './custom-fields'
import { PersonalData } from './personal-data'
import { Photo } from './photo'

type Detail = Schemas['EmployeeDetail']
const types = [
  { value: 'TEACHER', label: t('Teacher') },
  { value: 'DRIVER', label: t('Driver') },
  { value: 'ADMIN', label: t('Office') },
  { value: 'SUPPORT', label: t('Support') },
]
const typeWord = (t: string) => types.find((x) => x.value === t)?.label ?? words(t)

export function Employees() {
  const may = useMay()
  const format = useFormat()
  const [address, setAddress] = useAddress()
  const custom = useCustomColumns('EMPLOYEE')
  const add = () => setAddress({ open: 'new', tab: undefined })
  const importer = (
    <Button
      component={Link}
      to="/employees/import"
      variant="default"
      leftSection={<IconUpload size={16} stroke={1.6} />}
    >
      {t('Import')}
    </Button>
  )
  return (
    <ListPage
      path="/school-admin/employee/list"
      title={t('Employees')}
      noun={[t('employee'), t('employees')]}
      id={(e) => e.id}
      name={nameOf}
      search={t('Name, code or phone')}
      filters={[
        { key: 'employeeType', label: t('Staff type'), options: types },
        {
          key: 'status',
          label: t('Status'),
          options: [
            { value: 'ACTIVE', label: t('Active') },
            { value: 'INACTIVE', label: t('Inactive') },
          ],
        },
        ...custom.filters,
      ]}
      columns={[
        { key: 'name', title: t('Name'), cell: nameOf, sort: 'firstName' },
        {
          key: 'code',
          title: t('Code'),
          cell: (e) => <span className="figures">{e.employeeCode}</span>,
          sort: 'employeeCode',
        },
        { key: 'type', title: t('Staff type'), cell: (e) => typeWord(e.employeeType), phone: true },
        { key: 'designation', title: t('Designation'), cell: (e) => e.designation },
        { key: 'department', title: t('Department'), cell: (e) => e.department, hidden: true },
        { key: 'phone', title: t('Phone'), cell: (e) => <span className="figures">{e.phone}</span> },
        { key: 'email', title: t('E-mail'), cell: (e) => e.email, hidden: true },
        { key: 'joined', title: t('Joined'), cell: (e) => format.date(e.joiningDate), sort: 'joiningDate' },
        {
          key: 'status',
          title: t('Status'),
          cell: (e) => <Status tone={e.status === 'ACTIVE' ? 'good' : 'off'}>{words(e.status)}</Status>,
        },
        ...custom.columns,
      ]}
      csv={(q) => download('/school-admin/employee/export', wireQuery(q), 'employees.csv')}
      primary={
        may('employee', 'write') && (
          <Button leftSection={<IconPlus size={16} />} onClick={add}>
            {t('Add an employee')}
          </Button>
        )
      }
      more={
        <>
          <StaffCards type={address.employeeType} />
          {may('employee', 'write') && importer}
        </>
      }
      empty={
        <Empty
          icon={<IconId size={32} stroke={1.2} />}
          title={t('No employees yet')}
          text={t(
            'Teachers, drivers, office and support staff. Each can sign in with their phone at once; teachers see the divisions they are assigned to.',
          )}
          action={
            may('employee', 'write') && (
              <>
                <Button onClick={add}>{t('Add an employee')}</Button>
                {importer}
              </>
            )
          }
          example={t('For example: Ravi Menon, teacher, +91 98765 43211.')}
        />
      }
      drawer={(id, close) =>
        id === 'new' ? <NewEmployee close={close} /> : <EmployeeDrawer id={id} close={close} key={id} />
      }
    />
  )
}

/** The ID cards of those who work here. */
function StaffCards({ type: first }: { type?: string }) {
  const [open, setOpen] = useState(false)
  const [type, setType] = useState(first ?? '')
  const [perPage, setPerPage] = useState('8')
  return (
    <>
      <Button variant="default" leftSection={<IconId size={16} stroke={1.6} />} onClick={() => setOpen(true)}>
        {t('ID cards')}
      </Button>
      {open && (
        <PaperDialog
          title={t('Print ID cards')}
          close={() => setOpen(false)}
          paper={() => [
            '/school-admin/employee/id-cards',
            { perPage, ...(type && { employeeType: type }) },
            'staff-id-cards.pdf',
          ]}
        >
          <NativeSelect
            label={t('Staff type')}
            value={type}
            onChange={(e) => setType(e.currentTarget.value)}
            data={[{ value: '', label: t('Everybody') }, ...types]}
          />
          <PerPage value={perPage} onChange={setPerPage} />
        </PaperDialog>
      )}
    </>
  )
}

const labels = {
  firstName: t('First name'),
  lastName: t('Last name'),
  employeeType: t('Staff type'),
  roleId: t('Role'),
  employeeCode: t('Code'),
  phone: t('Phone'),
  email: t('E-mail'),
  department: t('Department'),
  designation: t('Designation'),
  qualification: t('Qualification'),
  joiningDate: t('Joined on'),
  leavingDate: t('Last day'),
  licenceNumber: t('Driving licence'),
  licenceExpiryDate: t('Licence valid until'),
  photoFileId: t('Photo'),
} as const
type Fields = { [K in keyof typeof labels]: string | null } & { customFields: CustomValues }
const blank: Fields = {
  firstName: '',
  lastName: '',
  employeeType: 'TEACHER',
  roleId: null,
  employeeCode: '',
  phone: '',
  email: '',
  department: '',
  designation: '',
  qualification: '',
  joiningDate: null,
  leavingDate: null,
  licenceNumber: '',
  licenceExpiryDate: null,
  photoFileId: null,
  customFields: {},
}

function pick(e: Detail): Fields {
  const own = Object.keys(labels).map((k) => [k, e[k as keyof Detail] ?? blank[k as keyof Fields]])
  return { ...Object.fromEntries(own), customFields: valuesOf(e) } as Fields
}

function Form({ draft, create }: { draft: ReturnType<typeof useDraft<Fields>>; create?: boolean }) {
  const may = useMay()
  const f = fieldsOf(draft)
  const roles = useQuery({
    queryKey: ['/school-admin/permission/role/list', 'all'],
    queryFn: () => fetchAll('/school-admin/permission/role/list'),
    enabled: may('permission', 'read'),
  })
  const kind = { TEACHER: 'TEACHER', DRIVER: 'DRIVER', ADMIN: 'SCHOOL_ADMIN' }[draft.values.employeeType ?? '']
  const choices = (roles.data ?? []).filter((r) => r.type === kind)
  return (
    <Stack gap={16}>
      <Photo draft={draft} />
      <div className="pair">
        {f.text({ k: 'firstName', label: labels.firstName, required: true })}
        {f.text({ k: 'lastName', label: labels.lastName })}
        {f.choice({ k: 'employeeType', label: labels.employeeType, data: types })}
        {choices.length > 1
          ? f.choice({
              k: 'roleId',
              label: labels.roleId,
              data: choices.map((r) => ({ value: r.id, label: r.name })),
              none: create ? t('Default for this type') : undefined,
            })
          : f.text({
              k: 'employeeCode',
              label: labels.employeeCode,
              placeholder: create ? t('Automatic') : undefined,
            })}
        {f.text({
          k: 'phone',
          label: labels.phone,
          required: true,
          inputMode: 'tel',
          description: t('Used to sign in'),
        })}
        {f.text({
          k: 'email',
          label: labels.email,
          inputMode: 'email',
          description: draft.values.employeeType === 'ADMIN' ? t('Used to sign in here') : undefined,
        })}
        {choices.length > 1 &&
          f.text({
            k: 'employeeCode',
            label: labels.employeeCode,
            placeholder: create ? t('Automatic') : undefined,
          })}
        {f.text({ k: 'designation', label: labels.designation })}
        {f.text({ k: 'department', label: labels.department })}
        {f.text({ k: 'qualification', label: labels.qualification })}
        {f.day({ k: 'joiningDate', label: labels.joiningDate })}
        {!create && f.day({ k: 'leavingDate', label: labels.leavingDate })}
      </div>
      {draft.values.employeeType === 'DRIVER' && (
        <div className="pair">
          {f.text({ k: 'licenceNumber', label: labels.licenceNumber })}
          {f.day({ k: 'licenceExpiryDate', label: labels.licenceExpiryDate })}
        </div>
      )}
      <CustomPart draft={draft} subject="EMPLOYEE" heading />
    </Stack>
  )
}

function NewEmployee({ close }: { close: () => void }) {
  const [, setAddress] = useAddress()
  const draft = useDraft<Fields>(blank)
  const save = useSave({
    draft,
    labels,
    save: () =>
      call(api.POST('/school-admin/employee/create', { body: { data: draft.values as Schemas['EmployeeInput'] } })),
    onSaved: (e) => {
      changed('/school-admin/employee/')
      setAddress({ open: e.id, tab: e.employeeType === 'TEACHER' ? 'assignments' : undefined })
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
      <DrawerHead title={t('Add an employee')} close={close} />
      <div className="drawer-body" style={{ flex: 1 }}>
        <Form draft={draft} create />
      </div>
      <SaveBar draft={draft} {...save} submit={() => undefined} label={t('Add')} always onCancel={close} />
    </form>
  )
}

function EmployeeDrawer({ id, close }: { id: string; close: () => void }) {
  const [address, setAddress] = useAddress()
  const q = useQuery({
    queryKey: ['/school-admin/employee/', id],
    queryFn: () => call(api.GET('/school-admin/employee/{id}', { params: { path: { id } } })),
  })
  const e = q.data
  if (!e)
    return (
      <>
        <DrawerHead title={' '} close={close} />
        <div className="drawer-body">
          {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}
        </div>
      </>
    )
  const tab = e.employeeType === 'TEACHER' ? (address.tab ?? 'details') : 'details'
  return (
    <>
      <DrawerHead
        title={nameOf(e)}
        close={close}
        actions={<Actions employee={e} close={close} />}
        summary={
          <Group gap={12}>
            <Status tone={e.status === 'ACTIVE' ? 'good' : 'off'}>{words(e.status)}</Status>
            <span>{typeWord(e.employeeType)}</span>
            {e.roleName && e.roleName !== typeWord(e.employeeType) && <span>{e.roleName}</span>}
            <span className="figures">{e.employeeCode}</span>
          </Group>
        }
      >
        {e.employeeType === 'TEACHER' && (
          <Tabs
            value={tab}
            onChange={(t) => setAddress({ tab: t === 'details' ? undefined : (t ?? undefined) })}
            mt={12}
          >
            <Tabs.List>
              <Tabs.Tab value="details">{t('Details')}</Tabs.Tab>
              <Tabs.Tab value="assignments">{t('Assignments')}</Tabs.Tab>
            </Tabs.List>
          </Tabs>
        )}
      </DrawerHead>
      {tab === 'assignments' ? <Assignments id={id} /> : <Details employee={e} />}
    </>
  )
}

function Details({ employee }: { employee: Detail }) {
  const draft = useDraft<Fields>(pick(employee))
  const customLine = useCustomLine('EMPLOYEE')
  const save = useSave({
    draft,
    labels: { ...labels, customFields: otherDetails },
    say: { customFields: customLine },
    version: employee.version,
    save: (c, version) =>
      call(
        api.PUT('/school-admin/employee/{id}', {
          params: { path: { id: employee.id } },
          body: { data: { ...(c as Schemas['EmployeeChange']), version } },
        }),
      ),
    reread: async () => {
      const now = await call(api.GET('/school-admin/employee/{id}', { params: { path: { id: employee.id } } }))
      return { ...pick(now), version: now.version }
    },
    onSaved: () => changed('/school-admin/employee/'),
  })
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <div className="drawer-body" style={{ flex: 1 }}>
        <Form draft={draft} />
        {employee.userId && <Suppressed userId={employee.userId} />}
      </div>
      <SaveBar draft={draft} {...save} submit={() => undefined} />
      {save.conflict}
    </form>
  )
}

function Actions({ employee, close }: { employee: Detail; close: () => void }) {
  const may = useMay()
  const [asking, setAsking] = useState(false)
  const activate = (version?: number) =>
    call(
      api.PUT('/school-admin/employee/{id}', {
        params: { path: { id: employee.id } },
        body: { data: { status: 'ACTIVE', version } },
      }),
    )
  const off = useMutation({
    mutationFn: () => done(api.DELETE('/school-admin/employee/{id}', { params: { path: { id: employee.id } } })),
    onSuccess: () => {
      changed('/school-admin/employee/')
      setAsking(false)
      close()
      offerUndo(t('{name} is deactivated', { name: nameOf(employee) }), () => activate())
    },
  })
  const on = useMutation({
    mutationFn: () => activate(employee.version),
    onSuccess: () => changed('/school-admin/employee/'),
  })
  const [privacy, setPrivacy] = useState(false)
  const active = employee.status === 'ACTIVE'
  const maySwitch = active ? may('employee', 'delete') : may('employee', 'write')
  if (!maySwitch && !may('permission', 'read')) return null
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="subtle" color="gray" size="compact-md" px={6} aria-label={t('More')}>
            <IconDots size={18} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {may('permission', 'read') && <Menu.Item onClick={() => setPrivacy(true)}>{t('Personal data…')}</Menu.Item>}
          {maySwitch && active && (
            <Menu.Item c="red.8" onClick={() => setAsking(true)}>
              {t('Deactivate…')}
            </Menu.Item>
          )}
          {maySwitch && !active && <Menu.Item onClick={() => on.mutate()}>{t('Activate again')}</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {privacy && (
        <PersonalData
          kind="employee"
          id={employee.id}
          name={nameOf(employee)}
          number={employee.employeeCode}
          here={active ? t('They can be erased once they are deactivated.') : undefined}
          close={() => setPrivacy(false)}
          erased={close}
        />
      )}
      <Confirm
        opened={asking}
        title={t('Deactivate {name}?', { name: nameOf(employee) })}
        action={t('Deactivate')}
        danger
        busy={off.isPending}
        error={off.error}
        onClose={() => setAsking(false)}
        onConfirm={() => off.mutate()}
      >
        {t(
          'They are signed out at once and cannot sign in again. What they did stays, and you can activate them again.',
        )}
      </Confirm>
    </>
  )
}

type Line = { classId: string; divisionId: string | null; subjectId: string | null; isClassTeacher: boolean }

/** What a teacher teaches this year: it decides what they see and may mark. */
function Assignments({ id }: { id: string }) {
  const { year } = useYear()
  const academicYearId = year?.id
  const q = useQuery({
    queryKey: ['/school-admin/employee/assignments', id, academicYearId],
    queryFn: () =>
      call(api.GET('/school-admin/employee/{id}/assignments', { params: { path: { id }, query: { academicYearId } } })),
    enabled: !!academicYearId,
  })
  if (!year)
    return (
      <div className="drawer-body">
        <Empty
          title={t('No academic year yet')}
          text={t('Assignments belong to a year.')}
          action={
            <Button component={Link} to="/years" search={{ open: 'new' } as never}>
              {t('Add a year')}
            </Button>
          }
        />
      </div>
    )
  if (!q.data)
    return (
      <div className="drawer-body">
        {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}
      </div>
    )
  return (
    <AssignmentForm
      id={id}
      yearId={year.id}
      yearName={year.name}
      lines={q.data.assignments.map((a) => ({
        classId: a.classId,
        divisionId: a.divisionId,
        subjectId: a.subjectId,
        isClassTeacher: a.isClassTeacher,
      }))}
    />
  )
}

function AssignmentForm({
  id,
  yearId,
  yearName,
  lines,
}: {
  id: string
  yearId: string
  yearName: string
  lines: Line[]
}) {
  const classes = useClasses()
  const divisions = useDivisions()
  const subjects = useSubjects()
  const draft = useDraft<{ assignments: Line[] }>({ assignments: lines })
  const list = draft.values.assignments
  const save = useSave({
    draft,
    labels: {},
    undo: (was) => was,
    save: (_, __, { assignments }) =>
      call(
        api.PUT('/school-admin/employee/{id}/assignments', {
          params: { path: { id } },
          body: { data: { academicYearId: yearId, assignments } },
        }),
      ),
    onSaved: () => changed('/school-admin/employee/', '/school-admin/division/'),
  })
  const set = (i: number, c: Partial<Line>) =>
    draft.set(
      'assignments',
      list.map((l, j) => (j === i ? { ...l, ...c } : l)),
    )
  const wrong = (i: number, f: string) => draft.errors[`assignments[${i}].${f}`]
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <div className="drawer-body" style={{ flex: 1 }}>
        <Text c="dimmed" mb={16}>
          {t(
            'In {yearName}. A line without a division counts for the whole class, one without a subject for all subjects.',
            { yearName },
          )}
        </Text>
        <Stack gap={12}>
          {list.map((l, i) => (
            <Stack key={i} gap={8} className="panel" p={12}>
              <div className="triple">
                <NativeSelect
                  aria-label={t('Class')}
                  value={l.classId}
                  error={wrong(i, 'classId')}
                  data={[
                    { value: '', label: t('Class') },
                    ...(classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
                  ]}
                  onChange={(e) => set(i, { classId: e.currentTarget.value, divisionId: null })}
                />
                <NativeSelect
                  aria-label={t('Division')}
                  value={l.divisionId ?? ''}
                  error={wrong(i, 'divisionId')}
                  data={[
                    { value: '', label: t('All divisions') },
                    ...(divisions.data ?? [])
                      .filter((d) => d.classId === l.classId)
                      .map((d) => ({ value: d.id, label: d.name })),
                  ]}
                  onChange={(e) => set(i, { divisionId: e.currentTarget.value || null })}
                />
                <NativeSelect
                  aria-label={t('Subject')}
                  value={l.subjectId ?? ''}
                  error={wrong(i, 'subjectId')}
                  data={[
                    { value: '', label: t('All subjects') },
                    ...(subjects.data ?? []).map((s) => ({ value: s.id, label: s.name })),
                  ]}
                  onChange={(e) => set(i, { subjectId: e.currentTarget.value || null })}
                />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={36}
                  aria-label={t('Remove this line')}
                  onClick={() =>
                    draft.set(
                      'assignments',
                      list.filter((_, j) => j !== i),
                    )
                  }
                >
                  <IconTrash size={16} stroke={1.6} />
                </ActionIcon>
              </div>
              <Switch
                size="sm"
                label={t('Class teacher')}
                checked={l.isClassTeacher}
                error={wrong(i, 'isClassTeacher')}
                onChange={(e) => set(i, { isClassTeacher: e.currentTarget.checked })}
              />
            </Stack>
          ))}
          {list.length === 0 && <Text>{t('Nothing yet: they see no division.')}</Text>}
          <Group>
            <Button
              variant="default"
              leftSection={<IconPlus size={16} />}
              onClick={() =>
                draft.set('assignments', [
                  ...list,
                  { classId: classes.data?.[0]?.id ?? '', divisionId: null, subjectId: null, isClassTeacher: false },
                ])
              }
            >
              {t('Add a line')}
            </Button>
          </Group>
        </Stack>
      </div>
      <SaveBar draft={draft} {...save} submit={() => undefined} />
    </form>
  )
}
