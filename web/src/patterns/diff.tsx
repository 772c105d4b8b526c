// What changed between two versions of a record, field by field, in words people can read.
import { Table, Text } from '@mantine/core'
import { language, t } from '../messages/console'
import { type Format, useFormat } from './format'
import { fieldWord } from './words'

const noise = new Set(['id', 'version', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'searchText'])
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** What ids are of. */
type Names = Record<string, string>

interface Difference {
  field: string
  before: unknown
  after: unknown
}

/** The fields that differ; of what is new or gone, all that say something. */
export function differences(before: unknown, after: unknown, names: Names = {}): Difference[] {
  const out: Difference[] = []
  compare(before ?? undefined, after ?? undefined, '', out, names)
  return out
}

const blank = (v: unknown) => v === undefined || v === null || v === '' || (Array.isArray(v) && v.length === 0)
const isObject = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v)
const isList = (v: unknown): v is Record<string, unknown>[] => Array.isArray(v) && v.length > 0 && v.every(isObject)

function compare(was: unknown, is: unknown, path: string, out: Difference[], names: Names) {
  if (isList(was) || isList(is)) compareLists(isList(was) ? was : [], isList(is) ? is : [], path, out, names)
  else if (isObject(was) || isObject(is)) {
    const a = isObject(was) ? was : {}
    const b = isObject(is) ? is : {}
    for (const k of new Set([...Object.keys(a), ...Object.keys(b)]))
      if (!noise.has(k)) compare(a[k], b[k], path ? `${path}.${k}` : k, out, names)
  } else if (JSON.stringify(was ?? null) !== JSON.stringify(is ?? null) && !(blank(was) && blank(is)))
    out.push({ field: path || 'value', before: was, after: is })
}

/** Lists are compared by who is in them, not by their place: what left, what came, what changed of those who stayed. */
function compareLists(
  was: Record<string, unknown>[],
  is: Record<string, unknown>[],
  path: string,
  out: Difference[],
  names: Names,
) {
  const key =
    ['id', 'studentId', 'userId', 'code', 'name'].find((k) => [...was, ...is].every((x) => typeof x[k] === 'string')) ??
    ''
  const keyed = (list: Record<string, unknown>[]) =>
    new Map(list.map((x, i) => [key ? String(x[key]) : String(i + 1), x]))
  const a = keyed(was)
  const b = keyed(is)
  for (const k of new Set([...a.keys(), ...b.keys()])) {
    const x = a.get(k)
    const y = b.get(k)
    const field = [path, title(x) || title(y) || names[k] || (uuid.test(k) ? `…${k.slice(-6)}` : k)]
      .filter(Boolean)
      .join('.')
    if (x && y)
      for (const f of Object.keys(x).filter((n) => n in y && !noise.has(n) && n !== key))
        compare(x[f], y[f], `${field}.${f}`, out, names)
    else out.push({ field, before: x && line(x), after: y && line(y) })
  }
}

const title = (x: Record<string, unknown> | undefined) =>
  x ? String(x.name ?? [x.firstName, x.lastName].filter(Boolean).join(' ')) : ''

/** An entry of a list in one line: what it says, without ids. */
function line(x: Record<string, unknown>): string {
  const said = Object.entries(x)
    .filter(
      ([k, v]) =>
        !noise.has(k) &&
        !blank(v) &&
        typeof v !== 'object' &&
        !uuid.test(String(v)) &&
        !['firstName', 'lastName', 'name'].includes(k),
    )
    .map(([, v]) => String(v))
  return said.slice(0, 4).join(', ') || t('Yes')
}

/** firstName is "First name", stops.2.plannedTime is "Stops 2, planned time". */
export function fieldWords(field: string): string {
  return field.split('.').reduce((all, part) => {
    if (/^\d+$/.test(part)) return `${all} ${part}`
    if (!/^[a-z]\w*$/.test(part)) return all ? t('{all}, {next}', { all, next: part }) : part // a name in a list
    const next = fieldWord(part)
    return all ? t('{all}, {next}', { all, next: language === 'en' ? within(next) : next }) : next
  }, '')
}

/** A word inside of an English sentence. */
const within = (word: string) => (/^[A-Z][a-z]/.test(word) ? word[0]!.toLowerCase() + word.slice(1) : word)

function valueWords(v: unknown, format: Format, names: Names): string {
  if (v === true) return t('Yes')
  if (v === false) return t('No')
  if (blank(v)) return '–'
  if (Array.isArray(v)) return v.map((x) => valueWords(x, format, names)).join(', ')
  const s = String(v)
  if (/^\d{4}-\d\d-\d\dT/.test(s)) return format.dateTime(s)
  if (/^\d{4}-\d\d-\d\d$/.test(s)) return format.date(s)
  if (uuid.test(s)) return names[s] ?? `…${s.slice(-6)}`
  return s
}

export function Diff({ before, after, names = {} }: { before: unknown; after: unknown; names?: Names }) {
  const format = useFormat()
  const all = differences(before, after, names)
  const made = before === null || before === undefined
  const gone = after === null || after === undefined
  if (all.length === 0) return <Text c="dimmed">{t('Nothing that people see was changed.')}</Text>
  return (
    <div className="panel" style={{ overflow: 'hidden' }}>
      <Table verticalSpacing={6} horizontalSpacing={12} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="30%">{t('Field')}</Table.Th>
            {!made && <Table.Th>{t('Before')}</Table.Th>}
            {!gone && <Table.Th>{t('After')}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all.map((d) => (
            <Table.Tr key={d.field}>
              <Table.Td c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {fieldWords(d.field)}
              </Table.Td>
              {!made && (
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {blank(d.before) ? (
                    <Text span c="dimmed">
                      –
                    </Text>
                  ) : (
                    <del className="was" title={valueWords(d.before, format, names)}>
                      {valueWords(d.before, format, names)}
                    </del>
                  )}
                </Table.Td>
              )}
              {!gone && (
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {blank(d.after) ? (
                    <Text span c="dimmed">
                      –
                    </Text>
                  ) : (
                    <ins className="is" title={valueWords(d.after, format, names)}>
                      {valueWords(d.after, format, names)}
                    </ins>
                  )}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
