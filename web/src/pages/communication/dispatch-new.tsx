import { Alert, Button, Checkbox, Group, NativeSelect, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { ClassesAndDivisions } from '../../patterns/Audience'
import { useAddress } from '../../patterns/address'
import { Empty, Lines, Trouble, UnsavedGuard } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
import { useOnce } from '../../patterns/once'
import { Facts } from '../../patterns/record'
import { Wizard, WizardButtons } from '../../patterns/wizard'
import { Arrived, allTemplates, channels, Delivery, DispatchNav, useDispatch } from './delivery'
import { NoPrice } from './no-price'

const steps = [
  { key: 'write', title: t('Recipients and text') },
  { key: 'check', title: t('Check') },
  { key: 'run', title: t('Sending') },
]
const staffKinds = [
  { value: 'TEACHER', label: t('Teachers') },
  { value: 'DRIVER', label: t('Drivers') },
  { value: 'ADMIN', label: t('Office') },
  { value: 'SUPPORT', label: t('Support') },
]

interface Letter {
  channel: string
  allParents: boolean
  classIds: string[]
  divisionIds: string[]
  staff: string[]
  subject: string
  body: string
}
const blank: Letter = {
  channel: 'SMS',
  allParents: false,
  classIds: [],
  divisionIds: [],
  staff: [],
  subject: '',
  body: '',
}

/** One text to many: whom it reaches and what it costs first, then how it arrives. The draft survives a crash. */
export function WriteDispatch() {
  const may = useMay()
  const format = useFormat()
  const [address, setAddress] = useAddress()
  const once = useOnce('dispatch', true)
  const text = useRef<HTMLTextAreaElement>(null)
  const [l, setL] = useState(blank)
  const [plan, setPlan] = useState<Schemas['Outcome'] | null>(null)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const set = (change: Partial<Letter>) => {
    setL((old) => ({ ...old, ...change }))
    setErrors({})
  }
  const templates = useQuery({ queryKey: ['/school-admin/dispatch/template/list', 'all'], queryFn: allTemplates })
  const post = (dryRun: boolean) => {
    const audience = {
      allParents: l.allParents,
      classIds: l.allParents ? [] : l.classIds,
      divisionIds: l.allParents ? [] : l.divisionIds,
      staff: l.staff as 'TEACHER'[],
    }
    const key = dryRun ? {} : { header: { 'Idempotency-Key': once.keyFor(l) } }
    return l.channel === 'SMS'
      ? call(
          api.POST('/school-admin/dispatch/sms', { params: key, body: { data: { audience, body: l.body, dryRun } } }),
        )
      : call(
          api.POST('/school-admin/dispatch/email', {
            params: key,
            body: { data: { audience, subject: l.subject, body: l.body, dryRun } },
          }),
        )
  }
  const check = useMutation({
    mutationFn: () => post(true),
    onSuccess: setPlan,
    onError: (e) => setErrors(asProblem(e).fields),
  })
  const send = useMutation({
    mutationFn: () => post(false),
    onSuccess: (o) => {
      once.happened()
      setL(blank)
      setPlan(null)
      changed('/school-admin/dispatch/')
      setAddress({ run: o.id ?? undefined })
    },
  })
  const typed = JSON.stringify(l) !== JSON.stringify(blank) && !send.isPending
  const kept = useKept('dispatch', typed ? l : undefined, null, setL)
  const run = address.run
  const step = run ? 'run' : plan ? 'check' : 'write'
  const insert = (word: string) => {
    const at = text.current?.selectionStart ?? l.body.length
    // Flushed, so that the next key is for the text.
    flushSync(() => set({ body: l.body.slice(0, at) + word + l.body.slice(text.current?.selectionEnd ?? at) }))
    text.current?.focus()
    text.current?.setSelectionRange(at + word.length, at + word.length)
  }
  const nobody = !l.allParents && l.classIds.length + l.divisionIds.length + l.staff.length === 0
  const count = (n: number) => t({ one: '{n} person', other: '{n} people' }, { count: n, n: format.number(n) })
  if (!may('message', 'write'))
    return (
      <>
        <DispatchNav />
        <div className="page">
          <div className="panel">
            <Empty title={t('Writing to many is not for your role')} text={t('You can see what was sent.')} />
          </div>
        </div>
      </>
    )
  return (
    <>
      <DispatchNav />
      <Wizard title={t('Write to many')} steps={steps} current={step}>
        {step === 'write' && (
          <Stack gap={16} className="reading">
            <UnsavedGuard when={l.body.trim() !== '' && !send.isPending && !send.isSuccess} />
            <KeptOffer kept={kept} what={t('A message was')} />
            <Radio.Group label={t('By')} value={l.channel} onChange={(c) => set({ channel: c })}>
              <Group gap={16} mt={4}>
                {channels.map((c) => (
                  <Radio key={c.value} {...c} />
                ))}
              </Group>
            </Radio.Group>
            <div>
              <Text size="sm" fw={600} mb={4}>
                {t('Parents')}
              </Text>
              <Checkbox
                label={t('All parents of the school')}
                mb={8}
                checked={l.allParents}
                onChange={(e) => set({ allParents: e.currentTarget.checked })}
              />
              <ClassesAndDivisions
                disabled={l.allParents}
                classIds={l.classIds}
                divisionIds={l.divisionIds}
                onChange={(classIds, divisionIds) => set({ classIds, divisionIds })}
              />
            </div>
            <Checkbox.Group label={t('Staff')} value={l.staff} onChange={(staff) => set({ staff })}>
              <Group gap={16} mt={4}>
                {staffKinds.map((s) => (
                  <Checkbox key={s.value} size="xs" {...s} />
                ))}
              </Group>
            </Checkbox.Group>
            {errors.audience && (
              <Text size="sm" c="red.8" role="alert">
                {errors.audience}
              </Text>
            )}
            {(templates.data ?? []).some((t) => t.channel === l.channel) && (
              <NativeSelect
                label={t('Begin with a template')}
                value=""
                onChange={(e) => {
                  const t = templates.data?.find((x) => x.id === e.currentTarget.value)
                  if (t) set({ subject: t.subject, body: t.body })
                }}
                data={[
                  { value: '', label: t('None') },
                  ...(templates.data ?? [])
                    .filter((t) => t.channel === l.channel)
                    .map((t) => ({ value: t.id, label: t.name })),
                ]}
              />
            )}
            {l.channel === 'EMAIL' && (
              <TextInput
                label={t('Subject')}
                maxLength={200}
                value={l.subject}
                error={errors.subject}
                onChange={(e) => set({ subject: e.currentTarget.value })}
              />
            )}
            <div>
              <Textarea
                ref={text}
                label={t('Text')}
                minRows={5}
                maxLength={l.channel === 'SMS' ? 1000 : 10000}
                value={l.body}
                error={errors.body}
                onChange={(e) => set({ body: e.currentTarget.value })}
                placeholder={t('Dear {name}, school closes at noon tomorrow.')}
              />
              <Group gap={8} mt={8}>
                <Text size="sm" c="dimmed">
                  {t('Filled in for each:')}
                </Text>
                {[
                  ['{name}', t('Their name')],
                  ['{student}', t("Their child's name")],
                  ['{school}', t('The school')],
                ].map(([w, t]) => (
                  <Button key={w} variant="default" size="compact-sm" title={t} onClick={() => insert(w!)}>
                    {w}
                  </Button>
                ))}
                <Text size="sm" c="dimmed" ms="auto" className="figures">
                  {t('{body} characters', { body: format.number(l.body.length) })}
                </Text>
              </Group>
            </div>
            {check.error && Object.keys(errors).length === 0 ? <Trouble error={check.error} /> : null}
            <WizardButtons
              next={() => check.mutate()}
              busy={check.isPending}
              disabled={nobody || !l.body.trim() || (l.channel === 'EMAIL' && !l.subject.trim())}
              label={t('Preview recipients')}
            />
          </Stack>
        )}
        {step === 'check' && plan && (
          <Stack gap={16} className="reading">
            <Alert
              variant="light"
              role="status"
              title={
                plan.cost > 0
                  ? t('It reaches {n} and costs {cost}', { n: count(plan.recipients), cost: format.money(plan.cost) })
                  : t('It reaches {n}', { n: count(plan.recipients) })
              }
            >
              {[
                l.channel === 'SMS' &&
                  (plan.cost > 0
                    ? t('{segments} SMS are paid for: a long text is more than one.', {
                        segments: format.number(plan.segments),
                      })
                    : t('{segments} SMS are sent: a long text is more than one.', {
                        segments: format.number(plan.segments),
                      })),
                plan.unreachable > 0 &&
                  (l.channel === 'SMS'
                    ? t(
                        {
                          one: '{n} has no phone number and is not reached.',
                          other: '{n} have no phone number and are not reached.',
                        },
                        { count: plan.unreachable, n: count(plan.unreachable) },
                      )
                    : t(
                        {
                          one: '{n} has no e-mail address and is not reached.',
                          other: '{n} have no e-mail address and are not reached.',
                        },
                        { count: plan.unreachable, n: count(plan.unreachable) },
                      )),
                t('Every address gets it once.'),
              ]
                .filter(Boolean)
                .join(' ')}
              {l.channel === 'SMS' && plan.cost === 0 && <NoPrice mt={4} />}
            </Alert>
            <Text fw={500}>{t('This is what the first ones read')}</Text>
            <Stack gap={8}>
              {plan.sample.slice(0, 3).map((s) => (
                <div key={s.to} className="panel" style={{ padding: 12 }}>
                  <Text size="sm" c="dimmed" className="figures">
                    {s.name} · {s.to}
                  </Text>
                  {l.channel === 'EMAIL' && <Text fw={500}>{l.subject}</Text>}
                  <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{s.text}</Text>
                </div>
              ))}
            </Stack>
            <Text size="sm" c="dimmed">
              {t('A sent message cannot be recalled.')}
            </Text>
            <Trouble error={send.error} />
            <WizardButtons
              back={() => {
                setPlan(null)
                send.reset()
              }}
              next={() => !send.isPending && !send.isSuccess && send.mutate()}
              busy={send.isPending}
              label={
                plan.cost > 0
                  ? t('Send to {n} for {cost}', { n: count(plan.recipients), cost: format.money(plan.cost) })
                  : t('Send to {n}', { n: count(plan.recipients) })
              }
              disabled={plan.recipients === 0}
            />
          </Stack>
        )}
        {step === 'run' && <Watch id={run!} again={() => setAddress({ run: undefined })} />}
      </Wizard>
    </>
  )
}

/** The dispatch by its id: it goes on though the page is closed. */
function Watch({ id, again }: { id: string; again: () => void }) {
  const format = useFormat()
  const q = useDispatch(id)
  const d = q.data
  if (!d) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />
  return (
    <Stack gap={24} className="reading">
      <Group justify="space-between">
        <Arrived of={d} />
        {d.queued > 0 && (
          <Text size="sm" c="dimmed">
            {t('You can leave this page; sending continues.')}
          </Text>
        )}
      </Group>
      <Facts
        of={[
          [t('Text'), d.subject || d.body],
          ...(d.cost > 0 ? ([[t('Cost'), format.money(d.cost)]] as [string, string][]) : []),
        ]}
      />
      <Delivery dispatch={d} />
      <Group gap={8}>
        <Button onClick={again}>{t('Write another')}</Button>
        <Button component={Link} to="/dispatch" variant="default">
          {t('All that was sent')}
        </Button>
      </Group>
    </Stack>
  )
}
