// Admission on one sheet: the child, their class, guardians, bus and optional fees, saved in one call, all or nothing.
import { Alert, Button, Checkbox, Group, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconPlus, IconPrinter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, openPaper, type Schemas } from '../../api/client'
import { fetchAll, fetchList } from '../../api/list'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { useToday } from '../../patterns/choices'
import { nameOf } from '../../patterns/format'
import { useOnce } from '../../patterns/once'
import { PersonPicker } from '../../patterns/PersonPicker'
import { type Draft, DrawerHead, Facts, fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import { words } from '../../patterns/words'
import { CustomInputs, valuesOf } from './custom-fields'
import { emptyFields, labels, StudentBasics, type StudentFields, StudentMore, wire } from './student-form'

type Detail = Schemas['StudentDetail']
type Entry = Schemas['GuardianEntry']
/** A guardian on the sheet; `of` is the sibling whose guardian they are already. */
type Guardian = Partial<Entry> & Pick<Entry, 'firstName' | 'phone' | 'relation'> & { of?: string }
interface Sheet extends StudentFields {
  guardians: Guardian[]
  pickupRoute: string | null
  pickupStop: string | null
  dropoffRoute: string | null
  dropoffStop: string | null
  /** The optional fees that are ticked, with the option of each where it has some. */
  fees: Record<string, string | null>
}

const relations = ['MOTHER', 'FATHER', 'GUARDIAN', 'OTHER'].map((value) => ({ value, label: words(value) }))
const blank: Guardian = { firstName: '', lastName: '', phone: '', relation: 'MOTHER' }
const isBlank = (g: Guardian) => !g.firstName.trim() && !g.lastName?.trim() && !g.phone.trim()
const directions = ['pickup', 'dropoff'] as const

const read = (id: string) => call(api.GET('/school-admin/student/{id}', { params: { path: { id } } }))

/** A sibling's guardians, as they are entered for the next child. */
const familyOf = (s: Detail): Guardian[] =>
  s.guardians.map((g) => ({
    firstName: g.firstName,
    lastName: g.lastName,
    phone: g.phone,
    email: g.email,
    occupation: g.occupation,
    relation: g.relation as Entry['relation'],
    isPrimary: g.isPrimary,
    hasCustody: g.hasCustody,
    canViewData: g.canViewData,
    canPickUp: g.canPickUp,
    isFeePayer: g.isFeePayer,
    of: nameOf(s),
  }))

export function Admission({ close }: { close: () => void }) {
  const [admitted, setAdmitted] = useState<Detail | null>(null)
  if (admitted) return <Admitted student={admitted} again={() => setAdmitted(null)} close={close} />
  return <AdmissionSheet onAdmitted={setAdmitted} close={close} />
}

function AdmissionSheet({ onAdmitted, close }: { onAdmitted: (s: Detail) => void; close: () => void }) {
  const today = useToday()
  const once = useOnce('admission', true)
  const draft = useDraft<Sheet>({
    ...emptyFields,
    admissionDate: today,
    guardians: [blank],
    pickupRoute: null,
    pickupStop: null,
    dropoffRoute: null,
    dropoffStop: null,
    fees: {},
  })
  const save = useSave({
    draft,
    labels,
    save: async () => {
      const { guardians, pickupRoute, pickupStop, dropoffRoute, dropoffStop, fees, ...child } = draft.values
      const rides = [
        { k: 'pickup', routeId: pickupRoute, stopId: pickupStop },
        { k: 'dropoff', routeId: dropoffRoute, stopId: dropoffStop },
      ].filter((r) => r.routeId && r.stopId)
      const entered = guardians.filter((g) => !isBlank(g))
      if (entered.length < guardians.length) draft.set('guardians', entered.length ? entered : [blank])
      const data = {
        ...wire(child),
        guardians: entered.map(({ of: _, ...g }) => g),
        rides: rides.map(({ routeId, stopId }) => ({ routeId, stopId })),
        feeHeads: Object.entries(fees).map(([feeHeadId, optionId]) => ({ feeHeadId, optionId })),
      } as Schemas['NewStudent']
      try {
        const s = await call(
          api.POST('/school-admin/student/create', {
            params: { header: { 'Idempotency-Key': once.keyFor(data) } },
            body: { data },
          }),
        )
        once.happened()
        return s
      } catch (e) {
        const p = asProblem(e)
        for (const [i, r] of rides.entries()) {
          const said = p.fields[`rides[${i}].stopId`] ?? p.fields[`rides[${i}].routeId`]
          if (said) p.fields[`${r.k}Stop`] = said
        }
        throw p
      }
    },
    onSaved: (s) => {
      changed('/school-admin/student/', '/school-admin/transport/route/', '/school-admin/fee/')
      onAdmitted(s)
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
      <DrawerHead title={t('Admit a student')} summary={t('Only the first name is required.')} close={close} />
      <div className="drawer-body" style={{ flex: 1 }}>
        <Stack gap={16}>
          <StudentBasics draft={draft} create />
          <Family draft={draft} />
          <Bus draft={draft} />
          <OptionalFees draft={draft} />
          <StudentMore draft={draft} />
        </Stack>
      </div>
      <SaveBar draft={draft} {...save} submit={() => undefined} label={t('Admit')} always onCancel={close} />
    </form>
  )
}

function Family({ draft }: { draft: Draft<Sheet> }) {
  const list = draft.values.guardians
  const set = (guardians: Guardian[]) => draft.set('guardians', guardians.length ? guardians : [blank])
  /** A family that is found takes the place of who was typed with one of its phones, or not at all. */
  const adopt = (s: Detail, typed?: number) => {
    const family = familyOf(s)
    set([...list.filter((g, i) => i !== typed && !isBlank(g) && !family.some((f) => f.phone === g.phone)), ...family])
  }
  const change = (i: number, c: Partial<Guardian>) => set(list.map((g, j) => (i === j ? { ...g, ...c } : g)))
  return (
    <section aria-label={t('Guardians')}>
      <Text className="section">{t('Guardians')}</Text>
      <Stack gap={12}>
        <PersonPicker
          label={t('Same family as')}
          size="sm"
          placeholder={t("Sibling's name, admission number or parent's phone")}
          onPick={(p) =>
            void read(p.id)
              .then((s) => adopt(s))
              .catch((e) => notifications.show({ color: 'red', message: asProblem(e).message }))
          }
        />
        {list.map((g, i) => (
          <GuardianFields
            key={i}
            n={i + 1}
            guardian={g}
            errors={draft.errors}
            change={(c) => change(i, c)}
            remove={list.length > 1 || g.of ? () => set(list.filter((_, j) => j !== i)) : undefined}
            adopt={(s) => adopt(s, i)}
          />
        ))}
        {list.length < 10 && (
          <Group>
            <Button
              variant="default"
              size="compact-md"
              leftSection={<IconPlus size={14} />}
              onClick={() => set([...list, { ...blank, relation: 'FATHER' }])}
            >
              {t('Another guardian')}
            </Button>
          </Group>
        )}
      </Stack>
    </section>
  )
}

function GuardianFields({
  n,
  guardian: g,
  errors,
  change,
  remove,
  adopt,
}: {
  n: number
  guardian: Guardian
  errors: Record<string, string>
  change: (c: Partial<Guardian>) => void
  remove?: () => void
  adopt: (s: Detail) => void
}) {
  const sibling = useSibling(g.of ? '' : g.phone)
  const error = (k: string) => errors[`guardians[${n - 1}].${k}`]
  return (
    <Paper withBorder p={12} role="group" aria-label={t('Guardian {n}', { n })}>
      {g.of ? (
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <div>
            <Text fw={500}>
              {nameOf({ firstName: g.firstName, lastName: g.lastName ?? '' })}{' '}
              <Text span c="dimmed" fw={400}>
                {words(g.relation)}
              </Text>
            </Text>
            <Text size="sm" c="dimmed" className="figures">
              {t('{phone} · as for {of}', { phone: g.phone, of: g.of })}
            </Text>
            {error('phone') && (
              <Text size="sm" c="red.8">
                {error('phone')}
              </Text>
            )}
          </div>
          <Button variant="default" size="compact-md" onClick={remove}>
            {t('Remove')}
          </Button>
        </Group>
      ) : (
        <Stack gap={12}>
          <div className="pair">
            <TextInput
              label={t("Guardian's name")}
              value={g.firstName}
              error={error('firstName')}
              onChange={(e) => change({ firstName: e.currentTarget.value })}
            />
            <TextInput
              label={t("Guardian's surname")}
              value={g.lastName ?? ''}
              error={error('lastName')}
              onChange={(e) => change({ lastName: e.currentTarget.value })}
            />
            <TextInput
              label={t("Guardian's phone")}
              inputMode="tel"
              description={t('Used to sign in')}
              value={g.phone}
              error={error('phone')}
              onChange={(e) => change({ phone: e.currentTarget.value })}
            />
            <NativeSelect
              label={t('Relation')}
              description={t('To the child')}
              data={relations}
              value={g.relation}
              onChange={(e) => change({ relation: e.currentTarget.value as Entry['relation'] })}
            />
          </div>
          <CustomInputs
            subject="GUARDIAN"
            values={valuesOf(g)}
            errors={errors}
            set={(customFields) => change({ customFields })}
            at={`guardians[${n - 1}].customFields`}
          />
          {sibling && (
            <Alert variant="light" p={8}>
              <Group justify="space-between" gap={8}>
                <Text size="sm">
                  {t('{name}{className} has a guardian with this phone.', {
                    name: nameOf(sibling),
                    className: sibling.className && `, ${sibling.className} ${sibling.divisionName}`,
                  })}
                </Text>
                <Button size="compact-md" variant="default" onClick={() => adopt(sibling)}>
                  {t('Same family')}
                </Button>
              </Group>
            </Alert>
          )}
          {remove && (
            <Group>
              <Button variant="subtle" color="gray" size="compact-md" onClick={remove}>
                {t('Remove guardian {n}', { n })}
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </Paper>
  )
}

/** The student whose guardian has this phone, as far as it is typed. */
function useSibling(phone: string): Detail | undefined {
  const [digits] = useDebouncedValue(phone.replace(/\D/g, '').replace(/^0+/, ''), 250)
  const q = useQuery({
    queryKey: ['/school-admin/student/list', 'phone', digits],
    enabled: digits.length >= 8,
    queryFn: async () => {
      const found = await fetchList('/school-admin/student/list', { page: 1, limit: 3, filters: { search: digits } })
      for (const s of found.items) {
        const whole = await read(s.id)
        if (whole.guardians.some((g) => g.phone.replace(/\D/g, '').endsWith(digits))) return whole
      }
      return null
    },
  })
  return (digits.length >= 8 && q.data) || undefined
}

function Bus({ draft }: { draft: Draft<Sheet> }) {
  const may = useMay()
  const routes = useQuery({
    queryKey: ['/school-admin/transport/route/list', 'all'],
    queryFn: () => fetchAll('/school-admin/transport/route/list', {}),
    enabled: may('transport', 'write'),
  })
  const there = directions.filter((d) => routes.data?.some((r) => r.direction === d))
  if (there.length === 0) return null
  return (
    <section aria-label={t('Bus')}>
      <Text className="section">{t('Bus')}</Text>
      <div className="pair">
        {there.map((d) => (
          <Ride key={d} draft={draft} direction={d} routes={routes.data!.filter((r) => r.direction === d)} />
        ))}
      </div>
    </section>
  )
}

function Ride({
  draft,
  direction,
  routes,
}: {
  draft: Draft<Sheet>
  direction: (typeof directions)[number]
  routes: { id: string; name: string }[]
}) {
  const f = fieldsOf(draft)
  const route = draft.values[`${direction}Route`]
  const stops = useQuery({
    queryKey: ['/school-admin/transport/route/', route],
    enabled: !!route,
    queryFn: () => call(api.GET('/school-admin/transport/route/{id}', { params: { path: { id: route! } } })),
  })
  const way = direction === 'pickup' ? t('to school') : t('home')
  return (
    <>
      <NativeSelect
        label={t('Route {way}', { way })}
        value={route ?? ''}
        data={[{ value: '', label: t('None') }, ...routes.map((r) => ({ value: r.id, label: r.name }))]}
        onChange={(e) =>
          draft.setAll({ [`${direction}Route`]: e.currentTarget.value || null, [`${direction}Stop`]: null })
        }
      />
      {f.choice({
        k: `${direction}Stop`,
        label: t('Stop {way}', { way }),
        data: (stops.data?.stops ?? []).map((s) => ({ value: s.id, label: s.name })),
        none: route ? t('Choose a stop') : '–',
        required: !!route,
        disabled: !route,
      })}
    </>
  )
}

function OptionalFees({ draft }: { draft: Draft<Sheet> }) {
  const may = useMay()
  const heads = useQuery({
    queryKey: ['/school-admin/fee/head/list', 'optional'],
    queryFn: () => fetchAll('/school-admin/fee/head/list', { filters: { optional: 'true' } }),
    enabled: may('fee', 'write'),
  })
  const { fees } = draft.values
  if (!heads.data?.length) return null
  const choose = (id: string, option: string | null) => draft.set('fees', { ...fees, [id]: option })
  return (
    <section aria-label={t('Optional fees')}>
      <Text className="section">{t('Optional fees')}</Text>
      <Stack gap={8}>
        {heads.data.map((h) => {
          const options = h.amountBy === 'OPTION' ? (h.amounts ?? []) : []
          const on = h.id in fees
          return (
            <Group key={h.id} gap={12} mih={36}>
              <Checkbox
                label={h.name}
                checked={on}
                onChange={(e) => {
                  if (e.currentTarget.checked) return choose(h.id, options[0]?.id ?? null)
                  const { [h.id]: _, ...rest } = fees
                  draft.set('fees', rest)
                }}
              />
              {on && options.length > 0 && (
                <NativeSelect
                  size="xs"
                  aria-label={t('Option of {name}', { name: h.name })}
                  value={fees[h.id] ?? ''}
                  data={options.map((o) => ({ value: o.id ?? '', label: o.name }))}
                  onChange={(e) => choose(h.id, e.currentTarget.value)}
                />
              )}
            </Group>
          )
        })}
      </Stack>
    </section>
  )
}

/** What comes after an admission: the paper, the next one, or the student's record. */
function Admitted({ student: s, again, close }: { student: Detail; again: () => void; close: () => void }) {
  const [, setAddress] = useAddress()
  return (
    <>
      <DrawerHead title={t('{name} is admitted', { name: nameOf(s) })} close={close} />
      <div className="drawer-body" role="status">
        <Stack gap={24}>
          <Facts
            of={[
              [
                t('Admission number'),
                <span key="n" className="figures">
                  {s.admissionNumber}
                </span>,
              ],
              [t('Class'), s.className ? `${s.className} ${s.divisionName}` : t('No class yet')],
              [t('Guardians'), s.guardians.map(nameOf).join(', ') || t('None yet')],
            ]}
          />
          <Group gap={8}>
            <Button onClick={again} autoFocus>
              {t('Admit another')}
            </Button>
            <Button variant="default" onClick={() => setAddress({ open: s.id, tab: undefined })}>
              {t('Open {firstName}', { firstName: s.firstName })}
            </Button>
            {s.divisionId && (
              <Button
                variant="default"
                leftSection={<IconPrinter size={16} stroke={1.6} />}
                onClick={() =>
                  void openPaper('/school-admin/student/id-cards', { studentId: s.id }, 'id-card.pdf').catch((e) =>
                    notifications.show({ color: 'red', message: asProblem(e).message }),
                  )
                }
              >
                {t('Print ID card')}
              </Button>
            )}
          </Group>
        </Stack>
      </div>
    </>
  )
}
