import { Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call, type Schemas } from '../../api/client'
import { fetchAll } from '../../api/list'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { ClassTicks } from '../../patterns/ClassTicks'
import { Status } from '../../patterns/feedback'
import { DrawerHead, fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import { useYear } from '../../shell/year'

export type Exam = Schemas['Exam']

export function ExamStatus({ exam }: { exam: Pick<Exam, 'status' | 'schedulePublishedAt'> }) {
  if (exam.status === 'PUBLISHED') return <Status tone="good">{t('Results published')}</Status>
  if (exam.status === 'DRAFT') return <Status tone="off">{t('No papers yet')}</Status>
  return exam.schedulePublishedAt ? (
    <Status tone="busy">{t('Schedule published')}</Status>
  ) : (
    <Status tone="warn">{t('Scheduled')}</Status>
  )
}

export function useTerms(yearId?: string) {
  return useQuery({
    queryKey: ['/school-admin/exam/term/list', 'of', yearId],
    queryFn: () => fetchAll('/school-admin/exam/term/list', { filters: yearId ? { academicYearId: yearId } : {} }),
    enabled: !!yearId,
  })
}

const labels = {
  name: t('Name'),
  startDate: t('First day'),
  endDate: t('Last day'),
  termId: t('Term'),
  weight: t('Weight'),
}

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
        title={of?.name ?? t('Add an exam')}
        summary={t('In {name}', { name: years.find((y) => y.id === yearId)?.name ?? t('the active year') })}
        close={close}
      />
      <div className="drawer-body" style={{ flex: 1 }}>
        <Stack gap={16}>
          {f.text({ k: 'name', label: labels.name, placeholder: t('Half-yearly'), required: true })}
          <ClassTicks
            label={t('Classes')}
            none={t('Choose at least one')}
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
              none: t('No term'),
            })}
            {f.number({
              k: 'weight',
              label: labels.weight,
              min: 0,
              description: t('Against the other exams of its term'),
            })}
          </div>
          <Group gap={4}>
            <Link to="/exams/terms" className="quiet-link">
              {t('Terms and their weights')}
            </Link>
          </Group>
        </Stack>
      </div>
      <SaveBar
        draft={draft}
        {...save}
        submit={() => undefined}
        label={of ? t('Save') : t('Add')}
        always={!of}
        onCancel={of ? undefined : close}
      />
      {save.conflict}
    </form>
  )
}
