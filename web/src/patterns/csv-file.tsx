// A CSV file: chosen or dropped, read by the server in a dry run, shown with what is wrong, then sent.
import { Button, Group, Text } from '@mantine/core'
import { IconFileTypeCsv } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { asProblem, save, upload } from '../api/client'
import { t } from '../messages/console'
import { named } from './words'

export interface FileError {
  row: number
  column: string
  message: string
}

/** What the server says of a file's rows: rows[3].isbn. */
export const rowErrors = (problem: unknown): FileError[] =>
  asProblem(problem).details.flatMap(([field, message]) => {
    const at = /^rows\[(\d+)\]\.?(.*)$/.exec(field)
    return at ? [{ row: Number(at[1]), column: at[2] ?? '', message }] : []
  })

/** A file that is entered whole or not at all: checked when it is chosen, sent when that is confirmed. */
export function useCSVFile<Plan>(
  path: string,
  {
    query = {},
    done,
    errorsOf = rowErrors,
  }: {
    query?: Record<string, string>
    done: (entered: Plan) => void
    errorsOf?: (problem: unknown) => FileError[]
  },
) {
  const [file, setFile] = useState<{ file: File; rows: string[][]; plan: Plan | null; errors: FileError[] } | null>(
    null,
  )
  const send = (f: File, more: Record<string, string>) => upload<Plan>(path, { ...query, ...more }, f, f.name)
  const check = useMutation({
    mutationFn: async (f: File) => {
      const rows = parseCSV(await f.text())
      try {
        return { file: f, rows, plan: await send(f, { dryRun: 'true' }), errors: [] }
      } catch (e) {
        const errors = errorsOf(e)
        if (errors.length === 0) throw e
        return { file: f, rows, plan: null, errors }
      }
    },
    onSuccess: setFile,
  })
  const commit = useMutation({ mutationFn: () => send(file!.file, {}), onSuccess: done })
  const forget = () => {
    setFile(null)
    check.reset()
    commit.reset()
  }
  return { file, plan: file?.plan ?? null, check, commit, forget }
}

const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** Chooses a CSV file by a button, or takes one that is dropped. */
export function ChooseCSV({
  take,
  busy,
  chosen,
  example,
  label = t('CSV file'),
  workbooks = false,
  also = '',
}: {
  take: (f: File) => void
  busy: boolean
  chosen?: string | undefined
  example?: { name: string; rows: string[][] }
  label?: string
  workbooks?: boolean
  also?: string | undefined
}) {
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a file can be dropped; the button inside chooses one by keyboard
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
        if (f) take(f)
      }}
    >
      {!chosen && <IconFileTypeCsv size={32} stroke={1.2} aria-hidden />}
      <Text mt={chosen ? 0 : 8}>{chosen ?? t('Drop a file here, or')}</Text>
      <Group justify="center" mt={12} gap={8}>
        <Button variant={chosen ? 'default' : 'filled'} loading={busy} onClick={() => input.current?.click()}>
          {chosen ? t('Choose another file') : t('Choose a file')}
        </Button>
        {example && (
          <Button
            variant="default"
            onClick={() =>
              save(
                new Blob([`\ufeff${example.rows.map((r) => r.map(quoted).join(',')).join('\r\n')}`], {
                  type: 'text/csv',
                }),
                `${example.name}-example.csv`,
              )
            }
          >
            {t('Get an example')}
          </Button>
        )}
      </Group>
      <input
        ref={input}
        type="file"
        accept={`${workbooks ? '.csv,.txt,.tsv,.xlsx,text/csv' : '.csv,text/csv'}${also && `,${also}`}`}
        hidden
        aria-label={label}
        onChange={(e) => {
          const f = e.currentTarget.files?.[0]
          e.currentTarget.value = ''
          if (f) take(f)
        }}
      />
    </div>
  )
}

/** A dry run's rows: the bad ones first, the reason in the cell it is about. `rows` are the file's, header first. */
export function DryRunTable({ rows, errors, max = 50 }: { rows: string[][]; errors: FileError[]; max?: number }) {
  const names = rows[0] ?? []
  const byRow = useMemo(() => {
    const m = new Map<number, FileError[]>()
    for (const e of errors) m.set(e.row, [...(m.get(e.row) ?? []), e])
    return m
  }, [errors])
  // Row 1 is the header, as in a spreadsheet.
  const bad = [...byRow.keys()].sort((a, b) => a - b)
  const good = rows
    .map((_, i) => i + 1)
    .slice(1)
    .filter((n) => !byRow.has(n))
  const shown = [...bad, ...good].slice(0, max)
  const same = (a: string, b: string) =>
    a.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '') === b.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  // The first two columns say who it is; then come those with something wrong, so that no reason is out of sight.
  const order = names.map((_, i) => i)
  const wrong = (i: number) => errors.some((e) => same(names[i]!, e.column))
  const columns = [...order.slice(0, 2), ...order.slice(2).filter(wrong), ...order.slice(2).filter((i) => !wrong(i))]
  return (
    <div className="panel">
      <div
        className="list-scroll"
        tabIndex={0}
        role="region"
        aria-label={t('Rows of the file')}
        style={{ maxHeight: 420 }}
      >
        <table className="list">
          <thead>
            <tr>
              <th scope="col" className="end">
                {t('Row')}
              </th>
              {columns.map((i) => (
                <th key={i} scope="col">
                  {names[i]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((n) => {
              const mine = byRow.get(n) ?? []
              const loose = mine.filter((e) => !names.some((h) => same(h, e.column)))
              return (
                <tr key={n} data-bad={mine.length > 0 || undefined}>
                  <td className="end figures">{n}</td>
                  {columns.map((i) => {
                    const here = [...mine.filter((e) => same(names[i]!, e.column)), ...(i === 0 ? loose : [])]
                    return (
                      <td key={i} className={here.length ? 'wrap' : undefined}>
                        {rows[n - 1]?.[i] ?? ''}
                        {here.map((e, j) => (
                          <div key={j} className="why">
                            {same(names[i]!, e.column) || !e.column ? e.message : named(e.message, e.column)}
                          </div>
                        ))}
                      </td>
                    )
                  })}
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </div>
  )
}

/** Reads a CSV file for showing it; what it means is the server's to say. */
export function parseCSV(text: string, max = 5000): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  const body = text.replace(/^\ufeff/, '')
  for (let i = 0; i < body.length && rows.length < max; i++) {
    const c = body[i]!
    if (quoted) {
      if (c === '"' && body[i + 1] === '"') {
        cell += '"'
        i++
      } else if (c === '"') quoted = false
      else cell += c
    } else if (c === '"') quoted = true
    else if (c === ',') {
      row.push(cell)
      cell = ''
    } else if (c === '\n' || c === '\r') {
      if (c === '\r' && body[i + 1] === '\n') i++
      rows.push([...row, cell])
      row = []
      cell = ''
    } else cell += c
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell])
  return rows
}
