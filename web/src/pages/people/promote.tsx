import { Alert, Button, Checkbox, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { changed, useClasses, useYears } from '../../api/queries'
import { rich, t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { saveCSV } from '../../patterns/csv'
import { Export } from '../../patterns/Export'
import { Confirm, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
import { Wizard, WizardButtons } from '../../patterns/wizard'

type Promotion = Schemas['Promotion']

const steps = [
  { key: 'class', title: t('Which class') },
  { key: 'check', title: t('Who goes where') },
  { key: 'done', title: t('Done') },
]
const outcomes: Record<string, [tone: 'good' | 'busy' | 'warn' | 'bad' | 'off', word: string]> = {
  PROMOTED: ['good', t('Promoted')],
  RETAINED: ['warn', t('Stays')],
  LEFT: ['off', t('Leaves')],
  GRADUATED: ['good', t('Graduates')],
  LEFT_OUT: ['bad', t('Left out')],
}

/** Takes a class into the next year: a trial first, then all of it, and a way back until the year starts. */
export function Promote() {
  const [address, setAddress] = useAddress()
  const classes = useClasses()
  const years = useYears()
  const format = useFormat()
  const active = years.data?.find((y) => y.active)
  const next = years.data?.filter((y) => active && y.startDate > active.startDate) ?? []
  const classId = address.class ?? ''
  const toYearId = address.year ?? next.at(-1)?.id ?? ''
  const [retained, setRetained] = useState<Set<string>>(new Set())
  const [left, setLeft] = useState<Set<string>>(new Set())
  const [plan, setPlan] = useState<Promotion | null>(null)
  const [checked, setChecked] = useState<Promotion | null>(null) // the plan with what is ticked
  const [result, setResult] = useState<Promotion | null>(null)
  const [asking, setAsking] = useState(false)
  const run = useMutation({
    mutationFn: (o: { dryRun: boolean; retained: Set<string>; left: Set<string> }) =>
      call(
        api.POST('/school-admin/student/promote', {
          body: { data: { classId, toYearId, dryRun: o.dryRun, retained: [...o.retained], left: [...o.left] } },
        }),
      ),
    onSuccess: (p, o) => {
      if (!o.dryRun) {
        setResult(p)
        setAsking(false)
        changed('/school-admin/')
      } else if (plan) {
        setChecked(p)
        setAsking(true)
      } else setPlan(p)
    },
  })
  const undo = useMutation({
    mutationFn: (id: string) => call(api.POST('/school-admin/student/promote/{id}/undo', { params: { path: { id } } })),
    onSuccess: () => {
      setResult({ ...result!, undone: true })
      changed('/school-admin/')
    },
  })
  function mark(id: string, as: 'up' | 'stay' | 'leave') {
    const r = new Set(retained)
    const l = new Set(left)
    r.delete(id)
    l.delete(id)
    if (as === 'stay') r.add(id)
    if (as === 'leave') l.add(id)
    setRetained(r)
    setLeft(l)
    setChecked(null)
  }
  // What is ticked is shown at once; the service looks at all of it in one call, before it is asked for.
  const outcomeOf = (s: Promotion['students'][number]) =>
    retained.has(s.studentId) ? 'RETAINED' : left.has(s.studentId) ? 'LEFT' : s.outcome
  const shown = checked ?? plan
  const students = shown?.students.map((s) => (checked ? s : { ...s, outcome: outcomeOf(s) })) ?? []
  const count = (outcome: string) => students.filter((s) => s.outcome === outcome).length
  const ticked = {
    promoted: count('PROMOTED'),
    retained: count('RETAINED'),
    graduated: count('GRADUATED'),
    left: count('LEFT'),
    leftOut: count('LEFT_OUT'),
  }
  const className = classes.data?.find((c) => c.id === classId)?.name ?? t('the class')
  const yearName = years.data?.find((y) => y.id === toYearId)?.name ?? ''
  const step = result ? 'done' : plan ? 'check' : 'class'
  const sum = (p: typeof ticked) =>
    [
      p.promoted && t('{promoted} promoted', { promoted: format.number(p.promoted) }),
      p.retained && t('{retained} stay', { retained: format.number(p.retained) }),
      p.graduated && t('{graduated} graduate', { graduated: format.number(p.graduated) }),
      p.left && t('{left} leave', { left: format.number(p.left) }),
      p.leftOut && t('{leftOut} are left out', { leftOut: format.number(p.leftOut) }),
    ]
      .filter(Boolean)
      .join(', ') || t('nobody moves')
  return (
    <Wizard title={t('Promote a class')} steps={steps} current={step}>
      {step === 'class' && (
        <Stack gap={16} className="reading">
          <Text>
            {t(
              "At the end of {name} the class's enrolments close, and new ones open in the next class on the first day of the next year. You see who goes where before anything happens.",
              { name: active?.name ?? t('the year') },
            )}
          </Text>
          {years.isSuccess && next.length === 0 ? (
            <Alert variant="light" title={t('There is no year to go to yet')}>
              <Text mb={12}>{t('Add the next academic year first; it need not be active.')}</Text>
              <Button component={Link} to="/years" search={{ open: 'new' } as never} variant="default">
                {t('Add a year')}
              </Button>
            </Alert>
          ) : (
            <>
              <div className="pair">
                <NativeSelect
                  label={t('Class')}
                  value={classId}
                  onChange={(e) => setAddress({ class: e.currentTarget.value })}
                  data={[
                    { value: '', label: t('Choose a class') },
                    ...(classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
                  ]}
                />
                <NativeSelect
                  label={t('Into the year')}
                  value={toYearId}
                  onChange={(e) => setAddress({ year: e.currentTarget.value })}
                  data={next.map((y) => ({ value: y.id, label: y.name }))}
                />
              </div>
              <Trouble error={run.error} />
              <WizardButtons
                next={() => {
                  setRetained(new Set())
                  setLeft(new Set())
                  run.mutate({ dryRun: true, retained: new Set(), left: new Set() })
                }}
                busy={run.isPending}
                disabled={!classId || !toYearId}
                label={t('See who goes where')}
              />
            </>
          )}
        </Stack>
      )}
      {step === 'check' && (
        <Stack gap={16}>
          <KeptTicks
            name={`promote.${classId}.${toYearId}`}
            ticks={{ retained: [...retained], left: [...left] }}
            restore={(was) => {
              setRetained(new Set(was.retained))
              setLeft(new Set(was.left))
            }}
          />
          <Group justify="space-between" wrap="nowrap" align="flex-start" gap={8}>
            <Text>
              {rich('From {className} into {yearName}: {sum}. Tick the students who are not promoted.', {
                className,
                yearName,
                sum: <b>{sum(ticked)}</b>,
              })}
            </Text>
            <Export
              onClick={() =>
                saveCSV('promotion.csv', [
                  ['Student', 'Admission no.', 'What happens', 'To', 'Why'],
                  ...students.map((s) => [
                    s.name,
                    s.admissionNumber,
                    outcomes[s.outcome]?.[1] ?? s.outcome,
                    s.to,
                    s.why,
                  ]),
                ])
              }
            />
          </Group>
          <Trouble error={run.error} />
          <div className="panel">
            <div className="list-scroll" tabIndex={0} role="region" aria-label={t('Who goes where')}>
              <table className="list">
                <thead>
                  <tr>
                    <th scope="col">{t('Student')}</th>
                    <th scope="col">{t('Number')}</th>
                    <th scope="col">{t('What happens')}</th>
                    <th scope="col">{t('To')}</th>
                    <th scope="col">{t('Stays')}</th>
                    <th scope="col">{t('Leaves')}</th>
                  </tr>
                </thead>
                <tbody>
                  {[...students]
                    .sort((a, b) => Number(b.outcome === 'LEFT_OUT') - Number(a.outcome === 'LEFT_OUT'))
                    .map((s) => (
                      <tr key={s.studentId} data-bad={s.outcome === 'LEFT_OUT' || undefined}>
                        <td>{s.name}</td>
                        <td className="figures">{s.admissionNumber}</td>
                        <td className="wrap">
                          <Status tone={outcomes[s.outcome]?.[0] ?? 'off'}>
                            {outcomes[s.outcome]?.[1] ?? s.outcome}
                          </Status>
                          {s.why && <div className="why">{s.why}</div>}
                        </td>
                        <td>{!checked && (retained.has(s.studentId) || left.has(s.studentId)) ? '' : s.to}</td>
                        <td>
                          <Checkbox
                            size="xs"
                            aria-label={t('{name} stays', { name: s.name })}
                            checked={retained.has(s.studentId)}
                            onChange={(e) => mark(s.studentId, e.currentTarget.checked ? 'stay' : 'up')}
                          />
                        </td>
                        <td>
                          <Checkbox
                            size="xs"
                            aria-label={t('{name} leaves', { name: s.name })}
                            checked={left.has(s.studentId)}
                            onChange={(e) => mark(s.studentId, e.currentTarget.checked ? 'leave' : 'up')}
                          />
                        </td>
                      </tr>
                    ))}
                </tbody>
              </table>
            </div>
          </div>
          <WizardButtons
            back={() => {
              setPlan(null)
              setChecked(null)
            }}
            next={() => run.mutate({ dryRun: true, retained, left })}
            busy={run.isPending && !asking}
            label={t('Promote…')}
            disabled={students.length === 0}
          />
          <Confirm
            opened={asking}
            title={t('Promote {className}?', { className })}
            action={t('Promote')}
            busy={run.isPending}
            error={run.error}
            onClose={() => setAsking(false)}
            onConfirm={() => run.mutate({ dryRun: false, retained, left })}
          >
            {t('{sum}{sum2}. You can undo it until {yearName} starts.', {
              sum: sum(ticked)[0]?.toUpperCase(),
              sum2: sum(ticked).slice(1),
              yearName,
            })}
          </Confirm>
        </Stack>
      )}
      {step === 'done' && (
        <Stack gap={16} className="reading">
          <Alert
            variant="light"
            role="status"
            title={result!.undone ? t('Undone') : t('{className} is promoted', { className })}
          >
            {result!.undone
              ? t('Everybody is where they were.')
              : t('Into {yearName}: {sum}.', { yearName, sum: sum(result!) })}
          </Alert>
          <Trouble error={undo.error} />
          <Group gap={8}>
            <Button
              onClick={() => {
                setResult(null)
                setPlan(null)
                setChecked(null)
                setRetained(new Set())
                setLeft(new Set())
                setAddress({ class: undefined })
              }}
            >
              {t('Promote another class')}
            </Button>
            {!result!.undone && result!.id && (
              <Button variant="default" loading={undo.isPending} onClick={() => undo.mutate(result!.id!)}>
                {t('Undo')}
              </Button>
            )}
          </Group>
        </Stack>
      )}
    </Wizard>
  )
}

interface Ticks {
  retained: string[]
  left: string[]
}

/** Who is ticked in a class; it is of the step that has the class, so that no other class is offered the ticks. */
function KeptTicks({ name, ticks, restore }: { name: string; ticks: Ticks; restore: (was: Ticks) => void }) {
  const some = ticks.retained.length + ticks.left.length > 0
  return <KeptOffer kept={useKept(name, some ? ticks : undefined, null, restore)} what={t('A part of this form was')} />
}
