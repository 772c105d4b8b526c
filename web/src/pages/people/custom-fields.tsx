// The school's own fields: asked for in forms, shown on records and in lists.
import { NativeSelect, NumberInput, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { fetchAll, type ItemOf } from '../../api/list'
import { t } from '../../messages/console'
import { DateField } from '../../patterns/DateField'
import { useFormat } from '../../patterns/format'
import { type Draft, Facts } from '../../patterns/record'

type CustomField = ItemOf<'/school-admin/custom-field/list'>
/** By the fields' keys; null is a value that is to be cleared. */
export type CustomValues = Record<string, string | number | boolean | null>

export const otherDetails = t('Other details')

/** The fields of a subject in their order, retired ones too. */
export function useCustomFields(subject: CustomField['appliesTo']): CustomField[] {
  const q = useQuery({
    queryKey: ['/school-admin/custom-field/list', 'all'],
    queryFn: () => fetchAll('/school-admin/custom-field/list', { sort: 'position', order: 'asc' }),
  })
  return (q.data ?? []).filter((f) => f.appliesTo === subject)
}

/** What a record has, as the API answers it. */
export const valuesOf = (record?: { customFields?: unknown }) => (record?.customFields ?? {}) as CustomValues

/** A value as people read it. */
function useCustomText() {
  const format = useFormat()
  return (f: CustomField | undefined, v: CustomValues[string] | undefined): string => {
    if (v === null || v === undefined || v === '') return ''
    if (typeof v === 'boolean') return v ? t('Yes') : t('No')
    return f?.kind === 'DATE' ? format.date(String(v)) : String(v)
  }
}

/** All values in a line, for where theirs and yours are compared. */
export function useCustomLine(subject: CustomField['appliesTo']) {
  const fields = useCustomFields(subject)
  const text = useCustomText()
  return (values: CustomValues) =>
    fields
      .filter((f) => text(f, values[f.key]))
      .map((f) => `${f.label}: ${text(f, values[f.key])}`)
      .join(', ')
}

/** The values a record has, to be read. */
export function CustomFacts({ subject, of }: { subject: CustomField['appliesTo']; of: CustomValues }) {
  const fields = useCustomFields(subject)
  const text = useCustomText()
  const shown = fields.filter((f) => !f.retired || text(f, of[f.key]))
  if (shown.length === 0) return null
  return <Facts of={shown.map((f) => [f.label, text(f, of[f.key])])} />
}

/** The columns and filters of the fields that the school wants in a list. */
export function useCustomColumns(subject: CustomField['appliesTo']) {
  const text = useCustomText()
  const fields = useCustomFields(subject).filter((f) => f.inList && !f.retired)
  return {
    columns: fields.map((f) => ({
      key: `custom-${f.key}`,
      title: f.label,
      cell: (row: { customFields?: unknown }) => text(f, valuesOf(row)[f.key]),
      end: f.kind === 'NUMBER',
    })),
    filters: fields
      .filter((f) => f.kind === 'CHOICE' || f.kind === 'YES_NO')
      .map((f) => ({
        key: 'customFields' as const,
        member: f.key,
        label: f.label,
        options:
          f.kind === 'CHOICE'
            ? f.options.map((o) => ({ value: JSON.stringify(o), label: o }))
            : [
                { value: 'true', label: t('Yes') },
                { value: 'false', label: t('No') },
              ],
      })),
  }
}

/** The fields of a form. Errors are by customFields.key, after what `at` says. */
export function CustomInputs({
  subject,
  values,
  errors,
  set,
  at = 'customFields',
  heading,
}: {
  subject: CustomField['appliesTo']
  values: CustomValues
  errors: Record<string, string>
  set: (values: CustomValues) => void
  at?: string
  heading?: boolean
}) {
  const text = useCustomText()
  const fields = useCustomFields(subject).filter((f) => !f.retired || text(f, values[f.key]))
  if (fields.length === 0) return null
  return (
    <>
      {heading && (
        <Text className="section" mb={0}>
          {otherDetails}
        </Text>
      )}
      <div className="pair">
        {fields.map((f) => {
          const value = values[f.key] ?? null
          const put = (v: CustomValues[string]) => set({ ...values, [f.key]: v === '' ? null : v })
          const common = { label: f.label, error: errors[`${at}.${f.key}`] }
          if (f.retired)
            return (
              <TextInput
                key={f.key}
                {...common}
                description={t('Retired')}
                disabled
                value={text(f, value)}
                onChange={() => undefined}
              />
            )
          if (f.kind === 'NUMBER')
            return (
              <NumberInput
                key={f.key}
                {...common}
                hideControls
                decimalScale={6}
                value={typeof value === 'number' ? value : ''}
                onChange={(v) => put(v === '' ? null : Number(v))}
              />
            )
          if (f.kind === 'DATE') return <DateField key={f.key} {...common} value={String(value ?? '')} onChange={put} />
          if (f.kind === 'TEXT')
            return (
              <TextInput
                key={f.key}
                {...common}
                maxLength={500}
                value={String(value ?? '')}
                onChange={(e) => put(e.currentTarget.value)}
              />
            )
          const gone = f.kind === 'CHOICE' && value !== null && !f.options.includes(String(value))
          return (
            <NativeSelect
              key={f.key}
              {...common}
              value={String(value ?? '')}
              data={[
                { value: '', label: t('Not specified') },
                ...(f.kind === 'YES_NO'
                  ? [
                      { value: 'true', label: t('Yes') },
                      { value: 'false', label: t('No') },
                    ]
                  : [...f.options, ...(gone ? [String(value)] : [])].map((o) => ({ value: o, label: o }))),
              ]}
              onChange={(e) => {
                const v = e.currentTarget.value
                put(f.kind === 'YES_NO' && v ? v === 'true' : v)
              }}
            />
          )
        })}
      </div>
    </>
  )
}

/** The fields in a form with a draft. */
export function CustomPart<T extends { customFields: CustomValues }>({
  draft,
  subject,
  heading,
}: {
  draft: Draft<T>
  subject: CustomField['appliesTo']
  heading?: boolean
}) {
  return (
    <CustomInputs
      subject={subject}
      heading={heading}
      values={draft.values.customFields}
      errors={draft.errors}
      set={(values) => {
        draft.set('customFields', values)
        draft.setErrors(Object.fromEntries(Object.entries(draft.errors).filter(([k]) => !k.startsWith('customFields'))))
      }}
    />
  )
}
