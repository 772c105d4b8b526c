// Tables that are no list of the API are written as CSV here.
import { save } from '../api/client'
import { csvCell } from './ListPage'

/** Hands rows to the browser as a CSV file, header first. Numbers stay numbers; what begins like a formula is made text. */
export function saveCSV(name: string, rows: string[][]) {
  const cell = (v: string) => (/^-?\d+(\.\d+)?$/.test(v) ? v : csvCell(v))
  save(new Blob(['\ufeff' + rows.map((r) => r.map(cell).join(',')).join('\r\n')], { type: 'text/csv' }), name)
}
