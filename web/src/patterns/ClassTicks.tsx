// Which classes something is for.
import { Checkbox } from '@mantine/core'
import { useClasses } from '../api/queries'

/** Ticks for whom something is; `none` says what it means that none is ticked. */
export function ClassTicks({
  label,
  value,
  onChange,
  error,
  none,
}: {
  label: string
  value: string[]
  onChange: (ids: string[]) => void
  error?: string
  none: string
}) {
  const classes = useClasses()
  return (
    <Checkbox.Group
      label={label}
      description={none}
      error={error}
      value={value}
      onChange={onChange}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    >
      <div className="ticks">
        {(classes.data ?? []).map((c) => (
          <Checkbox key={c.id} value={c.id} label={c.name} size="sm" />
        ))}
      </div>
    </Checkbox.Group>
  )
}

/** The names of classes in their order; `all` when there are none. */
export function useClassNames() {
  const classes = useClasses()
  return (ids: string[], all: string) =>
    ids.length === 0
      ? all
      : (classes.data ?? [])
          .filter((c) => ids.includes(c.id))
          .map((c) => c.name)
          .join(', ')
}
