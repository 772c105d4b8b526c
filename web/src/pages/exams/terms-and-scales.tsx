import { ActionIcon, Button, Checkbox, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { IconCalendarStats, IconPlus, IconRuler2, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call, done, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { useAddress } from '../../patterns/address'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Empty, Status } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { fieldsOf, useDraft, useSave } from '../../patterns/record'
import { useYear } from '../../shell/year'
import '../../day.css'
import { t } from '../../messages/console'

/* Terms */

export function Terms() {
  const may = useMay()
  const format = useFormat()
  const { year } = useYear()
  const [, setAddress] = useAddress()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a term')}
    </Button>
  )
  return (
    <ListPage
      path="/school-admin/exam/term/list"
      title={t('Terms and weights')}
      noun={[t('term'), t('terms')]}
      id={(t) => t.id}
      name={(t) => t.name}
      fixed={year ? { academicYearId: year.id } : undefined}
      columns={[
        { key: 'name', title: t('Name'), cell: (t) => t.name, sort: 'name' },
        { key: 'from', title: t('From'), cell: (t) => format.date(t.startDate), sort: 'startDate', phone: true },
        { key: 'to', title: t('To'), cell: (t) => format.date(t.endDate) },
        { key: 'weight', title: t('Weight'), cell: (t) => format.number(t.weight ?? 1), end: true, phone: true },
      ]}
      primary={year && may('exam', 'write') && add}
      more={
        <Button component={Link} to="/exams" variant="default">
          {t('To the exams')}
        </Button>
      }
      empty={
        <Empty
          icon={<IconCalendarStats size={32} stroke={1.2} />}
          title={t('No terms yet')}
          text={t(
            'A report card weighs the exams of each term among themselves, and then the terms. Without terms all exams of the year are weighed together.',
          )}
          action={
            year ? (
              may('exam', 'write') && add
            ) : (
              <Button component={Link} to="/years" search={{ open: 'new' } as never}>
                {t('Add a year')}
              </Button>
            )
          }
          example={t('For example: Term 1 with weight 40, Term 2 with weight 60.')}
        />
      }
      drawer={(id, close) =>
        id === 'new' ? (
          <TermForm close={close} yearId={year?.id ?? ''} />
        ) : (
          <TermDrawer id={id} close={close} key={id} />
        )
      }
    />
  )
}

function TermDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({
    queryKey: ['/school-admin/exam/term/', id],
    queryFn: () => call(api.GET('/school-admin/exam/term/{id}', { params: { path: { id } } })),
  })
  return q.data ? (
    <TermForm of={q.data} yearId={q.data.academicYearId} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

const termLabels = { name: t('Name'), startDate: t('First day'), endDate: t('Last day'), weight: t('Weight') }

function TermForm({ of, yearId, close }: { of?: Schemas['Term']; yearId: string; close: () => void }) {
  const may = useMay()
  const pick = (t?: Schemas['Term']) => ({
    name: t?.name ?? '',
    startDate: t?.startDate ?? '',
    endDate: t?.endDate ?? '',
    weight: t?.weight ?? 1,
  })
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const add = (v: typeof draft.values) =>
    call(
      api.POST('/school-admin/exam/term/create', {
        body: {
          data: {
            ...v,
            startDate: v.startDate || (undefined as unknown as string),
            endDate: v.endDate || (undefined as unknown as string),
            academicYearId: yearId,
          },
        },
      }),
    )
  const save = useSave({
    draft,
    labels: termLabels,
    version: of?.version,
    save: (c, version, v) =>
      of
        ? call(
            api.PUT('/school-admin/exam/term/{id}', {
              params: { path: { id: of.id } },
              body: { data: { ...c, version } },
            }),
          )
        : add(v),
    reread:
      of &&
      (async () => {
        const now = await call(api.GET('/school-admin/exam/term/{id}', { params: { path: { id: of.id } } }))
        return { ...pick(now), version: now.version }
      }),
    onSaved: () => {
      changed('/school-admin/exam/')
      if (!of) close()
    },
  })
  return (
    <FormDrawer
      title={of?.name ?? t('Add a term')}
      what={of?.name ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!of}
      locked={!may('exam', 'write')}
      remove={
        of && may('exam', 'delete')
          ? () => done(api.DELETE('/school-admin/exam/term/{id}', { params: { path: { id: of.id } } }))
          : undefined
      }
      restore={() => add(pick(of))}
    >
      {f.text({ k: 'name', label: termLabels.name, placeholder: t('Term 1'), required: true })}
      <div className="pair">
        {f.day({ k: 'startDate', label: termLabels.startDate, required: true })}
        {f.day({ k: 'endDate', label: termLabels.endDate, required: true })}
        {f.number({ k: 'weight', label: termLabels.weight, min: 0, description: t("Against the year's other terms") })}
      </div>
    </FormDrawer>
  )
}

/* Grade scales */

export function Scales() {
  const may = useMay()
  const [, setAddress] = useAddress()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a grade scale')}
    </Button>
  )
  return (
    <ListPage
      path="/school-admin/exam/grade-scale/list"
      title={t('Grade scales')}
      noun={[t('scale'), t('scales')]}
      id={(s) => s.id}
      name={(s) => s.name}
      search={t('Name')}
      columns={[
        { key: 'name', title: t('Name'), cell: (s) => s.name, sort: 'name' },
        { key: 'grades', title: t('Grades'), cell: (s) => s.bands.map((b) => b.grade).join(' '), phone: true },
        {
          key: 'default',
          title: t('Used'),
          cell: (s) =>
            s.isDefault ? (
              <Status tone="good">{t('By default')}</Status>
            ) : (
              <Status tone="off">{t('By classes that name it')}</Status>
            ),
        },
      ]}
      primary={may('exam', 'write') && add}
      more={
        <Button component={Link} to="/exams" variant="default">
          {t('To the exams')}
        </Button>
      }
      empty={
        <Empty
          icon={<IconRuler2 size={32} stroke={1.2} />}
          title={t('No grade scale yet')}
          text={t('A scale says which percent is which grade. One is the default; a class may name another.')}
          action={may('exam', 'write') && add}
          example={t('For example: A from 80 percent, B from 60, C from 45, D from 33, E from 0.')}
        />
      }
      drawer={(id, close) =>
        id === 'new' ? <ScaleForm close={close} /> : <ScaleDrawer id={id} close={close} key={id} />
      }
    />
  )
}

function ScaleDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({
    queryKey: ['/school-admin/exam/grade-scale/', id],
    queryFn: () => call(api.GET('/school-admin/exam/grade-scale/{id}', { params: { path: { id } } })),
  })
  return q.data ? (
    <ScaleForm of={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

type Band = Schemas['Band']
const usual: Band[] = [
  ['A', 80, 10],
  ['B', 60, 8],
  ['C', 45, 6],
  ['D', 33, 4],
  ['E', 0, 0],
].map(([grade, minPercent, gradePoint]) => ({
  grade: String(grade),
  minPercent: Number(minPercent),
  gradePoint: Number(gradePoint),
  isPass: Number(minPercent) >= 33,
}))

function ScaleForm({ of, close }: { of?: Schemas['GradeScale']; close: () => void }) {
  const may = useMay()
  const pick = (s?: Schemas['GradeScale']) => ({
    name: s?.name ?? '',
    isDefault: s?.isDefault ?? false,
    bands: s?.bands ?? usual,
  })
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const bands = draft.values.bands
  const add = (v: typeof draft.values) => call(api.POST('/school-admin/exam/grade-scale/create', { body: { data: v } }))
  const save = useSave({
    draft,
    labels: { name: t('Name'), isDefault: t('Default') },
    version: of?.version,
    save: (c, version, v) =>
      of
        ? call(
            api.PUT('/school-admin/exam/grade-scale/{id}', {
              params: { path: { id: of.id } },
              body: { data: { ...c, version } },
            }),
          )
        : add(v),
    reread:
      of &&
      (async () => {
        const now = await call(api.GET('/school-admin/exam/grade-scale/{id}', { params: { path: { id: of.id } } }))
        return { ...pick(now), version: now.version }
      }),
    onSaved: () => {
      changed('/school-admin/exam/')
      if (!of) close()
    },
  })
  const set = (i: number, c: Partial<Band>) =>
    draft.set(
      'bands',
      bands.map((b, j) => (j === i ? { ...b, ...c } : b)),
    )
  const wrong = (i: number, k: string) => draft.errors[`bands[${i}].${k}`]
  return (
    <FormDrawer
      title={of?.name ?? t('Add a grade scale')}
      what={of?.name ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!of}
      locked={!may('exam', 'write')}
      remove={
        of && !of.isDefault && may('exam', 'delete')
          ? () => done(api.DELETE('/school-admin/exam/grade-scale/{id}', { params: { path: { id: of.id } } }))
          : undefined
      }
      restore={() => add(pick(of))}
    >
      {f.text({ k: 'name', label: t('Name'), placeholder: t('A to E'), required: true })}
      {f.yes({
        k: 'isDefault',
        label: t('The default scale'),
        description: t('For classes that name no other. What is published keeps its grades.'),
        disabled: of?.isDefault,
      })}
      <div>
        <div className="bands" aria-hidden>
          <Text size="sm">{t('Grade')}</Text>
          <Text size="sm">{t('From percent')}</Text>
          <Text size="sm">{t('Points')}</Text>
          <Text size="sm">{t('Passes')}</Text>
        </div>
        <Stack gap={8}>
          {bands.map((b, i) => (
            <div key={i} className="bands">
              <TextInput
                aria-label={t('Grade {i}', { i: i + 1 })}
                value={b.grade}
                maxLength={10}
                error={wrong(i, 'grade')}
                onChange={(e) => set(i, { grade: e.currentTarget.value })}
              />
              <NumberInput
                aria-label={t('{grade} from percent', { grade: b.grade })}
                hideControls
                min={0}
                max={100}
                decimalScale={2}
                value={b.minPercent}
                error={wrong(i, 'minPercent')}
                onChange={(v) => set(i, { minPercent: Number(v) || 0 })}
              />
              <NumberInput
                aria-label={t('Points of {grade}', { grade: b.grade })}
                hideControls
                min={0}
                max={100}
                value={b.gradePoint}
                error={wrong(i, 'gradePoint')}
                onChange={(v) => set(i, { gradePoint: Number(v) || 0 })}
              />
              <Checkbox
                aria-label={t('{grade} passes', { grade: b.grade })}
                checked={b.isPass}
                onChange={(e) => set(i, { isPass: e.currentTarget.checked })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={t('Remove {grade}', { grade: b.grade })}
                onClick={() =>
                  draft.set(
                    'bands',
                    bands.filter((_, j) => j !== i),
                  )
                }
              >
                <IconTrash size={16} stroke={1.6} />
              </ActionIcon>
            </div>
          ))}
        </Stack>
        {draft.errors.bands && (
          <Text size="sm" c="red.8" mt={8}>
            {draft.errors.bands[0]!.toUpperCase()}
            {draft.errors.bands.slice(1)}
          </Text>
        )}
        <Group mt={12}>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} />}
            onClick={() => draft.set('bands', [...bands, { grade: '', minPercent: 0, gradePoint: 0, isPass: false }])}
          >
            {t('Add a grade')}
          </Button>
        </Group>
      </div>
    </FormDrawer>
  )
}
