import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { IconFileTypeCsv } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { asProblem, type Schemas, save, upload } from '../../api/client'
import { Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { DryRunTable, type FileError, parseCSV, Wizard } from '../../patterns/wizard'
import { booksMoved, LibraryNav } from './shared'

type Imported = Schemas['Imported']
const steps = [
  { key: 'file', title: 'Choose a file' },
  { key: 'check', title: 'Check' },
  { key: 'done', title: 'Imported' },
]
const path = '/school-admin/library/book/import'
const sample = [
  ['title', 'author', 'isbn', 'publisher', 'publishedYear', 'category', 'price', 'accessionNumber', 'barcode', 'shelf'],
  [
    'Malgudi Days',
    'R. K. Narayan',
    '9788185986173',
    'Indian Thought',
    '1943',
    'Fiction',
    '25000',
    'L-0001',
    '',
    'F-12',
  ],
]

/** What the server says of a file's rows: rows[3].isbn. */
function errorsOf(fields: Record<string, string>): FileError[] {
  return Object.entries(fields).flatMap(([k, message]) => {
    const at = /^rows\[(\d+)\](?:\.(.+))?$/.exec(k)
    return at ? [{ row: Number(at[1]), column: at[2] ?? '', message }] : []
  })
}

/** Books and copies from a CSV file: a trial run first, then all of it or nothing. */
export function ImportBooks() {
  const format = useFormat()
  const n = format.number
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const [file, setFile] = useState<{ file: File; rows: string[][]; plan: Imported | null; errors: FileError[] } | null>(
    null,
  )
  const [result, setResult] = useState<Imported | null>(null)
  const check = useMutation({
    mutationFn: async (f: File) => {
      const rows = parseCSV(await f.text())
      try {
        return { file: f, rows, plan: await upload<Imported>(path, { dryRun: 'true' }, f, f.name), errors: [] }
      } catch (e) {
        const errors = errorsOf(asProblem(e).fields)
        if (errors.length === 0) throw e
        return { file: f, rows, plan: null, errors }
      }
    },
    onSuccess: setFile,
  })
  const commit = useMutation({
    mutationFn: () => upload<Imported>(path, {}, file!.file, file!.file.name),
    onSuccess: (r) => {
      setResult(r)
      booksMoved()
    },
  })
  const again = () => {
    setFile(null)
    setResult(null)
    check.reset()
    commit.reset()
  }
  const step = result ? 'done' : file ? 'check' : 'file'
  const bad = new Set(file?.errors.map((e) => e.row)).size
  const sum = (p: Imported) =>
    [
      p.books && `${n(p.books)} new ${p.books === 1 ? 'book' : 'books'}`,
      p.copies && `${n(p.copies)} new ${p.copies === 1 ? 'copy' : 'copies'}`,
      p.unchanged && `${n(p.unchanged)} rows unchanged`,
    ]
      .filter(Boolean)
      .join(', ') || 'nothing'
  return (
    <>
      <LibraryNav />
      <Wizard title="Import books" steps={steps} current={step}>
        {step === 'file' && (
          <Stack gap={16} className="reading">
            <Text>
              A CSV file is read and checked first. You see what it would do, row by row; nothing is saved until you
              confirm.
            </Text>
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
                if (f) check.mutate(f)
              }}
            >
              <IconFileTypeCsv size={32} stroke={1.2} aria-hidden />
              <Text mt={8}>Drop a file here, or</Text>
              <Group justify="center" mt={12} gap={8}>
                <Button loading={check.isPending} onClick={() => input.current?.click()}>
                  Choose a file
                </Button>
                <Button
                  variant="default"
                  onClick={() =>
                    save(
                      new Blob([`\ufeff${sample.map((r) => r.join(',')).join('\r\n')}`], { type: 'text/csv' }),
                      'books-example.csv',
                    )
                  }
                >
                  Get an example
                </Button>
              </Group>
              <input
                ref={input}
                type="file"
                accept=".csv,text/csv"
                hidden
                aria-label="CSV file"
                onChange={(e) => {
                  const f = e.currentTarget.files?.[0]
                  e.currentTarget.value = ''
                  if (f) check.mutate(f)
                }}
              />
            </div>
            <Trouble error={check.error} />
            <Text size="sm" c="dimmed">
              title is needed. A row with an accessionNumber adds a copy; several rows of one book are its copies. price
              is in the smallest unit of the currency.
            </Text>
          </Stack>
        )}
        {step === 'check' && file && (
          <Stack gap={16}>
            {bad > 0 ? (
              <Alert
                color="red"
                variant="light"
                role="alert"
                title={`Errors in ${n(bad)} ${bad === 1 ? 'row' : 'rows'} of ${file.file.name}`}
              >
                They come first below, with the reason in the cell. Fix these rows in your spreadsheet and choose the
                file again; nothing was saved.
              </Alert>
            ) : (
              <Alert
                variant="light"
                role="status"
                title={`${n(file.plan!.rowsRead)} ${file.plan!.rowsRead === 1 ? 'row' : 'rows'} of ${file.file.name} ${file.plan!.rowsRead === 1 ? 'is' : 'are'} ready`}
              >
                This would happen: {sum(file.plan!)}. Nothing is saved yet.
              </Alert>
            )}
            <DryRunTable rows={file.rows} errors={file.errors} />
            {commit.isPending && <Progress value={100} animated aria-label="Import" />}
            <Trouble error={commit.error} />
            <Group gap={8}>
              {file.plan && (
                <Button loading={commit.isPending} onClick={() => commit.mutate()}>
                  Import {n(file.plan.books + file.plan.copies)} books and copies
                </Button>
              )}
              <Button variant={file.plan ? 'default' : 'filled'} onClick={again}>
                Choose the file again
              </Button>
            </Group>
          </Stack>
        )}
        {step === 'done' && (
          <Stack gap={16} className="reading">
            <Alert variant="light" role="status" title="Done">
              {sum(result!)[0]?.toUpperCase()}
              {sum(result!).slice(1)}.
            </Alert>
            <Group gap={8}>
              <Button component={Link} to="/library/books">
                See the books
              </Button>
              <Button variant="default" onClick={again}>
                Import another file
              </Button>
            </Group>
          </Stack>
        )}
      </Wizard>
    </>
  )
}
