import { ActionIcon, Button, Group, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { IconBuildingBank, IconPlus, IconReceiptTax, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call, done, type Schemas } from '../../api/client'
import { changed, useClasses } from '../../api/queries'
import { useMay } from '../../api/session'
import { rich, t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { DateField } from '../../patterns/DateField'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Empty } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { Money, MoneyInput } from '../../patterns/money'
import { fieldsOf, useDraft, useSave } from '../../patterns/record'
import { words } from '../../patterns/words'
import { useYear } from '../../shell/year'
import { amountsBy, type HeadAmount, HeadAmounts, transportAmountsBy } from './head-amounts'
import { SetupNav, useHeads } from './shared'

type Structure = Schemas['Structure']
type Head = Schemas['Head']
const types = ['TUITION', 'TRANSPORT', 'EXAM', 'LIBRARY', 'FINE', 'OTHER'].map((value) => ({
  value,
  label: words(value),
}))

/* Fee heads */

export function Heads() {
  const may = useMay()
  const format = useFormat()
  const [, setAddress] = useAddress()
  const add = may('fee', 'write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a fee head')}
    </Button>
  )
  return (
    <>
      <SetupNav />
      <ListPage
        path="/school-admin/fee/head/list"
        title={t('Fee heads')}
        noun={[t('fee head'), t('fee heads')]}
        id={(h) => h.id}
        name={(h) => h.name}
        search={t('Name or code')}
        filters={[{ key: 'type', label: t('Kind'), options: types }]}
        columns={[
          { key: 'name', title: t('Name'), cell: (h) => h.name, sort: 'name' },
          { key: 'code', title: t('Code'), cell: (h) => h.code, sort: 'code', phone: true },
          { key: 'type', title: t('Kind'), cell: (h) => words(h.type), phone: true },
          { key: 'who', title: t('Who pays'), cell: (h) => (h.optional ? t('Subscribers') : t('Everybody')) },
          { key: 'since', title: t('Added'), cell: (h) => format.date(h.createdAt), sort: 'createdAt' },
        ]}
        primary={add}
        empty={
          <Empty
            icon={<IconReceiptTax size={32} stroke={1.2} />}
            title={t('No fee heads yet')}
            text={t('A fee head is something fees are paid for. Each has its own account in the ledger.')}
            action={add}
            example={t('For example: Tuition (TUI), Transport (TRA), Examinations (EXA).')}
          />
        }
        drawer={(id, close) =>
          id === 'new' ? <HeadForm close={close} /> : <HeadDrawer id={id} close={close} key={id} />
        }
      />
    </>
  )
}

const readHead = (id: string) => call(api.GET('/school-admin/fee/head/{id}', { params: { path: { id } } }))

function HeadDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({ queryKey: ['/school-admin/fee/head/', id], queryFn: () => readHead(id) })
  return q.data ? (
    <HeadForm head={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

const headLabels = {
  name: t('Name'),
  code: t('Code'),
  type: 'Kind',
  optional: t('Optional'),
  amountBy: t('Amount'),
  amounts: t('Amounts'),
}

function HeadForm({ head, close }: { head?: Head; close: () => void }) {
  const may = useMay()
  const format = useFormat()
  const pick = (h?: Head) => ({
    name: h?.name ?? '',
    code: h?.code ?? '',
    type: h?.type ?? 'TUITION',
    optional: h?.optional ?? false,
    amountBy: h?.amountBy ?? 'CLASS',
    amounts: (h?.amounts ?? []) as HeadAmount[],
  })
  const draft = useDraft(pick(head))
  const f = fieldsOf(draft)
  const v = draft.values
  const by = v.optional ? v.amountBy : 'CLASS'
  // What does not belong to the choice above it is not sent.
  const wire = (x: typeof v) => {
    const amountBy = x.optional ? x.amountBy : 'CLASS'
    const amounts = amountBy === 'CLASS' ? [] : x.amounts.map((a) => ({ ...a, amount: a.amount ?? 0 }))
    return { ...x, amountBy, amounts } as unknown as Schemas['HeadFields']
  }
  const add = (x: typeof v) => call(api.POST('/school-admin/fee/head/create', { body: { data: wire(x) } }))
  const save = useSave({
    draft,
    labels: headLabels,
    version: head?.version,
    say: {
      optional: (x) => (x ? t('Yes') : t('No')),
      amounts: (x) => x.map((a) => `${a.name} ${format.money(a.amount ?? 0)}`).join(', '),
    },
    save: (c, version, all) =>
      head
        ? call(
            api.PUT('/school-admin/fee/head/{id}', {
              params: { path: { id: head.id } },
              body: {
                data: {
                  ...c,
                  ...(c.optional === undefined && !c.amountBy && !c.amounts
                    ? {}
                    : (({ optional, amountBy, amounts }) => ({ optional, amountBy, amounts }))(wire(all))),
                  version,
                } as unknown as Schemas['HeadChange'],
              },
            }),
          )
        : add(all),
    reread:
      head &&
      (async () => {
        const now = await readHead(head.id)
        return { ...pick(now), version: now.version }
      }),
    onSaved: () => {
      changed('/school-admin/fee/')
      if (!head) close()
    },
  })
  return (
    <FormDrawer
      title={head?.name ?? t('Add a fee head')}
      what={head?.name ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!head}
      remove={
        head && may('fee', 'delete')
          ? () => done(api.DELETE('/school-admin/fee/head/{id}', { params: { path: { id: head.id } } }))
          : undefined
      }
      restore={() => add(pick(head))}
    >
      {f.text({ k: 'name', label: headLabels.name, placeholder: t('Tuition'), required: true, maxLength: 60 })}
      <div className="pair">
        {f.text({ k: 'code', label: headLabels.code, placeholder: t('TUI'), required: true, maxLength: 20 })}
        {f.choice({ k: 'type', label: headLabels.type, data: types })}
      </div>
      {v.type !== 'FINE' &&
        f.yes({
          k: 'optional',
          label: headLabels.optional,
          description: t('Only students who are subscribed to it are charged'),
        })}
      {v.optional &&
        f.choice({
          k: 'amountBy',
          label: headLabels.amountBy,
          data: v.type === 'TRANSPORT' ? transportAmountsBy : amountsBy,
          description:
            by === 'CLASS'
              ? undefined
              : t('Put the head into the structure of each class that is charged for it, with 0.'),
        })}
      {by !== 'CLASS' && (
        <HeadAmounts by={by} value={v.amounts} onChange={(a) => draft.set('amounts', a)} errors={draft.errors} />
      )}
      {head?.optional && (
        <Group>
          <Button component={Link} to="/fees/subscriptions" search={{ feeHeadId: head.id } as never} variant="default">
            {t('Subscribers')}
          </Button>
        </Group>
      )}
    </FormDrawer>
  )
}

/* Structures */

export function Structures() {
  const may = useMay()
  const [, setAddress] = useAddress()
  const classes = useClasses()
  const { year } = useYear()
  const name = (id: string) => classes.data?.find((c) => c.id === id)?.name ?? ''
  const add = may('fee', 'write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a structure')}
    </Button>
  )
  return (
    <>
      <SetupNav />
      <ListPage
        path="/school-admin/fee/structure/list"
        title={t('Fee structures')}
        noun={[t('fee structure'), t('fee structures')]}
        id={(s) => s.id}
        name={(s) => s.name}
        search={t('Name')}
        fixed={year ? { academicYearId: year.id } : undefined}
        filters={[
          {
            key: 'classId',
            label: t('Class'),
            options: (classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
          },
        ]}
        columns={[
          { key: 'name', title: t('Name'), cell: (s) => s.name, sort: 'name' },
          { key: 'class', title: t('Class'), cell: (s) => name(s.classId), phone: true },
          { key: 'heads', title: t('For'), cell: (s) => s.heads.map((h) => h.name).join(', ') },
          { key: 'instalments', title: t('Instalments'), cell: (s) => s.instalments.map((i) => i.name).join(', ') },
          {
            key: 'total',
            title: t('For the year'),
            cell: (s) => <Money of={s.total} />,
            end: true,
            phone: true,
          },
        ]}
        primary={add}
        more={
          may('fee', 'write') && (
            <Button component={Link} to="/fees/charge" variant="default">
              {t('Charge a class')}
            </Button>
          )
        }
        empty={
          <Empty
            icon={<IconBuildingBank size={32} stroke={1.2} />}
            title={t('No fee structure this year')}
            text={t('What a class pays in the year, for what and when. Charging a class for an instalment goes by it.')}
            action={add}
            example={t('For example: Class 5, tuition 24,000 and exams 1,200, in two terms of 50 %.')}
          />
        }
        drawer={(id, close) =>
          id === 'new' ? <StructureForm close={close} /> : <StructureDrawer id={id} close={close} key={id} />
        }
      />
    </>
  )
}

const readStructure = (id: string) => call(api.GET('/school-admin/fee/structure/{id}', { params: { path: { id } } }))

function StructureDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({ queryKey: ['/school-admin/fee/structure/', id], queryFn: () => readStructure(id) })
  return q.data ? (
    <StructureForm structure={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

const labels = {
  name: t('Name'),
  classId: t('Class'),
  heads: t('Fee heads'),
  instalments: t('Instalments'),
  proRata: t('Pays for the rest of the year'),
  lateFine: t('Late fine'),
}
type Line = { feeHeadId: string; amount: number | null }
type Part = { name: string; dueDate: string; percent: number | null }
type Rule = { type: string; amount: number | null; graceDays: number | null; maxAmount: number | null }

function StructureForm({ structure, close }: { structure?: Structure; close: () => void }) {
  const format = useFormat()
  const [, setAddress] = useAddress()
  const classes = useClasses()
  const heads = useHeads()
  const { year } = useYear()
  const pick = (s?: Structure) => ({
    name: s?.name ?? '',
    classId: s?.classId ?? null,
    heads: (s?.heads.map((h) => ({ feeHeadId: h.feeHeadId, amount: h.amount })) ?? [
      { feeHeadId: '', amount: null },
    ]) as Line[],
    instalments: (s?.instalments.map((i) => ({ name: i.name, dueDate: i.dueDate, percent: i.percent })) ?? [
      { name: t('Term 1'), dueDate: '', percent: 50 },
      { name: t('Term 2'), dueDate: '', percent: 50 },
    ]) as Part[],
    proRata: s?.proRata ?? true,
    lateFine: {
      type: s?.lateFine.type || 'NONE',
      amount: s?.lateFine.amount ?? null,
      graceDays: s?.lateFine.graceDays ?? null,
      maxAmount: s?.lateFine.maxAmount || null,
    } as Rule,
  })
  const draft = useDraft(pick(structure))
  const f = fieldsOf(draft)
  const v = draft.values
  const wire = (c: Partial<typeof v>) => ({
    ...c,
    ...(c.heads ? { heads: c.heads.map((h) => ({ ...h, amount: h.amount ?? 0 })) } : {}),
    ...(c.lateFine
      ? {
          lateFine: {
            type: c.lateFine.type as 'NONE',
            amount: c.lateFine.amount ?? 0,
            graceDays: c.lateFine.graceDays ?? 0,
            maxAmount: c.lateFine.maxAmount ?? 0,
          },
        }
      : {}),
  })
  const save = useSave({
    draft,
    labels,
    version: structure?.version,
    say: {
      heads: (x) =>
        x
          .map((h) => `${heads.data?.find((y) => y.id === h.feeHeadId)?.name ?? '?'} ${format.money(h.amount ?? 0)}`)
          .join(', '),
      instalments: (x) =>
        x
          .map((i) =>
            t('{name} {percent} % on {dueDate}', {
              name: i.name,
              percent: i.percent ?? 0,
              dueDate: format.date(i.dueDate),
            }),
          )
          .join(', '),
      classId: (x) => classes.data?.find((c) => c.id === x)?.name ?? '',
      lateFine: (x) =>
        x.type === 'NONE'
          ? t('None')
          : x.type === 'FIXED'
            ? t('{amount} once after {graceDays} days', {
                amount: format.money(x.amount ?? 0),
                graceDays: x.graceDays ?? 0,
              })
            : t('{amount} a day after {graceDays} days', {
                amount: format.money(x.amount ?? 0),
                graceDays: x.graceDays ?? 0,
              }),
    },
    save: (c, version) =>
      structure
        ? call(
            api.PUT('/school-admin/fee/structure/{id}', {
              params: { path: { id: structure.id } },
              body: { data: { ...wire(c), version } as unknown as Schemas['StructureChange'] },
            }),
          )
        : call(
            api.POST('/school-admin/fee/structure/create', {
              body: { data: { ...wire(v), academicYearId: year?.id } as unknown as Schemas['StructureIn'] },
            }),
          ),
    reread:
      structure &&
      (async () => {
        const now = await readStructure(structure.id)
        return { ...pick(now), version: now.version }
      }),
    onSaved: (s) => {
      changed('/school-admin/fee/')
      if (!structure && s) setAddress({ open: s.id })
    },
  })
  const isOptional = (id: string) => !!heads.data?.find((x) => x.id === id)?.optional
  const total = v.heads.reduce((n, h) => n + (isOptional(h.feeHeadId) ? 0 : (h.amount ?? 0)), 0)
  const percent = v.instalments.reduce((n, i) => n + (i.percent ?? 0), 0)
  const line = (i: number, change: Partial<Line>) =>
    draft.set(
      'heads',
      v.heads.map((h, n) => (n === i ? { ...h, ...change } : h)),
    )
  const part = (i: number, change: Partial<Part>) =>
    draft.set(
      'instalments',
      v.instalments.map((x, n) => (n === i ? { ...x, ...change } : x)),
    )
  const rule = (change: Partial<Rule>) => draft.set('lateFine', { ...v.lateFine, ...change })
  const e = (k: string) => draft.errors[k]
  return (
    <FormDrawer
      title={structure?.name ?? t('Add a fee structure')}
      what={structure?.name ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!structure}
      extra={
        structure && (
          <Group mt={24}>
            <Button component={Link} to="/fees/charge" search={{ class: structure.classId } as never} variant="default">
              {t('Charge this class')}
            </Button>
          </Group>
        )
      }
    >
      <div className="pair">
        {f.text({ k: 'name', label: labels.name, placeholder: 'Class 5', required: true })}
        {f.choice({
          k: 'classId',
          label: labels.classId,
          data: (classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
          none: t('Choose a class'),
          disabled: !!structure,
        })}
      </div>
      <div>
        <Group justify="space-between" mb={8}>
          <Text className="section" m={0}>
            {t('For the whole year')}
          </Text>
          <Text size="sm">{rich('Total {total}', { total: <Money of={total} strong /> })}</Text>
        </Group>
        <Stack gap={8}>
          {v.heads.map((h, i) => (
            <div className="line-2" key={i}>
              <NativeSelect
                aria-label={t('Fee head {i}', { i: i + 1 })}
                value={h.feeHeadId}
                error={e(`heads[${i}].feeHeadId`)}
                data={[
                  { value: '', label: t('Choose a fee head') },
                  ...(heads.data ?? []).map((x) => ({
                    value: x.id,
                    label: x.optional ? t('{name} (subscribers)', { name: x.name }) : x.name,
                  })),
                ]}
                onChange={(x) => line(i, { feeHeadId: x.currentTarget.value })}
              />
              <MoneyInput
                label=""
                aria-label={t('Amount {i}', { i: i + 1 })}
                value={h.amount}
                onChange={(a) => line(i, { amount: a })}
                error={e(`heads[${i}].amount`)}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={t('Remove fee head {i}', { i: i + 1 })}
                disabled={v.heads.length === 1}
                onClick={() =>
                  draft.set(
                    'heads',
                    v.heads.filter((_, n) => n !== i),
                  )
                }
              >
                <IconX size={16} />
              </ActionIcon>
            </div>
          ))}
          {e('heads') && (
            <Text size="sm" c="red.8">
              {e('heads')}
            </Text>
          )}
          <Group gap={12}>
            <Button
              variant="default"
              size="compact-md"
              leftSection={<IconPlus size={14} />}
              onClick={() => draft.set('heads', [...v.heads, { feeHeadId: '', amount: null }])}
            >
              {t('Fee head')}
            </Button>
            {heads.data?.length === 0 && (
              <Text size="sm">
                {rich('There is none yet: {link}.', {
                  link: (
                    <Link to="/fees/heads" search={{ open: 'new' } as never} style={{ color: 'inherit' }}>
                      {t('add one first')}
                    </Link>
                  ),
                })}
              </Text>
            )}
          </Group>
        </Stack>
      </div>
      <div>
        <Group justify="space-between" mb={8}>
          <Text className="section" m={0}>
            {t('Instalments')}
          </Text>
          <Text size="sm" c={percent === 100 ? undefined : 'red.8'} className="figures">
            {percent === 100
              ? t('Total 100 %')
              : t('Total {percent} %: it must be 100', { percent: format.number(percent) })}
          </Text>
        </Group>
        <Stack gap={8}>
          {v.instalments.map((x, i) => (
            <div className="line-3" key={i}>
              <TextInput
                aria-label={t('Name of instalment {i}', { i: i + 1 })}
                placeholder={t('Term 1')}
                value={x.name}
                error={e(`instalments[${i}].name`)}
                onChange={(ev) => part(i, { name: ev.currentTarget.value })}
              />
              <DateField
                aria-label={t('Instalment {i} is due on', { i: i + 1 })}
                value={x.dueDate}
                error={e(`instalments[${i}].dueDate`)}
                onChange={(day) => part(i, { dueDate: day })}
              />
              <NumberInput
                aria-label={t('Percent of instalment {i}', { i: i + 1 })}
                suffix=" %"
                decimalScale={2}
                min={0}
                max={100}
                hideControls
                value={x.percent ?? ''}
                error={e(`instalments[${i}].percent`)}
                onChange={(n) => part(i, { percent: n === '' ? null : Number(n) })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={t('Remove instalment {i}', { i: i + 1 })}
                disabled={v.instalments.length === 1}
                onClick={() =>
                  draft.set(
                    'instalments',
                    v.instalments.filter((_, n) => n !== i),
                  )
                }
              >
                <IconX size={16} />
              </ActionIcon>
            </div>
          ))}
          {e('instalments') && (
            <Text size="sm" c="red.8">
              {e('instalments')}
            </Text>
          )}
          <Group>
            <Button
              variant="default"
              size="compact-md"
              leftSection={<IconPlus size={14} />}
              onClick={() =>
                draft.set('instalments', [
                  ...v.instalments,
                  {
                    name: t('Term {instalments}', { instalments: v.instalments.length + 1 }),
                    dueDate: '',
                    percent: Math.max(0, 100 - percent) || null,
                  },
                ])
              }
            >
              {t('Instalment')}
            </Button>
          </Group>
        </Stack>
      </div>
      {f.yes({
        k: 'proRata',
        label: t('Students who join during the year pay for the rest of it'),
        description: t('So do subscribers of an optional fee head'),
      })}
      <div>
        <Text className="section" mt={0}>
          {t('Late payment')}
        </Text>
        <div className="pair">
          <NativeSelect
            label={t('Fine')}
            value={v.lateFine.type}
            onChange={(x) => rule({ type: x.currentTarget.value })}
            data={[
              { value: 'NONE', label: t('None') },
              { value: 'FIXED', label: t('Once') },
              { value: 'PER_DAY', label: t('For every day') },
            ]}
          />
          {v.lateFine.type !== 'NONE' && (
            <>
              <MoneyInput
                label={v.lateFine.type === 'FIXED' ? t('Amount') : t('Amount a day')}
                value={v.lateFine.amount}
                onChange={(a) => rule({ amount: a })}
                error={e('lateFine.amount')}
              />
              <NumberInput
                label={t('Days of grace')}
                hideControls
                allowDecimal={false}
                min={0}
                max={366}
                value={v.lateFine.graceDays ?? ''}
                onChange={(n) => rule({ graceDays: n === '' ? null : Number(n) })}
                error={e('lateFine.graceDays')}
              />
              {v.lateFine.type === 'PER_DAY' && (
                <MoneyInput
                  label={t('At most')}
                  description={t('Of one invoice; empty is no limit')}
                  value={v.lateFine.maxAmount}
                  onChange={(a) => rule({ maxAmount: a })}
                  error={e('lateFine.maxAmount')}
                />
              )}
            </>
          )}
        </div>
      </div>
      {structure && (
        <Text size="sm" c="dimmed">
          {t('A change holds for what is charged from now on. What was charged stays.')}
        </Text>
      )}
    </FormDrawer>
  )
}
