// Whether somebody may do something, and why: the service's own decision, for when a colleague asks.
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { useClasses, useDivisions, useSubjects } from '../../api/queries'
import { known, t } from '../../messages/console'
import { Dialog, Status, Trouble } from '../../patterns/feedback'
import { type Person, PersonPicker } from '../../patterns/PersonPicker'
import { words } from '../../patterns/words'

const actions = [
  { value: 'read', label: t('Read') },
  { value: 'write', label: t('Write') },
  { value: 'delete', label: t('Delete') },
] as const

export function Explain({ modules, close }: { modules: Schemas['Module'][]; close: () => void }) {
  const [person, setPerson] = useState<Person | null>(null)
  const [module, setModule] = useState(modules[0]?.name ?? '')
  const [action, setAction] = useState<(typeof actions)[number]['value']>('read')
  const [divisionId, setDivision] = useState('')
  const [subjectId, setSubject] = useState('')
  const classes = useClasses()
  const divisions = useDivisions()
  const subjects = useSubjects()
  const employee = useQuery({
    queryKey: ['/school-admin/employee/', person?.id],
    queryFn: () => call(api.GET('/school-admin/employee/{id}', { params: { path: { id: person!.id } } })),
    enabled: !!person,
  })
  const userId = employee.data?.userId
  const teaches = employee.data?.employeeType === 'TEACHER'
  const query = {
    userId: userId ?? '',
    module,
    action,
    ...(teaches && divisionId && { divisionId, ...(subjectId && { subjectId }) }),
  }
  const answer = useQuery({
    queryKey: ['/school-admin/permission/explain', query],
    queryFn: () => call(api.GET('/school-admin/permission/explain', { params: { query } })),
    enabled: !!userId && !!module,
    staleTime: 0,
  })
  const a = answer.data
  const what = `${actions.find((x) => x.value === action)!.label.toLowerCase()} ${known(modules.find((m) => m.name === module)?.displayName ?? '')}`
  return (
    <Dialog onClose={close} title={t('Who may do what, and why')} size={520}>
      <Stack gap={16}>
        {person ? (
          <Group justify="space-between">
            <Text fw={500}>{person.name}</Text>
            <Button variant="default" size="compact-md" onClick={() => setPerson(null)}>
              {t('Somebody else')}
            </Button>
          </Group>
        ) : (
          <PersonPicker
            label={t('Employee')}
            placeholder={t('Name, code or phone')}
            employees="only"
            autoFocus
            onPick={setPerson}
          />
        )}
        <div className="pair">
          <NativeSelect
            label={t('Module')}
            data={modules.map((m) => ({ value: m.name, label: known(m.displayName) }))}
            value={module}
            onChange={(e) => setModule(e.currentTarget.value)}
          />
          <NativeSelect
            label={t('What they want to do')}
            data={[...actions]}
            value={action}
            onChange={(e) => setAction(e.currentTarget.value as typeof action)}
          />
          {teaches && (
            <NativeSelect
              label={t('In the division')}
              data={[
                { value: '', label: t('Anywhere') },
                ...(classes.data ?? []).flatMap((c) =>
                  (divisions.data ?? [])
                    .filter((d) => d.classId === c.id)
                    .map((d) => ({ value: d.id, label: `${c.name} ${d.name}` })),
                ),
              ]}
              value={divisionId}
              onChange={(e) => setDivision(e.currentTarget.value)}
            />
          )}
          {teaches && divisionId && (
            <NativeSelect
              label={t('Subject')}
              data={[
                { value: '', label: t('Any subject') },
                ...(subjects.data ?? []).map((s) => ({ value: s.id, label: s.name })),
              ]}
              value={subjectId}
              onChange={(e) => setSubject(e.currentTarget.value)}
            />
          )}
        </div>
        <div aria-live="polite">
          {person && employee.data && !userId && (
            <Text>{t('{name} has no account: support staff do not sign in.', { name: person.name })}</Text>
          )}
          {person && userId && a && (
            <Stack gap={4}>
              <Status tone={a.allowed ? 'good' : 'bad'}>
                {a.allowed
                  ? !a.allowed
                    ? t('Yes: {name} may not {what}', { name: person.name, what })
                    : t('Yes: {name} may {what}', { name: person.name, what })
                  : !a.allowed
                    ? t('No: {name} may not {what}', { name: person.name, what })
                    : t('No: {name} may {what}', { name: person.name, what })}
              </Status>
              <Text size="sm">
                {t('{why}. Role: {role}.', {
                  why: a.why,
                  role: a.role === a.role.toUpperCase() ? words(a.role) : a.role,
                })}
              </Text>
            </Stack>
          )}
          <Trouble error={answer.error ?? employee.error} />
        </div>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('Close')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
