// How money came: the fields that the counter of one student and of a family share.

import { Checkbox, Radio, SimpleGrid, TextInput } from '@mantine/core'
import { t } from '../../messages/console'
import { useToday } from '../../patterns/choices'
import { DateField } from '../../patterns/DateField'
import { modes } from './shared'

export interface Tender {
  paymentMode: (typeof modes)[number]['value']
  referenceNumber: string
  /** Of a cheque: the bank has not paid it yet. */
  inClearing?: boolean
  /** The day it came; today unless given. */
  receivedOn?: string
}

export const cash: Tender = { paymentMode: 'CASH', referenceNumber: '' }

/** A tender as it is sent. */
export const sentTender = (t: Tender): Tender => ({ ...t, referenceNumber: t.referenceNumber.trim() })

/** What is missing of it, in words. */
export const missingReference = (each: Tender) =>
  each.paymentMode === 'CHEQUE' && !each.referenceNumber.trim() ? t('Enter the cheque number') : undefined

export function TenderFields({
  tender: each,
  change,
  disabled,
  errors,
}: {
  tender: Tender
  change: (t: Tender) => void
  disabled?: boolean
  errors: { referenceNumber?: string; receivedOn?: string }
}) {
  const today = useToday()
  return (
    <>
      <Radio.Group
        label={t('Paid by')}
        value={each.paymentMode}
        onChange={(v) => {
          const { inClearing: _, ...rest } = each
          change({ ...rest, paymentMode: v as Tender['paymentMode'] })
        }}
      >
        <SimpleGrid cols={2} spacing={8} mt={4} verticalSpacing={8}>
          {modes.map((m) => (
            <Radio key={m.value} value={m.value} label={m.label} disabled={disabled} />
          ))}
        </SimpleGrid>
      </Radio.Group>
      <TextInput
        id="reference"
        label={each.paymentMode === 'CHEQUE' ? t('Cheque number') : t('Reference')}
        description={
          each.paymentMode === 'CASH'
            ? t('Not needed for cash')
            : t('Of the cheque, the slip or the transfer; shown on the receipt')
        }
        maxLength={100}
        value={each.referenceNumber}
        disabled={disabled}
        error={errors.referenceNumber}
        onChange={(e) => change({ ...each, referenceNumber: e.currentTarget.value })}
      />
      {each.paymentMode === 'CHEQUE' && (
        <Checkbox
          label={t('In clearing')}
          description={t('The bank has not paid it yet. It is counted as paid, and is cleared or bounces later')}
          checked={!!each.inClearing}
          disabled={disabled}
          onChange={(e) => {
            const { inClearing: _, ...rest } = each
            change(e.currentTarget.checked ? { ...rest, inClearing: true } : rest)
          }}
        />
      )}
      <DateField
        label={t('Received on')}
        description={t('Today, or an earlier day of the academic year that is not closed')}
        max={today}
        value={each.receivedOn ?? today}
        disabled={disabled}
        error={errors.receivedOn}
        onChange={(day) => {
          const { receivedOn: _, ...rest } = each
          change(day && day !== today ? { ...rest, receivedOn: day } : rest)
        }}
      />
    </>
  )
}
