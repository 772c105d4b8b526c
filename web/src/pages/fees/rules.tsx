import { Button, NumberInput, Text } from '@mantine/core'
import { IconPlus, IconUsersGroup } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, call, done, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Empty } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { useOnce } from '../../patterns/once'
import { fieldsOf, useDraft, useSave } from '../../patterns/record'
import { SetupNav, useHeads } from './shared'

type Item = Schemas['RuleItem']
const kinds = [
  { value: 'SIBLING', label: t('Siblings') },
  { value: 'STAFF', label: t('Children of employees') },
]
const whom = (r: Item) =>
  r.kind === 'STAFF' ? t('Children of employees') : t('Child {child} of a family, and younger', { child: r.child })

/** Concessions that apply automatically when a class is charged. */
export function Rules() {
  const may = useMay()
  const format = useFormat()
  const [, setAddress] = useAddress()
  const add = may('fee', 'write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a rule')}
    </Button>
  )
  return (
    <>
      <SetupNav />
      <ListPage
        path="/school-admin/fee/rule/list"
        title={t('Automatic concessions')}
        noun={[t('rule'), t('rules')]}
        id={(r) => r.id}
        name={whom}
        filters={[{ key: 'kind', label: t('For'), options: kinds }]}
        columns={[
          { key: 'whom', title: t('For'), cell: whom, sort: 'child' },
          { key: 'of', title: t('Of'), cell: (r) => r.feeHeadName || t('All fee heads'), phone: true },
          {
            key: 'percent',
            title: t('Percent'),
            cell: (r) => <span className="figures">{format.number(r.percent)} %</span>,
            end: true,
            phone: true,
          },
        ]}
        primary={add}
        empty={
          <Empty
            icon={<IconUsersGroup size={32} stroke={1.2} />}
            title={t('No automatic concessions')}
            text={t(
              'For siblings and for children of employees. They are worked out when a class is charged, and shown before.',
            )}
            action={add}
            example={t('For example: 10 % of tuition for the second child, 25 % for the third.')}
          />
        }
        drawer={(id, close) =>
          id === 'new' ? <RuleForm close={close} /> : <RuleDrawer id={id} close={close} key={id} />
        }
      />
    </>
  )
}

const read = (id: string) => call(api.GET('/school-admin/fee/rule/{id}', { params: { path: { id } } }))

function RuleDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({ queryKey: ['/school-admin/fee/rule/', id], queryFn: () => read(id) })
  return q.data ? (
    <RuleForm of={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

const labels = { kind: t('For'), child: t('From which child on'), feeHeadId: t('Of'), percent: t('Percent') }

function RuleForm({ of, close }: { of?: Item; close: () => void }) {
  const may = useMay()
  const heads = useHeads()
  const once = useOnce('concession rule')
  const pick = (r?: Item) => ({
    kind: r?.kind ?? 'SIBLING',
    child: (r ? r.child : 2) as number | null,
    feeHeadId: r?.feeHeadId ?? null,
    percent: (r?.percent ?? null) as number | null,
  })
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const v = draft.values
  const add = (x: typeof v) => {
    const data = { ...x, child: x.kind === 'STAFF' ? 0 : (x.child ?? 0), percent: x.percent ?? 0 }
    return call(
      api.POST('/school-admin/fee/rule/create', {
        params: { header: { 'Idempotency-Key': once.keyFor(data) } },
        body: { data: data as Schemas['RuleFields'] },
      }),
    )
  }
  const save = useSave({
    draft,
    labels,
    version: of?.version,
    say: { feeHeadId: (x) => heads.data?.find((h) => h.id === x)?.name ?? t('All fee heads') },
    save: (c, version, all) =>
      of
        ? call(
            api.PUT('/school-admin/fee/rule/{id}', {
              params: { path: { id: of.id } },
              body: { data: { ...c, version } as Schemas['RuleChange'] },
            }),
          )
        : add(all),
    reread:
      of &&
      (async () => {
        const now = await read(of.id)
        return { ...pick(now), version: now.version }
      }),
    onSaved: () => {
      changed('/school-admin/fee/')
      if (!of) close()
    },
  })
  return (
    <FormDrawer
      title={of ? whom(of) : t('Add a rule')}
      what={of ? whom(of) : ''}
      close={close}
      draft={draft}
      save={save}
      create={!of}
      locked={!may('fee', 'write')}
      remove={
        of && may('fee', 'delete')
          ? () => done(api.DELETE('/school-admin/fee/rule/{id}', { params: { path: { id: of.id } } }))
          : undefined
      }
      restore={() => add(pick(of))}
    >
      <div className="pair">
        {f.choice({ k: 'kind', label: labels.kind, data: kinds })}
        {v.kind === 'SIBLING' && f.number({ k: 'child', label: labels.child, min: 2, max: 20 })}
      </div>
      <div className="pair">
        {f.choice({
          k: 'feeHeadId',
          label: labels.feeHeadId,
          data: (heads.data ?? []).map((h) => ({ value: h.id, label: h.name })),
          none: t('All fee heads'),
        })}
        <NumberInput
          label={labels.percent}
          suffix=" %"
          decimalScale={2}
          min={0}
          max={100}
          hideControls
          value={v.percent ?? ''}
          error={draft.errors.percent}
          onChange={(n) => draft.set('percent', n === '' ? null : Number(n))}
        />
      </div>
      <Text size="sm" c="dimmed">
        {v.kind === 'STAFF'
          ? t(
              'A guardian is an employee by the same phone number. Of several rules the highest percentage counts. A change holds for what is charged from now on.',
            )
          : t(
              'Siblings share a guardian. The eldest is the first child; without dates of birth, the one admitted first. Of several rules the highest percentage counts. A change holds for what is charged from now on.',
            )}
      </Text>
    </FormDrawer>
  )
}
