// Marks from a spreadsheet. The server reads the whole file or nothing of it, and says what is wrong row by row.
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { asProblem, type Schemas, upload } from '../../api/client'
import { changed } from '../../api/queries'
import { Dialog, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { DryRunTable, type FileError, parseCSV } from '../../patterns/wizard'
import type { Exam } from './exam-form'

export function MarksFile({ exam, papers, close }: { exam: Exam; papers: Schemas['Paper'][]; close: () => void }) {
  const format = useFormat()
  const input = useRef<HTMLInputElement>(null)
  const [paper, setPaper] = useState('')
  const [over, setOver] = useState(false)
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
  const errors: FileError[] = send.error
    ? asProblem(send.error).details.flatMap(([field, message]) => {
        const at = /^rows\[(\d+)\]\.?(.*)$/.exec(field)
        return at ? [{ row: Number(at[1]), column: at[2] ?? '', message }] : []
      })
    : []
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
            {/* biome-ignore lint/a11y/noStaticElementInteractions: a file can be dropped; the button inside chooses one by keyboard */}
            <div
              className="drop"
              data-over={over || undefined}
              onDragOver={(e) => {
                e.preventDefault()
                setOver(true)
              }}
              onDragLeave={() => setOver(false)}
              onDrop={(e) => {
                e.preventDefault()
                setOver(false)
                const f = e.dataTransfer.files[0]
                if (f) send.mutate(f)
              }}
            >
              <Text mb={12}>Drop the file here, or</Text>
              <Button loading={send.isPending} onClick={() => input.current?.click()}>
                Choose a file
              </Button>
              <input
                ref={input}
                type="file"
                accept=".csv,text/csv"
                hidden
                aria-label="File of marks"
                onChange={(e) => {
                  const f = e.currentTarget.files?.[0]
                  if (f) send.mutate(f)
                  e.currentTarget.value = ''
                }}
              />
            </div>
          </>
        )}
      </Stack>
    </Dialog>
  )
}
