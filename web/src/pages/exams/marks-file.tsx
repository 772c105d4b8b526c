// Marks from a spreadsheet. The server reads the whole file or nothing of it, and says what is wrong row by row.
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Schemas, upload } from '../../api/client'
import { changed } from '../../api/queries'
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
    <Dialog onClose={close} title="Marks from a file" size={errors.length ? 860 : 520}>
      <Stack gap={16}>
        {send.isSuccess ? (
          <>
            <Text role="status">
              {format.number(send.data.created)} results are new, {format.number(send.data.updated)} are changed,{' '}
              {format.number(send.data.unchanged)} were there already.
            </Text>
            <Group justify="flex-end">
              <Button onClick={close}>Done</Button>
            </Group>
          </>
        ) : errors.length > 0 ? (
          <>
            <Text role="alert">
              <b>
                Errors in {format.number(new Set(errors.map((e) => e.row)).size)} of{' '}
                {format.number(Math.max(0, rows.length - 1))} rows, so nothing was saved.
              </b>{' '}
              Fix these rows in the file and choose it again.
            </Text>
            <DryRunTable rows={rows} errors={errors} />
            <Group justify="flex-end" gap={8}>
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button
                onClick={() => {
                  send.reset()
                  setRows([])
                }}
              >
                Choose the file again
              </Button>
            </Group>
          </>
        ) : (
          <>
            <Text c="dimmed">
              A CSV file with a row for each result: <code>admissionNumber</code>, <code>subject</code> and{' '}
              <code>marks</code>. AB is absent, EX exempt. All of it is saved, or nothing.
            </Text>
            <NativeSelect
              label="The file is of"
              value={paper}
              data={[
                { value: '', label: 'Several papers: it has a subject column' },
                ...papers.map((p) => ({ value: p.id, label: `${p.className} ${p.subjectName}` })),
              ]}
              onChange={(e) => setPaper(e.currentTarget.value)}
            />
            <Trouble error={send.error} />
            <ChooseCSV take={(f) => send.mutate(f)} busy={send.isPending} label="File of marks" />
          </>
        )}
      </Stack>
    </Dialog>
  )
}
