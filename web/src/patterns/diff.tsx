// What changed between two versions of a record, field by field, in words people can read.
import { Table, Text } from '@mantine/core'
import { useFormat, type Format } from './format'

const noise = new Set(['id', 'version', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'searchText'])
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export interface Difference {
  field: string
  before: unknown
  after: unknown
}

/** The fields that differ; of what is new or gone, all that say something. */
export function differences(before: unknown, after: unknown): Difference[] {
  const a = flat(before)
  const b = flat(after)
  const out: Difference[] = []
  for (const field of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (noise.has(field.split('.').at(-1)!)) continue
    const was = a[field]
    const is = b[field]
    if (JSON.stringify(was ?? null) === JSON.stringify(is ?? null) || (blank(was) && blank(is))) continue
    out.push({ field, before: was, after: is })
  }
  return out
}

const blank = (v: unknown) => v === undefined || v === null || v === '' || (Array.isArray(v) && v.length === 0)

function flat(v: unknown, path = ''): Record<string, unknown> {
  if (v === null || v === undefined) return {}
  if (typeof v !== 'object' || (Array.isArray(v) && v.every((x) => typeof x !== 'object' || x === null))) return { [path || 'value']: v }
  const out: Record<string, unknown> = {}
  for (const [k, x] of Object.entries(v)) Object.assign(out, flat(x, path ? `${path}.${Array.isArray(v) ? Number(k) + 1 : k}` : Array.isArray(v) ? String(Number(k) + 1) : k))
  return out
}

/** firstName is "First name", stops.2.plannedTime is "Stops 2, planned time". */
export function fieldWords(field: string): string {
  const parts = field.split('.').map((p) => p.replace(/(Id|ID)$/, '').replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ').toLowerCase())
  const s = parts.reduce((all, p) => (all === '' ? p : /^\d+$/.test(p) ? `${all} ${p}` : `${all}, ${p}`), '')
  return s ? s[0]!.toUpperCase() + s.slice(1) : 'Value'
}

export function valueWords(v: unknown, format: Format): string {
  if (v === true) return 'Yes'
  if (v === false) return 'No'
  if (blank(v)) return '–'
  if (Array.isArray(v)) return v.map((x) => valueWords(x, format)).join(', ')
  const s = String(v)
  if (/^\d{4}-\d\d-\d\dT/.test(s)) return format.dateTime(s)
  if (/^\d{4}-\d\d-\d\d$/.test(s)) return format.date(s)
  if (uuid.test(s)) return `…${s.slice(-6)}`
  return s
}

export function Diff({ before, after }: { before: unknown; after: unknown }) {
  const format = useFormat()
  const all = differences(before, after)
  const made = before === null || before === undefined
  const gone = after === null || after === undefined
  if (all.length === 0) return <Text c="dimmed">Nothing that people see was changed.</Text>
  return (
    <div className="panel" style={{ overflow: 'hidden' }}>
      <Table verticalSpacing={6} horizontalSpacing={12} layout="fixed">
        <Table.Thead>
          <Table.Tr><Table.Th w="30%">Field</Table.Th>{!made && <Table.Th>Before</Table.Th>}{!gone && <Table.Th>After</Table.Th>}</Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all.map((d) => (
            <Table.Tr key={d.field}>
              <Table.Td c="dimmed" style={{ overflowWrap: 'anywhere' }}>{fieldWords(d.field)}</Table.Td>
              {!made && <Table.Td style={{ overflowWrap: 'anywhere' }}>{blank(d.before) ? <Text span c="dimmed">–</Text> : <del className="was" title={String(d.before)}>{valueWords(d.before, format)}</del>}</Table.Td>}
              {!gone && <Table.Td style={{ overflowWrap: 'anywhere' }}>{blank(d.after) ? <Text span c="dimmed">–</Text> : <ins className="is" title={String(d.after)}>{valueWords(d.after, format)}</ins>}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
