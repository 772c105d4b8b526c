import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlus, IconScale } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
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
const kinds = [
  { value: 'DUE', label: t('Owed by the family') },
  { value: 'CREDIT', label: t('Paid in advance') },
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
      {t('Enter a balance')}
    </Button>
  )
  return (
    <>
      <SetupNav />
      <ListPage
        path="/school-admin/fee/opening-balance/list"
        title={t('Opening balances')}
        noun={[t('opening balance'), t('opening balances')]}
        id={(o) => o.id}
        name={(o) => t('Opening balance of {studentName}', { studentName: o.studentName })}
        search={t('Student')}
        filters={[
          { key: 'type', label: t('Kind'), options: kinds },
          {
            key: 'reversed',
            label: t('State'),
            options: [
              { value: 'false', label: t('in force') },
              { value: 'true', label: t('reversed') },
            ],
          },
        ]}
        columns={[
          { key: 'student', title: t('Student'), cell: (o) => o.studentName, sort: 'studentName' },
          { key: 'admission', title: t('Admission no.'), cell: (o) => o.admissionNumber },
          { key: 'kind', title: t('Kind'), cell: (o) => kindWord(o.type) },
          { key: 'date', title: t('Since'), cell: (o) => format.date(o.date), sort: 'date', phone: true },
          { key: 'text', title: t('Text'), cell: (o) => o.narration },
          {
            key: 'amount',
            title: t('Amount'),
            cell: (o) => <Money of={o.amount} />,
            end: true,
            phone: true,
          },
          {
            key: 'state',
            title: t('State'),
            cell: (o) =>
              o.reversed ? (
                <Status tone="off">{t('Reversed')}</Status>
              ) : may('fee', 'write') ? (
                <Button variant="default" size="compact-sm" onClick={() => setBack(o)}>
                  {t('Reverse…')}
                </Button>
              ) : (
                ''
              ),
          },
        ]}
        primary={add}
        more={
          may('fee', 'write') && (
            <Button variant="default" component={Link} to="/import" search={{ kind: 'OPENING_BALANCE' } as never}>
              {t('From a file')}
            </Button>
          )
        }
        empty={
          <Empty
            icon={<IconScale size={32} stroke={1.2} />}
            title={t('No opening balances')}
            text={t(
              'What families owed, or had paid in advance, when the school began to keep its fees here. It counts in dues and statements since its date; nobody is notified.',
            )}
            action={add}
          />
        }
      />
      {address.do === 'add' && <AddDialog close={close} />}
      {back && (
        <TakeBack
          transactionId={back.id}
          title={t('Reverse this opening balance?')}
          text={t('{amount} of {studentName}. Nobody is notified; another can be entered afterwards.', {
            amount: format.money(back.amount),
            studentName: back.studentName,
          })}
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
    <Dialog onClose={close} title={t('Enter an opening balance')} size={520}>
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
                {t('Another')}
              </Button>
            </Group>
          ) : (
            <PersonPicker label={t('Student')} size="sm" autoFocus onPick={setWhom} error={draft.errors.studentId} />
          )}
          <div className="pair">
            {f.choice({ k: 'type', label: t('Kind'), data: kinds })}
            <MoneyInput
              label={t('Amount')}
              value={v.amount}
              onChange={(a) => draft.set('amount', a)}
              error={draft.errors.amount}
            />
          </div>
          <div className="pair">
            {f.day({ k: 'date', label: t('Since'), description: t('Dues are aged from this day') })}
            {f.text({ k: 'note', label: t('Text'), placeholder: t('Term 2 of last year'), maxLength: 200 })}
          </div>
          <Text size="sm" c="dimmed">
            {t('The family is not notified.')}
          </Text>
          {enter.error && !Object.keys(asProblem(enter.error).fields).length && <Trouble error={enter.error} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={enter.isPending} disabled={!whom || !v.amount || !v.date}>
              {t('Enter')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
