import { Button, Group, NativeSelect, Radio } from '@mantine/core'
import { useClasses, useGroups } from '../../api/queries'
import { t } from '../../messages/console'
import { type Person, PersonPicker } from '../../patterns/PersonPicker'

interface Chosen {
  who: 'students' | 'class' | 'group'
  people: Pick<Person, 'id' | 'name'>[]
  classId: string
  groupId: string
}
export const nobody: Chosen = { who: 'students', people: [], classId: '', groupId: '' }
export const isNobody = (c: Chosen) =>
  c.who === 'class' ? !c.classId : c.who === 'group' ? !c.groupId : c.people.length === 0
/** As the API takes it. */
export const chosenIds = (c: Chosen) =>
  c.who === 'class'
    ? { classId: c.classId }
    : c.who === 'group'
      ? { groupId: c.groupId }
      : { studentIds: c.people.map((p) => p.id) }

/** Some students, a whole class, or the members of a group. */
export function StudentsOrClass({
  value,
  onChange,
  errors,
}: {
  value: Chosen
  onChange: (c: Chosen) => void
  errors: Record<string, string>
}) {
  const classes = useClasses()
  const groups = useGroups()
  return (
    <>
      <Radio.Group label={t('Who')} value={value.who} onChange={(x) => onChange({ ...value, who: x as Chosen['who'] })}>
        <Group gap={16} mt={4}>
          <Radio value="students" label={t('Some students')} />
          <Radio value="class" label={t('A whole class')} />
          <Radio value="group" label={t('A group')} />
        </Group>
      </Radio.Group>
      {value.who === 'class' ? (
        <NativeSelect
          label={t('Class')}
          value={value.classId}
          error={errors.classId}
          data={[
            { value: '', label: t('Choose a class') },
            ...(classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
          ]}
          onChange={(e) => onChange({ ...value, classId: e.currentTarget.value })}
        />
      ) : value.who === 'group' ? (
        <NativeSelect
          label={t('Group')}
          description={t('Its members on that day. Who joins or leaves later is added or ended by hand.')}
          value={value.groupId}
          error={errors.groupId}
          data={[
            { value: '', label: t('Choose a group') },
            ...(groups.data ?? []).map((g) => ({ value: g.id, label: g.name })),
          ]}
          onChange={(e) => onChange({ ...value, groupId: e.currentTarget.value })}
        />
      ) : (
        <>
          <PersonPicker
            label={t('Student')}
            size="sm"
            error={errors.studentIds}
            onPick={(p) =>
              value.people.some((x) => x.id === p.id) || onChange({ ...value, people: [...value.people, p] })
            }
          />
          {value.people.length > 0 && (
            <Group gap={8}>
              {value.people.map((p) => (
                <Button
                  key={p.id}
                  variant="default"
                  size="compact-sm"
                  aria-label={t('Remove {name}', { name: p.name })}
                  onClick={() => onChange({ ...value, people: value.people.filter((x) => x.id !== p.id) })}
                >
                  {p.name} ×
                </Button>
              ))}
            </Group>
          )}
        </>
      )}
    </>
  )
}
