// Marks from a spreadsheet. The server reads the whole file or nothing of it, and says what is wrong row by row.
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Schemas, upload } from '../../api/client'
import { changed } from '../../api/queries'
import { rich, t } from '../../messages/console'
import { ChooseCSV, DryRunTable, parseCSV, rowErrors } from '../../patterns/csv-file'
import { Dialog, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import type { Exam } from './exam-form'

export function MarksFile({ exam, papers, close }: { exam: Exam; papers: Schemas['Paper'][]; close: () => void }) {
  const format = useFormat()
  const [paper, setPaper] = useState('')
  const [rows, setRows] = useState<string[][]>([])
  const send = useMutation({
    mutationFn: async (file: File) => {
      setRows(parseCSV(await file.text()))
      return upload<Schemas['Uploaded']>(
        '/school-admin/exam/result/upload',
        { examId: exam.id, ...(paper ? { paperId: paper } : {}) },
        file,
        file.name,
      )
    },
    onSuccess: () => changed('/school-admin/exam/'),
  })
  const errors = send.error ? rowErrors(send.error) : []
  return (
    <Dialog onClose={close} title={t('Marks from a file')} size={errors.length ? 860 : 520}>
      <Stack gap={16}>
        {send.isSuccess ? (
          <>
            <Text role="status">
              {t('{created} results are new, {updated} are changed, {unchanged} were there already.', {
                created: format.number(send.data.created),
                updated: format.number(send.data.updated),
                unchanged: format.number(send.data.unchanged),
              })}
            </Text>
            <Group justify="flex-end">
              <Button onClick={close}>{t('Done')}</Button>
            </Group>
          </>
        ) : errors.length > 0 ? (
          <>
            <Text role="alert">
              {rich('{b} Fix these rows in the file and choose it again.', {
                b: (
                  <b>
                    {t('Errors in {number} of {max} rows, so nothing was saved.', {
                      number: format.number(new Set(errors.map((e) => e.row)).size),
                      max: format.number(Math.max(0, rows.length - 1)),
                    })}
                  </b>
                ),
              })}
            </Text>
            <DryRunTable rows={rows} errors={errors} />
            <Group justify="flex-end" gap={8}>
              <Button variant="default" onClick={close}>
                {t('Cancel')}
              </Button>
              <Button
                onClick={() => {
                  send.reset()
                  setRows([])
                }}
              >
                {t('Choose the file again')}
              </Button>
            </Group>
          </>
        ) : (
          <>
            <Text c="dimmed">
              {rich(
                'A CSV file with a row for each result: {code}, {code2} and {code3}. AB is absent, EX exempt. All of it is saved, or nothing.',
                {
                  code: <code>admissionNumber</code>,
                  code2: <code>subject</code>,
                  code3: <code>marks</code>,
                },
              )}
            </Text>
            <NativeSelect
              label={t('The file is of')}
              value={paper}
              data={[
                { value: '', label: t('Several papers: it has a subject column') },
                ...papers.map((p) => ({ value: p.id, label: `${p.className} ${p.subjectName}` })),
              ]}
              onChange={(e) => setPaper(e.currentTarget.value)}
            />
            <Trouble error={send.error} />
            <ChooseCSV take={(f) => send.mutate(f)} busy={send.isPending} label={t('File of marks')} />
          </>
        )}
      </Stack>
    </Dialog>
  )
}
