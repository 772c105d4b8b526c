import { ActionIcon, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, openPaper, type Schemas } from '../../api/client'
import { fetchAll } from '../../api/list'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { DateField } from '../../patterns/DateField'
import { Dialog, Lines, Trouble } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { useOnce } from '../../patterns/once'
import { useYear } from '../../shell/year'

const kinds = {
  bonafide: { title: t('Bonafide certificates'), right: 'student', list: '/school-admin/student/bonafide/list' },
  fee: { title: t('Fee certificates'), right: 'fee', list: '/school-admin/fee/certificate/list' },
} as const

/** The certificates of a student that were issued, to print again, and the next one. */
export function Certificates({
  kind,
  student,
  close,
}: {
  kind: keyof typeof kinds
  student: Schemas['StudentDetail']
  close: () => void
}) {
  const may = useMay()
  const format = useFormat()
  const { years, year: shown } = useYear()
  const { title, right, list } = kinds[kind]
  const [purpose, setPurpose] = useState('')
  const [year, setYear] = useState(shown?.id ?? '')
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const once = useOnce(`${kind}-certificate.${student.id}`, true)
  const issued = useQuery({
    queryKey: [list, student.id],
    queryFn: () => fetchAll(list, { filters: { studentId: student.id } }),
  })
  const print = useMutation({
    mutationFn: (c: { id: string; number: number }) =>
      openPaper(
        kind === 'fee' ? `/school-admin/fee/certificate/${c.id}` : `/school-admin/student/bonafide/${c.id}`,
        { format: 'pdf' },
        `${kind}-certificate-${c.number}.pdf`,
      ),
  })
  const issue = useMutation({
    mutationFn: async () => {
      const who = { studentId: student.id, purpose: purpose.trim() }
      const days = year ? { academicYearId: year } : { from, to }
      const header = { 'Idempotency-Key': once.keyFor([who, days]) }
      return kind === 'fee'
        ? await call(
            api.POST('/school-admin/fee/certificate', { params: { header }, body: { data: { ...who, ...days } } }),
          )
        : await call(api.POST('/school-admin/student/bonafide/create', { params: { header }, body: { data: who } }))
    },
    onSuccess: (c) => {
      once.happened()
      changed(list)
      setPurpose('')
      print.mutate(c)
    },
    onError: (e) => asProblem(e).status < 500 && asProblem(e).status > 0 && once.forget(),
  })
  return (
    <Dialog onClose={close} title={t('{title} of {name}', { title, name: nameOf(student) })}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          issue.mutate()
        }}
      >
        <Stack gap={16}>
          {!issued.data && !issued.error && <Lines n={2} />}
          <Trouble error={issued.error} retry={() => void issued.refetch()} />
          {issued.data?.map((c) => (
            <Group key={c.id} justify="space-between" wrap="nowrap" gap={8}>
              <Text size="sm">
                {t('No. {number}, {createdAt}{purpose}', {
                  number: c.number,
                  createdAt: format.date(c.createdAt),
                  purpose: c.purpose && ` · ${c.purpose}`,
                })}
              </Text>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={40}
                aria-label={t('Print no. {number}', { number: c.number })}
                title={t('Print')}
                onClick={() => print.mutate(c)}
              >
                <IconPrinter size={18} stroke={1.6} />
              </ActionIcon>
            </Group>
          ))}
          {issued.data?.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('None issued yet.')}
            </Text>
          )}
          {may(right, 'write') && (
            <>
              {kind === 'fee' && (
                <NativeSelect
                  label={t('Paid in')}
                  value={year}
                  onChange={(e) => setYear(e.currentTarget.value)}
                  data={[...years.map((y) => ({ value: y.id, label: y.name })), { value: '', label: t('Other days') }]}
                />
              )}
              {kind === 'fee' && !year && (
                <div className="pair">
                  <DateField label={t('From')} required value={from} onChange={setFrom} />
                  <DateField label={t('To')} required value={to} onChange={setTo} />
                </div>
              )}
              <TextInput
                label={t('Issued for')}
                description={t('Printed on the certificate; it may be empty')}
                placeholder={kind === 'fee' ? t('Income tax') : t('Passport application')}
                maxLength={200}
                value={purpose}
                onChange={(e) => setPurpose(e.currentTarget.value)}
              />
            </>
          )}
          <Trouble error={issue.error ?? print.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Close')}
            </Button>
            {may(right, 'write') && (
              <Button type="submit" loading={issue.isPending}>
                {t('Issue and print')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
