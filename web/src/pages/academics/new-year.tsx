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
import { Confirm, Lines, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { type Person, PersonPicker } from '../../patterns/PersonPicker'
import { Wizard, WizardButtons } from '../../patterns/wizard'

type Plan = Schemas['Plan']
type Part = Plan['parts'][number]

const steps = [
  { key: 'choose', title: 'Choose' },
  { key: 'check', title: 'Check' },
  { key: 'done', title: 'Planned' },
]

/** A part of the plan, and the page where the office does what is missing. */
const parts: Record<string, [title: string, page: string]> = {
  STUDENTS: ['Students', '/students/promote'],
  ASSIGNMENTS: ['Teachers', '/employees'],
  GROUPS: ['Groups', '/groups'],
  TIMETABLE: ['Timetable', '/timetable'],
  TERMS: ['Terms', '/exams/terms'],
  FEES: ['Fees', '/fees/structures'],
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
    <Wizard title="Turn of the year" steps={steps} current="choose">
      <Alert variant="light" title="There is no year to go to yet" className="reading">
        <Text mb={12}>Add the next academic year first; it need not be active.</Text>
        {may('academic-year', 'write') && (
          <Button component={Link} to="/years" search={{ open: 'new' } as never} variant="default">
            Add a year
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
      <Wizard title="Turn of the year" steps={steps} current="check">
        <Stack gap={16} className="reading">
          <Text>
            On {format.date(to.startDate)} the school goes from {plan.fromYear?.name} to {to.name} by itself. What is
            added or changed until then is taken along.
          </Text>
          <Parts parts={dry.parts} />
          <WizardButtons back={() => setDry(null)} next={() => setAsking(true)} label="Confirm the plan…" />
          <Confirm
            opened={asking}
            title={`Go into ${to.name} on ${format.date(to.startDate)}?`}
            action="Confirm"
            busy={run.isPending}
            error={run.error}
            onClose={() => setAsking(false)}
            onConfirm={() => run.mutate(dry.planHash)}
          >
            You can take the plan back at any time until the first mark or payment of {to.name}.
          </Confirm>
        </Stack>
      </Wizard>
    )
  return (
    <Wizard title="Turn of the year" steps={steps} current="choose">
      <Stack gap={16} className="reading">
        <Text>
          From {plan.fromYear?.name} into {to.name}, which begins on {format.date(to.startDate)}. Every class goes up
          into the next. You see what will happen before anything does.
        </Text>
        <NativeSelect
          label="Roll numbers"
          value={choices.rollNumbers}
          onChange={(e) =>
            setChoices({ ...choices, rollNumbers: e.currentTarget.value as Plan['choices']['rollNumbers'] })
          }
          data={[
            { value: 'BY_NAME', label: 'New, by name' },
            { value: 'KEEP', label: "Keep last year's" },
            { value: 'NONE', label: 'None' },
          ]}
        />
        <Checkbox
          label="Add divisions that the next class lacks"
          checked={choices.createDivisions}
          onChange={(e) => setChoices({ ...choices, createDivisions: e.currentTarget.checked })}
        />
        <People
          label="Students who stay in their class"
          people={stay}
          change={setStay}
          before={choices.retained.length}
          forget={() => setChoices({ ...choices, retained: [] })}
        />
        <People
          label="Students who do not come back"
          people={leave}
          change={setLeave}
          before={choices.left.length}
          forget={() => setChoices({ ...choices, left: [] })}
        />
        <Checkbox label="Teachers keep their classes and subjects" {...carries('ASSIGNMENTS')} />
        <Checkbox label="Members of groups go on in the groups of the next class" {...carries('GROUPS')} />
        <Checkbox label="The same terms" {...carries('TERMS')} />
        <Checkbox label="The same fee structures" {...carries('FEES')} />
        {!choices.leaveOut.includes('FEES') && (
          <NumberInput
            label="Raise fees by percent"
            value={choices.feeRaisePercent}
            min={-90}
            max={500}
            decimalScale={2}
            onChange={(v) => setChoices({ ...choices, feeRaisePercent: Number(v) || 0 })}
          />
        )}
        <Text c="dimmed">The timetable stays with the divisions.</Text>
        <Trouble error={run.error} />
        <WizardButtons next={() => run.mutate('')} busy={run.isPending} label="See what will happen" />
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
      {before > 0 && <Chosen name={`${before} chosen before`} note="" remove={forget} />}
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
      <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${name}`} onClick={remove}>
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
        {p.will.length + p.missing.length === 0 && <Text c="dimmed">Nothing to carry over</Text>}
        <ul className="details">
          {p.will.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        {p.missing.length > 0 && (
          <>
            <Status tone="warn">Missing</Status>
            <ul className="details">
              {p.missing.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
            <Anchor component={Link} to={page}>
              Go to {title.toLowerCase()}
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
    ? `${to.name} begins by itself on ${format.date(to.startDate)}`
    : `${to.name} has begun${plan.doneAt ? `: ${format.dateTime(plan.doneAt)}` : ''}`
  return (
    <Wizard title="Turn of the year" steps={steps} current="">
      <Stack gap={16} className="reading">
        <Alert variant="light" role="status" title={title}>
          {ready
            ? 'Nobody has to do anything that day. What is added or changed until then is taken along.'
            : plan.inUse
              ? `${plan.inUse}: the turn of the year cannot be undone any more.`
              : 'It can be undone until the first mark or payment.'}
        </Alert>
        <Parts parts={plan.parts} />
        {may('academic-year', 'write') && (
          <Group gap={8}>
            {ready && <Button onClick={change}>Change the plan</Button>}
            {!plan.inUse && (
              <Button variant="default" onClick={() => setAsking(true)}>
                {ready ? 'Take the plan back…' : 'Undo…'}
              </Button>
            )}
          </Group>
        )}
        <Confirm
          opened={asking}
          title={ready ? 'Take the plan back?' : `Go back to ${plan.fromYear?.name}?`}
          action={ready ? 'Take it back' : 'Undo'}
          danger
          busy={undo.isPending}
          error={undo.error}
          onClose={() => setAsking(false)}
          onConfirm={() => undo.mutate()}
        >
          {ready
            ? `The school stays in ${plan.fromYear?.name} until another plan is made.`
            : 'Students, teachers, groups, terms and fees are as they were before.'}
        </Confirm>
      </Stack>
    </Wizard>
  )
}
