// A wizard says in words what will happen before it happens. Its step is in the address, so it survives a reload.
import { Button, Group, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { type ReactNode, useMemo } from 'react'

interface Step {
  key: string
  title: string
}

export function Wizard({
  title,
  steps,
  current,
  children,
  aside,
}: {
  title: string
  steps: Step[]
  current: string
  children: ReactNode
  aside?: ReactNode
}) {
  const at = Math.max(
    0,
    steps.findIndex((s) => s.key === current),
  )
  return (
    <div className="page">
      <Title order={1} mb={24}>
        {title}
      </Title>
      <div className="wizard">
        <div>
          <ol className="steps" aria-label="Steps">
            {steps.map((s, i) => (
              <li key={s.key} aria-current={i === at ? 'step' : undefined} data-done={i < at || undefined}>
                <span className="dot">{i < at ? <IconCheck size={12} stroke={3} /> : i + 1}</span>
                {s.title}
              </li>
            ))}
          </ol>
          {aside}
        </div>
        <div>{children}</div>
      </div>
    </div>
  )
}

export function WizardButtons({
  back,
  next,
  label = 'Continue',
  busy,
  disabled,
  danger,
}: {
  back?: () => void
  next?: () => void
  label?: string
  busy?: boolean
  disabled?: boolean
  danger?: boolean
}) {
  return (
    <Group mt={24} gap={8}>
      {next && (
        <Button onClick={next} loading={busy} disabled={disabled} color={danger ? 'red.8' : undefined}>
          {label}
        </Button>
      )}
      {back && (
        <Button variant="default" onClick={back}>
          Back
        </Button>
      )}
    </Group>
  )
}

export interface FileError {
  row: number
  column: string
  message: string
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
    a.toLowerCase().replace(/[^a-z0-9]/g, '') === b.toLowerCase().replace(/[^a-z0-9]/g, '')
  // The first two columns say who it is; then come those with something wrong, so that no reason is out of sight.
  const order = names.map((_, i) => i)
  const wrong = (i: number) => errors.some((e) => same(names[i]!, e.column))
  const columns = [...order.slice(0, 2), ...order.slice(2).filter(wrong), ...order.slice(2).filter((i) => !wrong(i))]
  return (
    <div className="panel">
      <div className="list-scroll" tabIndex={0} role="region" aria-label="Rows of the file" style={{ maxHeight: 420 }}>
        <table className="list">
          <thead>
            <tr>
              <th scope="col" className="end">
                Row
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
                            {same(names[i]!, e.column) || !e.column ? '' : `${e.column} `}
                            {e.message}
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
