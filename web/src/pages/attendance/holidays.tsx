import { Button, Input, Stack, Text } from '@mantine/core'
import { IconCalendarOff, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, call, done, type Schemas } from '../../api/client'
import { changed, useClasses } from '../../api/queries'
import { useMay } from '../../api/session'
import { ClassesAndDivisions } from '../../patterns/Audience'
import { useAddress } from '../../patterns/address'
import { useClassNames } from '../../patterns/ClassTicks'
import { useDivisionChoices } from '../../patterns/choices'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Empty } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { fieldsOf, useDraft, useSave } from '../../patterns/record'
import { Reach } from '../communication/reach'
import { RegisterTabs } from './register-tabs'
import '../../day.css'
import { t } from '../../messages/console'

export function Holidays() {
  const may = useMay()
  const format = useFormat()
  const names = useClassNames()
  const classes = useClasses()
  const [, setAddress] = useAddress()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a day off')}
    </Button>
  )
  const { choices: divisions } = useDivisionChoices()
  const whose = (h: Schemas['Holiday']) =>
    h.allClasses
      ? t('The whole school')
      : [
          h.classIds.length ? names(h.classIds, '') : '',
          ...divisions.filter((d) => h.divisionIds.includes(d.value)).map((d) => d.label),
        ]
          .filter(Boolean)
          .join(', ')
  const span = (h: Schemas['Holiday']) =>
    h.startDate === h.endDate ? format.date(h.startDate) : `${format.date(h.startDate)} – ${format.date(h.endDate)}`
  return (
    <ListPage
      path="/school-admin/attendance/holiday/list"
      title={t('Days off')}
      noun={[t('day off'), t('days off')]}
      id={(h) => h.id}
      name={(h) => h.name}
      search={t('Name')}
      above={<RegisterTabs at="holidays" />}
      filters={[
        {
          key: 'classId',
          label: t('Class'),
          options: (classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
        },
      ]}
      columns={[
        { key: 'name', title: t('Name'), cell: (h) => h.name, sort: 'name' },
        { key: 'when', title: t('When'), cell: span, sort: 'startDate', phone: true },
        { key: 'days', title: t('Days'), cell: (h) => days(h), end: true },
        { key: 'who', title: t('For'), cell: (h) => whose(h) },
      ]}
      primary={may('attendance', 'write') && add}
      empty={
        <Empty
          icon={<IconCalendarOff size={32} stroke={1.2} />}
          title={t('No days off yet')}
          text={t(
            'On a day off nothing is marked, nobody counts as absent, and parents get no notices. Weekends need no entry.',
          )}
          action={may('attendance', 'write') && add}
          example={t('For example: Diwali, 8 to 12 November; or a sports day of class 5 alone.')}
        />
      }
      drawer={(id, close) =>
        id === 'new' ? <HolidayForm close={close} /> : <HolidayDrawer id={id} close={close} key={id} />
      }
    />
  )
}

const days = (h: { startDate: string; endDate: string }) =>
  Math.round((Date.parse(h.endDate) - Date.parse(h.startDate)) / 86_400_000) + 1

function HolidayDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({
    queryKey: ['/school-admin/attendance/holiday/', id],
    queryFn: () => call(api.GET('/school-admin/attendance/holiday/{id}', { params: { path: { id } } })),
  })
  return q.data ? (
    <HolidayForm of={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

function HolidayForm({ of, close }: { of?: Schemas['Holiday']; close: () => void }) {
  const may = useMay()
  const pick = (h?: Schemas['Holiday']) => ({
    name: h?.name ?? '',
    startDate: h?.startDate ?? '',
    endDate: h && h.endDate !== h.startDate ? h.endDate : '',
    classIds: h?.classIds ?? [],
    divisionIds: h?.divisionIds ?? [],
  })
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const wire = (v: typeof draft.values) => ({
    name: v.name,
    startDate: v.startDate || (undefined as unknown as string),
    endDate: v.endDate || v.startDate || undefined,
    classIds: v.classIds,
    divisionIds: v.divisionIds,
  })
  const add = (v: typeof draft.values) =>
    call(api.POST('/school-admin/attendance/holiday/create', { body: { data: wire(v) } }))
  const save = useSave({
    draft,
    labels: { name: t('Name'), startDate: t('First day'), endDate: t('Last day') },
    version: of?.version,
    save: (_, version, v) =>
      of
        ? call(
            api.PUT('/school-admin/attendance/holiday/{id}', {
              params: { path: { id: of.id } },
              body: { data: { ...wire(v), version } },
            }),
          )
        : add(v),
    reread:
      of &&
      (async () => {
        const now = await call(api.GET('/school-admin/attendance/holiday/{id}', { params: { path: { id: of.id } } }))
        return { ...pick(now), version: now.version }
      }),
    onSaved: () => {
      changed('/school-admin/attendance/', '/school-admin/dashboard/')
      if (!of) close()
    },
  })
  return (
    <FormDrawer
      title={of?.name ?? t('Add a day off')}
      what={of?.name ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!of}
      locked={!may('attendance', 'write')}
      extra={of && <Reach recordId={of.id} version={of.version} mt={24} />}
      remove={
        of && may('attendance', 'delete')
          ? () => done(api.DELETE('/school-admin/attendance/holiday/{id}', { params: { path: { id: of.id } } }))
          : undefined
      }
      restore={() => add(pick(of))}
    >
      {f.text({ k: 'name', label: t('Name'), placeholder: t('Diwali'), required: true })}
      <div className="pair">
        {f.day({ k: 'startDate', label: t('First day'), required: true })}
        {f.day({ k: 'endDate', label: t('Last day'), description: t('Leave empty for a single day') })}
      </div>
      <Input.Wrapper
        label={t('Classes and divisions')}
        description={t('Tick none for the whole school')}
        error={draft.errors.classIds ?? draft.errors.divisionIds}
        labelElement="div"
      >
        <ClassesAndDivisions
          classIds={draft.values.classIds}
          divisionIds={draft.values.divisionIds}
          onChange={(classIds, divisionIds) => draft.setAll({ classIds, divisionIds })}
        />
      </Input.Wrapper>
      <Stack gap={4}>
        <Text size="sm" c="dimmed">
          {t('Marks that were made on such a day stay in the history and are not counted.')}
        </Text>
      </Stack>
    </FormDrawer>
  )
}
