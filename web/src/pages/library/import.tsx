import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api/client'
import { ChooseCSV, DryRunTable, useCSVFile } from '../../patterns/csv-file'
import { Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { Wizard } from '../../patterns/wizard'
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

/** Books and copies from a CSV file: a trial run first, then all of it or nothing. */
export function ImportBooks() {
  const format = useFormat()
  const n = format.number
  const [result, setResult] = useState<Imported | null>(null)
  const { file, plan, check, commit, forget } = useCSVFile<Imported>(path, {
    done: (r) => {
      setResult(r)
      booksMoved()
    },
  })
  const again = () => {
    forget()
    setResult(null)
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
            <ChooseCSV take={(f) => check.mutate(f)} busy={check.isPending} example={{ name: 'books', rows: sample }} />
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
                title={`${n(plan!.rowsRead)} ${plan!.rowsRead === 1 ? 'row' : 'rows'} of ${file.file.name} ${plan!.rowsRead === 1 ? 'is' : 'are'} ready`}
              >
                This would happen: {sum(plan!)}. Nothing is saved yet.
              </Alert>
            )}
            <DryRunTable rows={file.rows} errors={file.errors} />
            {commit.isPending && <Progress value={100} animated aria-label="Import" />}
            <Trouble error={commit.error} />
            <Group gap={8}>
              {plan && (
                <Button loading={commit.isPending} onClick={() => commit.mutate()}>
                  Import {n(plan.books + plan.copies)} books and copies
                </Button>
              )}
              <Button variant={plan ? 'default' : 'filled'} onClick={again}>
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
