import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useToday } from '../../patterns/choices'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { offerUndo } from '../../patterns/undo'
import { useYear } from '../../shell/year'

/** The groups of a student's division: ticked ones are the student's, saved from a day on. */
export function StudentGroups({ student }: { student: Schemas['StudentDetail'] }) {
  const may = useMay()
  const format = useFormat()
  const today = useToday()
  const { year } = useYear()
  const path = { id: student.id }
  const q = useQuery({
    queryKey: ['/school-admin/group/', 'of', student.id, student.divisionId, today],
    queryFn: () => call(api.GET('/school-admin/student/{id}/groups', { params: { path, query: { date: today } } })),
  })
  const [ticked, setTicked] = useState<string[] | null>(null)
  const [sinceYear, setSinceYear] = useState(false)
  const before = (q.data?.groups ?? []).filter((g) => g.isMember).map((g) => g.groupId)
  const now = ticked ?? before
  const dirty = now.length !== before.length || now.some((id) => !before.includes(id))
  const put = (groupIds: string[], fromDate: string) =>
    call(api.PUT('/school-admin/student/{id}/groups', { params: { path }, body: { data: { groupIds, fromDate } } }))
  const save = useMutation({
    mutationFn: () => put(now, sinceYear && year ? year.startDate : today),
    onSuccess: async () => {
      if (!sinceYear) offerUndo(t('Groups of {name} changed', { name: nameOf(student) }), () => put(before, today))
      await q.refetch()
      setTicked(null)
      changed('/school-admin/group/', '/school-admin/timetable/', '/school-admin/exam/')
    },
  })
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />
  if (q.data.groups.length === 0)
    return (
      <Empty
        title={t('No groups')}
        text={
          student.divisionId
            ? t('This division has no electives or batches. Add them under Electives and groups.')
            : t('Groups are of students of some divisions. Put the student in a division first.')
        }
      />
    )
  const locked = !may('student', 'write')
  return (
    <Stack gap={16}>
      <Checkbox.Group value={now} onChange={setTicked} label={t('Electives and groups')}>
        <Stack gap={12} mt={8}>
          {q.data.groups.map((g) => (
            <Checkbox
              key={g.groupId}
              value={g.groupId}
              disabled={locked}
              label={g.name}
              description={[
                g.subjectName,
                g.kind === 'BATCH' ? t('Batch') : t('Elective'),
                g.fromDate && t('since {fromDate}', { fromDate: format.date(g.fromDate) }),
                g.toDate && t('until {toDate}', { toDate: format.date(g.toDate) }),
              ]
                .filter(Boolean)
                .join(' · ')}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <Trouble error={save.error} />
      {!locked && (
        <Group justify="space-between" gap={12}>
          <Checkbox
            size="sm"
            label={
              year
                ? t('Already since the year began, {startDate}', { startDate: format.date(year.startDate) })
                : t('Already since the year began')
            }
            checked={sinceYear}
            disabled={!year}
            onChange={(e) => setSinceYear(e.currentTarget.checked)}
          />
          <Group gap={8}>
            <Text size="sm" c="dimmed" aria-live="polite">
              {dirty ? t('Unsaved changes') : save.isSuccess ? t('Groups saved') : ''}
            </Text>
            <Button disabled={!dirty} loading={save.isPending} onClick={() => save.mutate()}>
              {t('Save groups')}
            </Button>
          </Group>
        </Group>
      )}
    </Stack>
  )
}
