import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call } from '../../api/client'
import { t } from '../../messages/console'
import { Dialog, Trouble } from '../../patterns/feedback'
import { MoneyInput } from '../../patterns/money'
import { useOnce } from '../../patterns/once'
import type { Copy, Loan } from './shared'

/** Writes a copy off that will not come back, and charges the student. */
export function LostDialog({
  copy,
  loan,
  close,
  done,
}: {
  copy: Copy
  loan: Loan | null
  close: () => void
  done: (l: Loan) => void
}) {
  const once = useOnce(`lost.${copy.id}`)
  const [amount, setAmount] = useState<number | null>(null)
  const student = !loan || !!loan.studentId
  const lose = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/library/loan/lost', {
          params: { header: { 'Idempotency-Key': once.keyFor(amount) } },
          body: { data: { copyId: copy.id, ...(amount === null ? {} : { amount }) } },
        }),
      ),
    onSuccess: (l) => {
      once.happened()
      done(l)
    },
  })
  const problem = lose.error ? asProblem(lose.error) : null
  return (
    <Dialog onClose={close} title={t('Mark {title} as lost?', { title: copy.title })}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (!lose.isPending && !once.done) lose.mutate()
        }}
      >
        <Stack gap={16}>
          <Text>
            {student
              ? t(
                  'The loan of {borrowerName} ends and copy {accessionNumber} is marked as lost. What it costs goes to the fee account.',
                  { borrowerName: copy.borrowerName, accessionNumber: copy.accessionNumber },
                )
              : t(
                  'The loan of {borrowerName} ends and copy {accessionNumber} is marked as lost. An employee has no fee account and is not charged here.',
                  { borrowerName: copy.borrowerName, accessionNumber: copy.accessionNumber },
                )}
          </Text>
          {student && (
            <MoneyInput
              label={t('Amount')}
              description={t("Leave empty for the book's price; 0 charges nothing")}
              value={amount}
              onChange={setAmount}
              error={problem?.fields.amount}
            />
          )}
          {problem && !problem.fields.amount && <Trouble error={problem} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" color="red.8" loading={lose.isPending || once.done}>
              {t('Mark as lost')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
