// Classes and divisions to speak to: a class stands for all of its divisions.
import { Checkbox, Group, Stack, Text } from '@mantine/core'
import { useClasses, useDivisions } from '../api/queries'
import { t } from '../messages/console'

export function ClassesAndDivisions({
  classIds,
  divisionIds,
  onChange,
  disabled,
}: {
  classIds: string[]
  divisionIds: string[]
  onChange: (classIds: string[], divisionIds: string[]) => void
  disabled?: boolean
}) {
  const classes = useClasses()
  const divisions = useDivisions()
  const toggle = (list: string[], id: string, on: boolean) => (on ? [...list, id] : list.filter((x) => x !== id))
  if (classes.data?.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('There are no classes yet.')}
      </Text>
    )
  return (
    <Stack gap={0} className="panel audience" role="group" aria-label={t('Classes and divisions')}>
      {(classes.data ?? []).map((c) => {
        const own = (divisions.data ?? []).filter((d) => d.classId === c.id)
        const whole = classIds.includes(c.id)
        return (
          <Group key={c.id} gap={16} px={12} py={8} className="audience-line">
            <Checkbox
              size="xs"
              disabled={disabled}
              label={c.name}
              checked={whole}
              indeterminate={!whole && own.some((d) => divisionIds.includes(d.id))}
              onChange={(e) =>
                onChange(
                  toggle(classIds, c.id, e.currentTarget.checked),
                  divisionIds.filter((x) => !own.some((d) => d.id === x)),
                )
              }
            />
            <Group gap={12} ms="auto">
              {own.map((d) => (
                <Checkbox
                  key={d.id}
                  size="xs"
                  disabled={disabled || whole}
                  label={d.name}
                  aria-label={`${c.name} ${d.name}`}
                  checked={whole || divisionIds.includes(d.id)}
                  onChange={(e) => onChange(classIds, toggle(divisionIds, d.id, e.currentTarget.checked))}
                />
              ))}
            </Group>
          </Group>
        )
      })}
    </Stack>
  )
}

/** In words: Class 5, Class 6 A. */
export function useAudienceWords() {
  const classes = useClasses()
  const divisions = useDivisions()
  return (classIds: string[], divisionIds: string[]) => {
    const name = (id: string) => classes.data?.find((c) => c.id === id)?.name ?? ''
    return [
      ...classIds.map(name),
      ...divisionIds.map((id) => {
        const d = divisions.data?.find((x) => x.id === id)
        return d ? `${name(d.classId)} ${d.name}` : ''
      }),
    ]
      .filter(Boolean)
      .join(', ')
  }
}
