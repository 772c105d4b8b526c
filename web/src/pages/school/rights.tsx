// Rights by module, as ticks: of a role, and of an API key.
import { Checkbox } from '@mantine/core'
import type { Schemas } from '../../api/client'
import { known, t } from '../../messages/console'

export type Right = { canRead: boolean; canWrite: boolean; canDelete: boolean }
export const kinds = [
  ['canRead', t('Read')],
  ['canWrite', t('Write')],
  ['canDelete', t('Delete')],
] as const

/** A right to change brings the right to read. */
function ticked(was: Right, kind: keyof Right, on: boolean): Right {
  const r = { ...was, [kind]: on }
  if (on) r.canRead = true
  if (kind === 'canRead' && !on) r.canWrite = r.canDelete = false
  return r
}

export function RightsTable<M extends Pick<Schemas['Module'], 'id' | 'displayName'>>({
  modules,
  of,
  set,
  may,
  isChanged,
}: {
  modules: M[]
  of: (m: M) => Right
  set: (m: M, r: Right) => void
  may: (m: M, kind: keyof Right) => boolean
  isChanged?: (m: M) => boolean
}) {
  return (
    <table className="list matrix">
      <thead>
        <tr>
          <th scope="col">{t('Module')}</th>
          {kinds.map(([k, t]) => (
            <th key={k} scope="col">
              {t}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {modules.map((m) => (
          <tr key={m.id} data-changed={isChanged?.(m) || undefined}>
            <td>{known(m.displayName)}</td>
            {kinds.map(([k, t]) => (
              <td key={k}>
                <Checkbox
                  size="xs"
                  aria-label={`${t}: ${known(m.displayName)}`}
                  checked={of(m)[k]}
                  disabled={!may(m, k)}
                  onChange={(e) => set(m, ticked(of(m), k, e.currentTarget.checked))}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
