import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlus, IconScale } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { useMay } from '../../api/session'
import { useAddress } from '../../patterns/address'
import { ChooseCSV, DryRunTable, useCSVFile } from '../../patterns/csv-file'
import { DateField } from '../../patterns/DateField'
import { Dialog, Empty, Status, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { Money, MoneyInput } from '../../patterns/money'
import { useOnce } from '../../patterns/once'
import { type Person, PersonPicker } from '../../patterns/PersonPicker'
import { fieldsOf, useDraft } from '../../patterns/record'
import { TakeBack } from './ad-hoc'
import { moneyMoved, SetupNav } from './shared'

type Item = Schemas['OpeningBalance']
type Imported = Schemas['OpeningsImported']
const kinds = [
  { value: 'DUE', label: 'Owed by the family' },
  { value: 'CREDIT', label: 'Paid in advance' },
]
const kindWord = (t: string) => kinds.find((k) => k.value === t)?.label ?? t

/** What families owed, or had in credit, when the school began to keep its fees here. */
export function OpeningBalances() {
  const may = useMay()
  const format = useFormat()
  const [address, setAddress] = useAddress()
  const [back, setBack] = useState<Item | null>(null)
  const close = () => setAddress({ do: undefined })
  const add = may('fee', 'write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ do: 'add' })}>
      Enter a balance
    </Button>
  )
  return (
    <>
      <SetupNav />
      <ListPage
        path="/school-admin/fee/opening-balance/list"
        title="Opening balances"
        noun={['opening balance', 'opening balances']}
        id={(o) => o.id}
        name={(o) => `Opening balance of ${o.studentName}`}
        search="Student"
        filters={[
          { key: 'type', label: 'Kind', options: kinds },
          {
            key: 'reversed',
            label: 'State',
            options: [
              { value: 'false', label: 'in force' },
              { value: 'true', label: 'reversed' },
            ],
          },
        ]}
        columns={[
          { key: 'student', title: 'Student', cell: (o) => o.studentName, sort: 'studentName' },
          { key: 'admission', title: 'Admission no.', cell: (o) => o.admissionNumber },
          { key: 'kind', title: 'Kind', cell: (o) => kindWord(o.type) },
          { key: 'date', title: 'Since', cell: (o) => format.date(o.date), sort: 'date', phone: true },
          { key: 'text', title: 'Text', cell: (o) => o.narration },
          {
            key: 'amount',
            title: 'Amount',
            cell: (o) => <Money of={o.amount} />,
            end: true,
            phone: true,
          },
          {
            key: 'state',
            title: 'State',
            cell: (o) =>
              o.reversed ? (
                <Status tone="off">Reversed</Status>
              ) : may('fee', 'write') ? (
                <Button variant="default" size="compact-sm" onClick={() => setBack(o)}>
                  Reverse…
                </Button>
              ) : (
                ''
              ),
          },
        ]}
        primary={add}
        more={
          may('fee', 'write') && (
            <Button variant="default" onClick={() => setAddress({ do: 'import' })}>
              From a file
            </Button>
          )
        }
        empty={
          <Empty
            icon={<IconScale size={32} stroke={1.2} />}
            title="No opening balances"
            text="What families owed, or had paid in advance, when the school began to keep its fees here. It counts in dues and statements since its date; nobody is notified."
            action={add}
          />
        }
      />
      {address.do === 'add' && <AddDialog close={close} />}
      {address.do === 'import' && <ImportDialog close={close} />}
      {back && (
        <TakeBack
          transactionId={back.id}
          title="Reverse this opening balance?"
          text={`${format.money(back.amount)} of ${back.studentName}. Nobody is notified; another can be entered afterwards.`}
          close={() => setBack(null)}
        />
      )}
    </>
  )
}

function AddDialog({ close }: { close: () => void }) {
  const once = useOnce('opening balance')
  const [whom, setWhom] = useState<Person | null>(null)
  const draft = useDraft({ type: 'DUE', amount: null as number | null, date: null as string | null, note: '' })
  const f = fieldsOf(draft)
  const v = draft.values
  const enter = useMutation({
    mutationFn: () => {
      const data = { studentId: whom!.id, ...v, amount: v.amount ?? 0 } as Schemas['OpeningIn']
      return call(
        api.POST('/school-admin/fee/opening-balance/create', {
          params: { header: { 'Idempotency-Key': once.keyFor(data) } },
          body: { data },
        }),
      )
    },
    onSuccess: () => {
      once.happened()
      moneyMoved()
      close()
    },
    onError: (e) => draft.setErrors(asProblem(e).fields),
  })
  return (
    <Dialog onClose={close} title="Enter an opening balance" size={520}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (whom && !enter.isPending && !once.done) enter.mutate()
        }}
      >
        <Stack gap={16}>
          {whom ? (
            <Group justify="space-between" gap={8}>
              <Text fw={500}>{whom.name}</Text>
              <Button variant="default" size="compact-sm" onClick={() => setWhom(null)}>
                Another
              </Button>
            </Group>
          ) : (
            <PersonPicker label="Student" size="sm" autoFocus onPick={setWhom} error={draft.errors.studentId} />
          )}
          <div className="pair">
            {f.choice({ k: 'type', label: 'Kind', data: kinds })}
            <MoneyInput
              label="Amount"
              value={v.amount}
              onChange={(a) => draft.set('amount', a)}
              error={draft.errors.amount}
            />
          </div>
          <div className="pair">
            {f.day({ k: 'date', label: 'Since', description: 'Dues are aged from this day' })}
            {f.text({ k: 'note', label: 'Text', placeholder: 'Term 2 of last year', maxLength: 200 })}
          </div>
          <Text size="sm" c="dimmed">
            The family is not notified.
          </Text>
          {enter.error && !Object.keys(asProblem(enter.error).fields).length && <Trouble error={enter.error} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={enter.isPending} disabled={!whom || !v.amount || !v.date}>
              Enter
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

const path = '/school-admin/fee/opening-balance/import'
const sample = [
  ['admissionNumber', 'amount', 'date', 'note'],
  ['2026-0001', '1500.00', '2026-03-31', 'Term 3'],
  ['2026-0002', '-200.00', '2026-03-31', ''],
]

function ImportDialog({ close }: { close: () => void }) {
  const format = useFormat()
  const [day, setDay] = useState('')
  const {
    file,
    plan: p,
    check,
    commit,
    forget,
  } = useCSVFile<Imported>(path, {
    query: day ? { date: day } : {},
    done: (r) => {
      moneyMoved()
      notifications.show({ message: `${format.number(r.dues + r.credits)} opening balances entered.` })
      close()
    },
  })
  return (
    <Dialog onClose={close} title="Opening balances from a file" size={720}>
      <Stack gap={16}>
        <Text size="sm">
          A CSV file with the columns admissionNumber and amount, and if you like date and note. An amount below zero
          was paid in advance. All rows are entered or none.
        </Text>
        <DateField
          label="Since"
          description="For rows without a date; today unless you choose one"
          value={day}
          onChange={(day) => {
            setDay(day)
            forget()
          }}
        />
        <ChooseCSV
          take={(f) => check.mutate(f)}
          busy={check.isPending}
          chosen={file?.file.name}
          example={{ name: 'opening-balances', rows: sample }}
        />
        <Trouble error={check.error ?? commit.error} />
        {p && (
          <Alert variant="light" role="status" title={`${format.number(p.rowsRead)} rows are ready`}>
            {format.number(p.dues)} families owed {format.money(p.dueAmount)}, {format.number(p.credits)} had paid{' '}
            {format.money(p.creditAmount)} in advance.
          </Alert>
        )}
        {file && file.errors.length > 0 && <DryRunTable rows={file.rows} errors={file.errors} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button disabled={!p || p.dues + p.credits === 0} loading={commit.isPending} onClick={() => commit.mutate()}>
            Enter all
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
