// A grid is worked by keyboard: arrows move, Enter opens, Delete clears; unsaved cells are marked, and so are conflicts.
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { t } from '../messages/console'

interface GridLine {
  key: string
  title: ReactNode
  still?: boolean // a break: nothing to fill in
}

interface GridCell {
  content: ReactNode
  label: string // where it is, for those who hear the page
  dirty?: boolean
  bad?: string
}

export function Grid({
  label,
  columns,
  lines,
  cell,
  onOpen,
  onClear,
  onKey,
}: {
  label: string
  columns: { key: string; title: string }[]
  lines: GridLine[]
  cell: (line: string, column: string) => GridCell
  onOpen?: (line: string, column: string, at: HTMLElement) => void
  onClear?: (line: string, column: string) => void
  /** One key per status, and fill down; true if the key was used. */
  onKey?: (key: string, line: string, column: string) => boolean
}) {
  const table = useRef<HTMLTableElement>(null)
  const [at, setAt] = useState<[number, number]>([
    Math.max(
      0,
      lines.findIndex((l) => !l.still),
    ),
    0,
  ])

  function go(line: number, column: number) {
    const cells = table.current?.querySelector<HTMLButtonElement>(`[data-at="${line}:${column}"]`)
    if (!cells) return false
    setAt([line, column])
    cells.focus()
    return true
  }
  function key(e: KeyboardEvent, line: number, column: number) {
    const moves: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    }
    const move = moves[e.key]
    if (move) {
      e.preventDefault()
      let [l, c] = [line + move[0], column + move[1]]
      while (lines[l]?.still) l += move[0]
      go(l, c)
      return
    }
    const where = [lines[line]!.key, columns[column]!.key] as const
    if ((e.key === 'Delete' || e.key === 'Backspace') && onClear) {
      e.preventDefault()
      onClear(...where)
    } else if (!e.ctrlKey && !e.metaKey && onKey?.(e.key, ...where)) {
      e.preventDefault()
      go(line + 1, column)
    }
  }
  return (
    <div className="panel">
      <div className="list-scroll" tabIndex={0} role="region" aria-label={label}>
        <table className="grid" ref={table}>
          <thead>
            <tr>
              <th scope="col" className="corner">
                <span className="hidden">{t('Time')}</span>
              </th>
              {columns.map((c) => (
                <th key={c.key} scope="col">
                  {c.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map((l, i) => (
              <tr key={l.key}>
                <th scope="row">{l.title}</th>
                {l.still ? (
                  <td colSpan={columns.length} className="still" />
                ) : (
                  columns.map((c, j) => {
                    const x = cell(l.key, c.key)
                    return (
                      <td key={c.key}>
                        <button
                          type="button"
                          className="cell"
                          data-at={`${i}:${j}`}
                          data-dirty={x.dirty || undefined}
                          data-bad={x.bad ? true : undefined}
                          tabIndex={at[0] === i && at[1] === j ? 0 : -1}
                          onFocus={() => setAt([i, j])}
                          onKeyDown={(e) => key(e, i, j)}
                          onClick={(e) => onOpen?.(l.key, c.key, e.currentTarget)}
                        >
                          <span className="hidden">{x.label} </span>
                          {x.content}
                          {x.bad && <span className="why">{x.bad}</span>}
                        </button>
                      </td>
                    )
                  })
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
