import {
  ActionIcon,
  Alert,
  Anchor,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  Stack,
  Text,
} from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call, done, type Schemas } from '../../api/client'
import { changed, useYears } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { Confirm, Lines, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
import { type Person, PersonPicker } from '../../patterns/PersonPicker'
import { Wizard, WizardButtons } from '../../patterns/wizard'

type Plan = Schemas['Plan']
type Part = Plan['parts'][number]

const steps = [
  { key: 'choose', title: t('Choose') },
  { key: 'check', title: t('Check') },
  { key: 'done', title: t('Planned') },
]

/** A part of the plan, and the page where the office does what is missing. */
const parts: Record<string, [title: string, page: string]> = {
  STUDENTS: [t('Students'), '/students/promote'],
  ASSIGNMENTS: [t('Teachers'), '/employees'],
  GROUPS: [t('Groups'), '/groups'],
  TIMETABLE: [t('Timetable'), '/timetable'],
  TERMS: [t('Terms'), '/exams/terms'],
  FEES: [t('Fees'), '/fees/structures'],
}

/** The turn of the year: what is carried over, a trial of it, and a plan that is carried out by itself on the first day. */
export function NewYear() {
  const years = useYears()
  if (years.error) return <Trouble error={years.error} retry={() => void years.refetch()} />
  if (!years.data) return <Lines />
  const active = years.data.find((y) => y.active)
  const next = years.data.filter((y) => active && y.startDate > active.startDate).at(-1) ?? active
  if (next) return <YearPlan id={next.id} key={next.id} />
  return <NoNextYear />
}

function NoNextYear() {
  const may = useMay()
  return (
    <Wizard title={t('Turn of the year')} steps={steps} current="choose">
      <Alert variant="light" title={t('There is no year to go to yet')} className="reading">
        <Text mb={12}>{t('Add the next academic year first; it need not be active.')}</Text>
        {may('academic-year', 'write') && (
          <Button component={Link} to="/years" search={{ open: 'new' } as never} variant="default">
            {t('Add a year')}
          </Button>
        )}
      </Alert>
    </Wizard>
  )
}

function YearPlan({ id }: { id: string }) {
  const path = { params: { path: { id } } }
  const q = useQuery({
    queryKey: ['/school-admin/academic-year/', id, 'plan'],
    queryFn: () => call(api.GET('/school-admin/academic-year/{id}/plan', path)),
  })
  const [again, setAgain] = useState(false)
  if (q.error) return <Trouble error={q.error} retry={() => void q.refetch()} />
  if (!q.data) return <Lines />
  if (q.data.state === 'NONE' && !q.data.fromYear) return <NoNextYear />
  if (q.data.state === 'NONE' || again) return <MakePlan plan={q.data} made={() => setAgain(false)} />
  return <MadePlan plan={q.data} change={() => setAgain(true)} />
}

/** What is carried over, then a trial of it. */
function MakePlan({ plan, made }: { plan: Plan; made: () => void }) {
  const format = useFormat()
  const [choices, setChoices] = useState(plan.choices)
  const [stay, setStay] = useState<Person[]>([])
  const [leave, setLeave] = useState<Person[]>([])
  const [dry, setDry] = useState<Plan | null>(null)
  const [asking, setAsking] = useState(false)
  const to = plan.toYear
  const isTouched = choices !== plan.choices || stay.length + leave.length > 0
  const kept = useKept(`year.${to.id}`, isTouched ? { choices, stay, leave } : undefined, plan.choices, (was) => {
    setChoices(was.choices)
    setStay(was.stay)
    setLeave(was.leave)
  })
  const run = useMutation({
    mutationFn: (planHash: string) =>
      call(
        api.POST('/school-admin/academic-year/{id}/plan', {
          params: { path: { id: to.id } },
          body: {
            data: {
              ...choices,
              retained: [...choices.retained, ...stay.map((p) => p.id)],
              left: [...choices.left, ...leave.map((p) => p.id)],
              dryRun: planHash === '',
              planHash,
            },
          },
        }),
      ),
    onSuccess: (p) => {
      if (p.state === 'DRY_RUN') setDry(p)
      else {
        changed('/school-admin/')
        made()
      }
    },
  })
  const carries = (part: 'ASSIGNMENTS' | 'GROUPS' | 'TERMS' | 'FEES') => ({
    checked: !choices.leaveOut.includes(part),
    onChange: (e: { currentTarget: { checked: boolean } }) =>
      setChoices({
        ...choices,
        leaveOut: e.currentTarget.checked ? choices.leaveOut.filter((p) => p !== part) : [...choices.leaveOut, part],
      }),
  })
  if (dry)
    return (
      <Wizard title={t('Turn of the year')} steps={steps} current="check">
        <Stack gap={16} className="reading">
          <Text>
            {t(
              'On {startDate} the school goes from {name} to {name2} automatically. What is added or changed until then is taken along.',
              { startDate: format.date(to.startDate), name: plan.fromYear?.name, name2: to.name },
            )}
          </Text>
          <Parts parts={dry.parts} />
          <WizardButtons back={() => setDry(null)} next={() => setAsking(true)} label={t('Confirm the plan…')} />
          <Confirm
            opened={asking}
            title={t('Go into {name} on {startDate}?', { name: to.name, startDate: format.date(to.startDate) })}
            action={t('Confirm')}
            busy={run.isPending}
            error={run.error}
            onClose={() => setAsking(false)}
            onConfirm={() => run.mutate(dry.planHash)}
          >
            {t('You can take the plan back at any time until the first mark or payment of {name}.', { name: to.name })}
          </Confirm>
        </Stack>
      </Wizard>
    )
  return (
    <Wizard title={t('Turn of the year')} steps={steps} current="choose">
      <Stack gap={16} className="reading">
        <KeptOffer kept={kept} what={t('A part of this form was')} />
        <Text>
          {t(
            'From {name} into {name2}, which begins on {startDate}. Every class goes up into the next. You see what will happen before anything does.',
            { name: plan.fromYear?.name, name2: to.name, startDate: format.date(to.startDate) },
          )}
        </Text>
        <NativeSelect
          label={t('Roll numbers')}
          value={choices.rollNumbers}
          onChange={(e) =>
            setChoices({ ...choices, rollNumbers: e.currentTarget.value as Plan['choices']['rollNumbers'] })
          }
          data={[
            { value: 'BY_NAME', label: t('New, by name') },
            { value: 'KEEP', label: t("Keep last year's") },
            { value: 'NONE', label: t('None') },
          ]}
        />
        <Checkbox
          label={t('Add divisions that the next class lacks')}
          checked={choices.createDivisions}
          onChange={(e) => setChoices({ ...choices, createDivisions: e.currentTarget.checked })}
        />
        <People
          label={t('Students who stay in their class')}
          people={stay}
          change={setStay}
          before={choices.retained.length}
          forget={() => setChoices({ ...choices, retained: [] })}
        />
        <People
          label={t('Students who do not come back')}
          people={leave}
          change={setLeave}
          before={choices.left.length}
          forget={() => setChoices({ ...choices, left: [] })}
        />
        <Checkbox label={t('Teachers keep their classes and subjects')} {...carries('ASSIGNMENTS')} />
        <Checkbox label={t('Members of groups go on in the groups of the next class')} {...carries('GROUPS')} />
        <Checkbox label={t('The same terms')} {...carries('TERMS')} />
        <Checkbox label={t('The same fee structures')} {...carries('FEES')} />
        {!choices.leaveOut.includes('FEES') && (
          <NumberInput
            label={t('Raise fees by percent')}
            value={choices.feeRaisePercent}
            min={-90}
            max={500}
            decimalScale={2}
            onChange={(v) => setChoices({ ...choices, feeRaisePercent: Number(v) || 0 })}
          />
        )}
        <Text c="dimmed">{t('The timetable stays with the divisions.')}</Text>
        <Trouble error={run.error} />
        <WizardButtons next={() => run.mutate('')} busy={run.isPending} label={t('See what will happen')} />
      </Stack>
    </Wizard>
  )
}

/** Chosen students; before is how many the plan had already. */
function People({
  label,
  people,
  change,
  before,
  forget,
}: {
  label: string
  people: Person[]
  change: (p: Person[]) => void
  before: number
  forget: () => void
}) {
  return (
    <div>
      <PersonPicker
        label={label}
        size="sm"
        onPick={(p) => !people.some((o) => o.id === p.id) && change([...people, p])}
      />
      {before > 0 && <Chosen name={t('{before} chosen before', { before })} note="" remove={forget} />}
      {people.map((p) => (
        <Chosen key={p.id} name={p.name} note={p.note} remove={() => change(people.filter((o) => o.id !== p.id))} />
      ))}
    </div>
  )
}

function Chosen({ name, note, remove }: { name: string; note: string; remove: () => void }) {
  return (
    <Group gap={8} mt={4}>
      <Text>
        {name}{' '}
        <Text span c="dimmed">
          {note}
        </Text>
      </Text>
      <ActionIcon variant="subtle" color="gray" aria-label={t('Remove {name}', { name })} onClick={remove}>
        <IconX size={16} />
      </ActionIcon>
    </Group>
  )
}

/** What each part does, and what is missing there. */
function Parts({ parts: list }: { parts: Part[] }) {
  return list.map((p) => {
    const [title, page] = parts[p.part] ?? [p.part, '/']
    return (
      <section key={p.part} className="panel" style={{ padding: 16 }} aria-label={title}>
        <Text fw={600} component="h2">
          {title}
        </Text>
        {p.will.length + p.missing.length === 0 && <Text c="dimmed">{t('Nothing to carry over')}</Text>}
        <ul className="details">
          {p.will.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        {p.missing.length > 0 && (
          <>
            <Status tone="warn">{t('Missing')}</Status>
            <ul className="details">
              {p.missing.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
            <Anchor component={Link} to={page}>
              {t('Go to {title}', { title: title.toLowerCase() })}
            </Anchor>
          </>
        )}
      </section>
    )
  })
}

/** A plan that waits for its day, or was carried out. */
function MadePlan({ plan, change }: { plan: Plan; change: () => void }) {
  const format = useFormat()
  const may = useMay()
  const [asking, setAsking] = useState(false)
  const to = plan.toYear
  const undo = useMutation({
    mutationFn: () => done(api.DELETE('/school-admin/academic-year/{id}/plan', { params: { path: { id: to.id } } })),
    onSuccess: () => {
      setAsking(false)
      changed('/school-admin/')
    },
  })
  const ready = plan.state === 'READY'
  const title = ready
    ? t('{name} begins automatically on {startDate}', { name: to.name, startDate: format.date(to.startDate) })
    : plan.doneAt
      ? t('{name} has begun: {doneAt}', { name: to.name, doneAt: format.dateTime(plan.doneAt) })
      : t('{name} has begun', { name: to.name })
  return (
    <Wizard title={t('Turn of the year')} steps={steps} current="">
      <Stack gap={16} className="reading">
        <Alert variant="light" role="status" title={title}>
          {ready
            ? t('Nobody has to do anything that day. What is added or changed until then is taken along.')
            : plan.inUse
              ? t('{inUse}: the turn of the year cannot be undone any more.', { inUse: plan.inUse })
              : t('It can be undone until the first mark or payment.')}
        </Alert>
        <Parts parts={plan.parts} />
        {may('academic-year', 'write') && (
          <Group gap={8}>
            {ready && <Button onClick={change}>{t('Change the plan')}</Button>}
            {!plan.inUse && (
              <Button variant="default" onClick={() => setAsking(true)}>
                {ready ? t('Take the plan back…') : t('Undo…')}
              </Button>
            )}
          </Group>
        )}
        <Confirm
          opened={asking}
          title={ready ? t('Take the plan back?') : t('Go back to {name}?', { name: plan.fromYear?.name })}
          action={ready ? t('Take it back') : t('Undo')}
          danger
          busy={undo.isPending}
          error={undo.error}
          onClose={() => setAsking(false)}
          onConfirm={() => undo.mutate()}
        >
          {ready
            ? t('The school stays in {name} until another plan is made.', { name: plan.fromYear?.name })
            : t('Students, teachers, groups, terms and fees are as they were before.')}
        </Confirm>
      </Stack>
    </Wizard>
  )
}
