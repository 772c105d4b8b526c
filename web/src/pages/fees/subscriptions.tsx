import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlus, IconUserCheck } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, asProblem, call, done, type Schemas } from '../../api/client'
import { changed, useClasses } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Dialog, Empty, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { useOnce } from '../../patterns/once'
import { fieldsOf, useDraft, useSave } from '../../patterns/record'
import { useYear } from '../../shell/year'
import { SetupNav, useHeads } from './shared'
import { chosenIds, isNobody, nobody, StudentsOrClass } from './students-or-class'

type Item = Schemas['SubscriptionItem']
const states = {
  ACTIVE: ['good', t('Active')],
  LATER: ['busy', t('Begins later')],
  ENDED: ['off', t('Ended')],
} as const
const stateOf = (s: string) => states[s as keyof typeof states] ?? (['off', s] as const)

/** Who has which optional fee head: transport, hostel, lunch. */
export function Subscriptions() {
  const may = useMay()
  const format = useFormat()
  const [address, setAddress] = useAddress()
  const classes = useClasses()
  const heads = useHeads()
  const optional = (heads.data ?? []).filter((h) => h.optional)
  const add = may('fee', 'write') && optional.length > 0 && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ do: 'subscribe' })}>
      {t('Subscribe students')}
    </Button>
  )
  return (
    <>
      <SetupNav />
      <ListPage
        path="/school-admin/fee/subscription/list"
        title={t('Subscribers of optional fees')}
        noun={[t('subscription'), t('subscriptions')]}
        id={(s) => s.id}
        name={(s) => t('{feeHeadName} of {studentName}', { feeHeadName: s.feeHeadName, studentName: s.studentName })}
        search={t('Student')}
        filters={[
          { key: 'feeHeadId', label: t('Fee head'), options: optional.map((h) => ({ value: h.id, label: h.name })) },
          {
            key: 'classId',
            label: t('Class'),
            options: (classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
          },
          {
            key: 'status',
            label: t('State'),
            options: Object.entries(states).map(([value, [, label]]) => ({ value, label: label.toLowerCase() })),
          },
        ]}
        columns={[
          { key: 'student', title: t('Student'), cell: (s) => s.studentName, sort: 'studentName' },
          { key: 'class', title: t('Class'), cell: (s) => s.className },
          { key: 'head', title: t('Fee head'), cell: (s) => s.feeHeadName, phone: true },
          { key: 'option', title: t('Option'), cell: (s) => s.optionName || '–' },
          { key: 'from', title: t('From'), cell: (s) => format.date(s.fromDate), sort: 'fromDate', phone: true },
          { key: 'to', title: t('Last day'), cell: (s) => (s.toDate ? format.date(s.toDate) : '–') },
          {
            key: 'state',
            title: t('State'),
            cell: (s) => <Status tone={stateOf(s.status)[0]}>{stateOf(s.status)[1]}</Status>,
          },
        ]}
        primary={add}
        empty={
          <Empty
            icon={<IconUserCheck size={32} stroke={1.2} />}
            title={t('Nobody is subscribed yet')}
            text={t(
              'Optional fees, as for transport, hostel or lunch, are charged to their subscribers only, from a day to a day.',
            )}
            action={
              add || (
                <Button component={Link} to="/fees/heads" variant="default">
                  {t('Make a fee head optional first')}
                </Button>
              )
            }
          />
        }
        drawer={(id, close) => <SubscriptionDrawer id={id} close={close} key={id} />}
      />
      {address.do === 'subscribe' && (
        <SubscribeDialog heads={optional} head={address.feeHeadId} close={() => setAddress({ do: undefined })} />
      )}
    </>
  )
}

const labels = { optionId: t('Option'), fromDate: t('From'), toDate: t('Last day') }
const read = (id: string) => call(api.GET('/school-admin/fee/subscription/{id}', { params: { path: { id } } }))
const choices = (h?: Schemas['Head']) =>
  h?.amountBy === 'OPTION' ? h.amounts.map((a) => ({ value: a.id ?? '', label: a.name })) : []

function SubscriptionDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({ queryKey: ['/school-admin/fee/subscription/', id], queryFn: () => read(id) })
  return q.data ? (
    <SubscriptionForm of={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

function SubscriptionForm({ of, close }: { of: Item; close: () => void }) {
  const may = useMay()
  const heads = useHeads()
  const options = choices(heads.data?.find((h) => h.id === of.feeHeadId))
  const pick = (s: Item) => ({
    optionId: s.optionId ?? null,
    fromDate: s.fromDate as string | null,
    toDate: (s.toDate ?? null) as string | null,
  })
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const save = useSave({
    draft,
    labels,
    version: of.version,
    say: { optionId: (x) => options.find((o) => o.value === x)?.label ?? '' },
    save: (c, version) =>
      call(
        api.PUT('/school-admin/fee/subscription/{id}', {
          params: { path: { id: of.id } },
          body: { data: { ...c, version } as Schemas['SubscriptionChange'] },
        }),
      ),
    reread: async () => {
      const now = await read(of.id)
      return { ...pick(now), version: now.version }
    },
    onSaved: () => changed('/school-admin/fee/'),
  })
  return (
    <FormDrawer
      title={t('{feeHeadName} of {studentName}', { feeHeadName: of.feeHeadName, studentName: of.studentName })}
      what={t('{feeHeadName} of {studentName}', { feeHeadName: of.feeHeadName, studentName: of.studentName })}
      close={close}
      draft={draft}
      save={save}
      locked={!may('fee', 'write')}
      summary={<Status tone={stateOf(of.status)[0]}>{stateOf(of.status)[1]}</Status>}
      remove={
        may('fee', 'delete')
          ? () => done(api.DELETE('/school-admin/fee/subscription/{id}', { params: { path: { id: of.id } } }))
          : undefined
      }
    >
      {options.length > 0 && f.choice({ k: 'optionId', label: labels.optionId, data: options })}
      <div className="pair">
        {f.day({ k: 'fromDate', label: labels.fromDate })}
        {f.day({ k: 'toDate', label: labels.toDate, description: t('Empty: until it is ended') })}
      </div>
      <Text size="sm" c="dimmed">
        {t(
          'A change holds from the next charge on, which also makes good what was charged too little. What was charged stays.',
        )}
      </Text>
    </FormDrawer>
  )
}

function SubscribeDialog({ heads, head, close }: { heads: Schemas['Head'][]; head?: string; close: () => void }) {
  const { year } = useYear()
  const once = useOnce('subscribe')
  const [who, setWho] = useState(nobody)
  const draft = useDraft({
    feeHeadId: head ?? heads[0]?.id ?? '',
    optionId: null as string | null,
    fromDate: (year?.startDate ?? null) as string | null,
    toDate: null as string | null,
  })
  const f = fieldsOf(draft)
  const v = draft.values
  const options = choices(heads.find((h) => h.id === v.feeHeadId))
  const save = useMutation({
    mutationFn: () => {
      const data = {
        feeHeadId: v.feeHeadId,
        optionId: options.length ? v.optionId : null,
        fromDate: v.fromDate ?? undefined,
        toDate: v.toDate,
        ...chosenIds(who),
      } as Schemas['SubscriptionIn']
      return call(
        api.POST('/school-admin/fee/subscription/create', {
          params: { header: { 'Idempotency-Key': once.keyFor(data) } },
          body: { data },
        }),
      )
    },
    onSuccess: (r) => {
      once.happened()
      changed('/school-admin/fee/')
      notifications.show({
        message: r.already
          ? t('{subscribed} subscribed. {already} had it on some of these days and were left alone.', {
              subscribed: r.subscribed,
              already: r.already,
            })
          : t('{subscribed} subscribed.', { subscribed: r.subscribed }),
      })
      close()
    },
    onError: (e) => draft.setErrors(asProblem(e).fields),
  })
  return (
    <Dialog onClose={close} title={t('Subscribe students')} size={520}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (!save.isPending && !once.done) save.mutate()
        }}
      >
        <Stack gap={16}>
          <div className="pair">
            <NativeSelect
              label={t('Fee head')}
              value={v.feeHeadId}
              error={draft.errors.feeHeadId}
              data={heads.map((h) => ({ value: h.id, label: h.name }))}
              onChange={(e) => draft.setAll({ feeHeadId: e.currentTarget.value, optionId: null })}
            />
            {options.length > 0 &&
              f.choice({ k: 'optionId', label: labels.optionId, data: options, none: t('Choose an option') })}
          </div>
          <StudentsOrClass value={who} onChange={setWho} errors={draft.errors} />
          <div className="pair">
            {f.day({
              k: 'fromDate',
              label: labels.fromDate,
              description: t('The start of the year unless you change it'),
            })}
            {f.day({ k: 'toDate', label: labels.toDate, description: t('Empty: until it is ended') })}
          </div>
          {save.error && !Object.keys(asProblem(save.error).fields).length && <Trouble error={save.error} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={isNobody(who)}>
              {t('Subscribe')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
