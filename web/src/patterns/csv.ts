// What a table shows, as a file for a spreadsheet.
import { save } from '../api/client'

/** A cell that begins like a formula is made text, so that no spreadsheet runs it. */
function csvCell(v: string): string {
  const safe = /^[=+\-@\t\r]/.test(v) ? `'${v}` : v
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Hands rows to the browser as a CSV file, the header first. A number stays one, also below zero. */
export function saveCSV(name: string, rows: (string | number | null | undefined)[][]) {
  const cell = (v: string) => (/^-?\d+(\.\d+)?$/.test(v) ? v : csvCell(v))
  save(
    new Blob([`\ufeff${rows.map((r) => r.map((v) => cell(String(v ?? ''))).join(',')).join('\r\n')}`], {
      type: 'text/csv',
    }),
    name,
  )
}
