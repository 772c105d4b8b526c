import { Button, Stack, Text } from '@mantine/core'
import { IconPlus, IconStack2 } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call, done, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Confirm, Empty, Status } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { fieldsOf, useDraft, useSave } from '../../patterns/record'

export function Years() {
  const format = useFormat()
  const may = useMay()
  const [, setAddress] = useAddress()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a year')}
    </Button>
  )
  return (
    <ListPage
      path="/school-admin/academic-year/list"
      title={t('Academic years')}
      noun={[t('year'), t('years')]}
      id={(y) => y.id}
      name={(y) => y.name}
      columns={[
        { key: 'name', title: t('Name'), cell: (y) => y.name, sort: 'name' },
        { key: 'from', title: t('From'), cell: (y) => format.date(y.startDate), sort: 'startDate' },
        { key: 'to', title: t('To'), cell: (y) => format.date(y.endDate) },
        {
          key: 'active',
          title: t('Status'),
          cell: (y) =>
            y.active ? <Status tone="good">{t('Active')}</Status> : <Status tone="off">{t('Not active')}</Status>,
          phone: true,
        },
      ]}
      more={
        <Button component={Link} to="/years/plan" variant="default">
          {t('Turn of the year')}
        </Button>
      }
      primary={may('academic-year', 'write') && add}
      empty={
        <Empty
          icon={<IconStack2 size={32} stroke={1.2} />}
          title={t('No academic year yet')}
          text={t('Enrolments, timetables, marks and fees belong to a year. One year is active at a time.')}
          action={may('academic-year', 'write') && add}
          example={t('For example: 2026-27, from 1 June 2026 to 31 March 2027.')}
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

const yearLabels = { name: t('Name'), startDate: t('First day'), endDate: t('Last day') }

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
      title={year?.name ?? t('Add an academic year')}
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
            <Status tone="good">{t("This is the school's active year")}</Status>
          </Text>
        ) : (
          may('academic-year', 'write') && (
            <Stack mt={24} gap={8} align="flex-start">
              <Text c="dimmed">{t('Not active. Registers, timetables and assignments go by the active year.')}</Text>
              <Button variant="default" onClick={() => setAsking(true)}>
                {t('Make it the active year')}
              </Button>
              <Confirm
                opened={asking}
                title={t('Make {name} the active year?', { name: year.name })}
                action={t('Make it active')}
                busy={activate.isPending}
                error={activate.error}
                onClose={() => setAsking(false)}
                onConfirm={() => activate.mutate(year.id, { onSuccess: () => setAsking(false) })}
              >
                {t('From this moment everybody at the school works in {name}.', { name: year.name })}
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
