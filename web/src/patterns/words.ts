// Words for what the API calls by codes and names of fields.
import { known, language, t } from '../messages/console'

function english(code: string): string {
  const s = code.toLowerCase().replaceAll('_', ' ').trim()
  return s[0]!.toUpperCase() + s.slice(1)
}

/** The words for what the API says in capitals. */
export const words = (code: string | null | undefined): string => (code ? known(english(code)) : '')

/** A thing of the audit log inside of a sentence: fee receipt. */
export const thing = (entity: string): string => (language === 'en' ? entity : words(entity))

/** Several things in one sentence: a, b and c. */
export const listed = (things: string[]): string =>
  things.reduce((all, next, i) =>
    i < things.length - 1 ? t('{all}, {next}', { all, next }) : t('{all} and {next}', { all, next }),
  )

/** What the API calls a field in its refusals: firstName is "First name". */
function fieldLabel(field: string): string {
  const name = (field.split('.').pop() ?? field)
    .replace(/\[.*$/, '')
    .replace(/^is(?=[A-Z])/, '')
    .replace(/(?<!^first|^last|^)Name$/, '')
    .replace(/Ids?$/, '')
  return english(name.replace(/([A-Z])/g, '_$1'))
}

/** What a record's field is called, by its name on the wire. */
export const fieldWord = (field: string): string =>
  known(
    fieldLabel(field)
      .replace(/\b(sms|isbn)\b/i, (s) => s.toUpperCase())
      .replace(/^Whats app/, 'WhatsApp'),
  )

/** A refusal's words about a field, by its label on screen, whatever the API calls it. */
export function named(message: string, field: string, label = known(fieldLabel(field))): string {
  const wire = field.split('.').pop()!.replace(/\[.*$/, '')
  for (const start of [fieldLabel(field), wire])
    if (message.startsWith(`${start} `)) return label + message.slice(start.length)
  return /^(must|is|has|can|cannot)\b/.test(message) ? `${label} ${message}` : message
}
