import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { useMay } from '../../api/session'
import { rich, t } from '../../messages/console'
import { Dialog, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
import { MoneyInput } from '../../patterns/money'
import { useOnce } from '../../patterns/once'
import { moneyMoved } from './shared'

/** Whether a day is closed, and the button that closes it. */
export function DayState({ of }: { of: Schemas['Closing'] }) {
  const format = useFormat()
  const may = useMay()
  const [closing, setClosing] = useState(false)
  const c = of.closed[0]
  if (c)
    return (
      <Alert
        variant="light"
        maw={794}
        mb={16}
        title={t('Closed by {closedByName}, {closedAt}', {
          closedByName: c.closedByName,
          closedAt: format.dateTime(c.closedAt),
        })}
      >
        <Text size="sm">
          {c.difference === 0
            ? t('{counted} counted in the drawer. No difference.', { counted: format.money(c.counted) })
            : c.difference < 0
              ? t('{counted} counted in the drawer. {abs} missing: {reason}', {
                  counted: format.money(c.counted),
                  abs: format.money(Math.abs(c.difference)),
                  reason: c.reason,
                })
              : t('{counted} counted in the drawer. {abs} too much: {reason}', {
                  counted: format.money(c.counted),
                  abs: format.money(Math.abs(c.difference)),
                  reason: c.reason,
                })}
        </Text>
      </Alert>
    )
  if (!may('fee', 'write')) return null
  return (
    <Group mb={16} className="no-print">
      <Button variant="default" onClick={() => setClosing(true)}>
        {t('Close the day…')}
      </Button>
      {closing && <CloseDay of={of} close={() => setClosing(false)} />}
    </Group>
  )
}

function CloseDay({ of, close }: { of: Schemas['Closing']; close: () => void }) {
  const format = useFormat()
  const once = useOnce(`day.${of.from}`)
  const [counted, setCounted] = useState<number | null>(null)
  const [reason, setReason] = useState('')
  const kept = useKept(
    `close-day.${of.from}`,
    counted !== null || reason ? { counted, reason } : undefined,
    of.cash,
    (was) => {
      setCounted(was.counted)
      setReason(was.reason)
    },
  )
  const difference = counted === null ? 0 : counted - of.cash
  const post = useMutation({
    mutationFn: () => {
      const data = { date: of.from, counted: counted!, reason: difference ? reason.trim() : '' }
      return call(
        api.POST('/school-admin/fee/day/close', {
          params: { header: { 'Idempotency-Key': once.keyFor(data) } },
          body: { data },
        }),
      )
    },
    onSuccess: () => {
      once.happened()
      moneyMoved()
      notifications.show({ message: t('{from} is closed.', { from: format.date(of.from) }) })
      close()
    },
    onError: (e) => {
      const status = asProblem(e).status
      if (status > 0 && status < 500) {
        once.forget()
        moneyMoved() // somebody may have received or closed meanwhile
      }
    },
  })
  return (
    <Dialog onClose={close} title={t('Close {from}?', { from: format.date(of.from) })}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (!post.isPending && !once.done) post.mutate()
        }}
      >
        <Stack gap={16}>
          <KeptOffer kept={kept} what={t('A part of this form was')} />
          <Text>
            {rich(
              'Cash received less paid out: {cash}. A closed day takes no more payments, refunds and reversals, and cannot be opened again.',
              { cash: <b className="figures">{format.money(of.cash)}</b> },
            )}
          </Text>
          <MoneyInput
            label={t('Cash counted')}
            description={t('Of this day, without the change the drawer began with')}
            value={counted}
            onChange={setCounted}
          />
          {difference !== 0 && (
            <>
              <Text role="status" c="red.8">
                {difference < 0
                  ? t('{abs} missing', { abs: format.money(Math.abs(difference)) })
                  : t('{abs} too much', { abs: format.money(Math.abs(difference)) })}
              </Text>
              <Textarea
                label={t('Reason')}
                description={t('Kept with the day, and in the ledger with the difference')}
                maxLength={500}
                autosize
                minRows={2}
                value={reason}
                onChange={(e) => setReason(e.currentTarget.value)}
              />
            </>
          )}
          <Trouble error={post.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button
              type="submit"
              loading={post.isPending || once.done}
              disabled={counted === null || (difference !== 0 && !reason.trim())}
            >
              {t('Close the day')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
