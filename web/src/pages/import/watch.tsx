import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { asProblem } from '../../api/client'
import { t } from '../../messages/console'
import { Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { Facts } from '../../patterns/record'
import { WizardButtons } from '../../patterns/wizard'
import { type Kind, readRun, students, sumWords } from './kinds'
import { Undo } from './undo'

/** The run, by its id: it goes on though the page is closed, and is found again by its address. */
export function Watch({ kind, id, error, again }: { kind: Kind; id: string; error: unknown; again: () => void }) {
  const format = useFormat()
  const refused = error && asProblem(error).status !== 0 ? asProblem(error) : null
  const run = useQuery({
    queryKey: [kind.path, id],
    queryFn: () => readRun(kind, id),
    retry: (count, e) => count < 10 && asProblem(e).status === 404,
    retryDelay: 300,
    refetchInterval: (q) => (q.state.data && q.state.data.state !== 'RUNNING' ? false : 700),
    staleTime: 0,
    enabled: !refused,
  })
  const r = run.data
  if (refused)
    return (
      <Stack gap={16} className="reading">
        <Trouble error={refused} />
        <Text>{t('Nothing was saved.')}</Text>
        <WizardButtons next={again} label={t('Choose the file again')} />
      </Stack>
    )
  if (!r)
    return run.error ? (
      <Stack gap={16} className="reading">
        <Trouble error={run.error} retry={() => void run.refetch()} />
        <WizardButtons next={again} label={t('Start again')} />
      </Stack>
    ) : (
      <Lines n={3} />
    )
  const n = format.number
  return (
    <Stack gap={16} className="reading">
      <Group justify="space-between">
        <Text fw={500}>
          {r.state === 'DONE'
            ? r.undoneAt
              ? t('Taken back')
              : t('Done')
            : r.state === 'RUNNING'
              ? t('Importing {fileName}', { fileName: r.fileName })
              : t('Nothing was saved')}
        </Text>
        <Text className="figures" c="dimmed">
          {r.percent} %
        </Text>
      </Group>
      <Progress
        value={r.percent}
        aria-label={t('Import')}
        color={r.state === 'RUNNING' || r.state === 'DONE' ? undefined : 'red.8'}
      />
      {r.state === 'RUNNING' && (
        <Text size="sm" c="dimmed">
          {t('You can leave this page; the import continues. This address shows its progress.')}
        </Text>
      )}
      {r.state === 'DONE' && (
        <>
          <Facts
            of={[
              [t('New'), n(r.creates)],
              [t('Changed'), n(r.updates)],
              [t('Unchanged'), n(r.unchanged)],
              ...(r.bad ? [[t('Left out'), n(r.bad)] as [string, string]] : []),
              ...(kind === students
                ? [
                    [t('Guardians'), t('{n} new, {n2} known', { n: n(r.guardiansNew), n2: n(r.guardiansFound) })] as [
                      string,
                      string,
                    ],
                    [t('Added to a class'), n(r.enrolments + r.moves)] as [string, string],
                  ]
                : []),
              ...r.sums.map((s): [string, string] => [
                sumWords[s.name]?.label ?? s.name,
                sumWords[s.name]?.money ? format.money(s.value) : n(s.value),
              ]),
            ]}
          />
          <Group gap={8} mt={8}>
            <Button component={Link} to={kind.list}>
              {t('See the {many}', { many: kind.many })}
            </Button>
            <Button variant="default" onClick={again}>
              {t('Import another file')}
            </Button>
            {r.mayUndo && <Undo kind={kind} id={r.id} fileName={r.fileName} />}
          </Group>
        </>
      )}
      {(r.state === 'REFUSED' || r.state === 'FAILED') && (
        <>
          <Alert color="red" variant="light" role="alert">
            {r.message}
          </Alert>
          <WizardButtons next={again} label={t('Choose the file again')} />
        </>
      )}
    </Stack>
  )
}
