import { Button, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { t } from '../../messages/console'
import { Status } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { type Kind, readRuns } from './kinds'
import { Undo } from './undo'

/** The latest imports of a kind, which can be opened, and taken back while that is possible. */
export function History({ kind, open }: { kind: Kind; open: (id: string) => void }) {
  const format = useFormat()
  const n = format.number
  const runs = useQuery({ queryKey: [`${kind.path}/list`], queryFn: () => readRuns(kind), staleTime: 0 })
  if (!runs.data || runs.data.items.length === 0) return null
  return (
    <section>
      <Title order={2} mb={8}>
        {t('Earlier imports')}
      </Title>
      <div className="panel">
        <div className="list-scroll" tabIndex={0} role="region" aria-label={t('Earlier imports')}>
          <table className="list">
            <thead>
              <tr>
                <th scope="col">{t('When')}</th>
                <th scope="col">{t('File')}</th>
                <th scope="col">{t('By')}</th>
                <th scope="col">{t('New')}</th>
                <th scope="col">{t('Changed')}</th>
                <th scope="col">{t('State')}</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {runs.data.items.map((r) => (
                <tr key={r.id}>
                  <td>{format.dateTime(r.createdAt)}</td>
                  <td>
                    <Button variant="subtle" size="compact-sm" onClick={() => open(r.id)}>
                      {r.fileName || t('Without a name')}
                    </Button>
                  </td>
                  <td>{r.creatorName}</td>
                  <td className="figures">{n(r.creates)}</td>
                  <td className="figures">{n(r.updates)}</td>
                  <td>
                    {r.undoneAt ? (
                      <Status tone="off">{t('Taken back')}</Status>
                    ) : r.state === 'DONE' ? (
                      <Status tone="good">{t('Done')}</Status>
                    ) : r.state === 'RUNNING' ? (
                      <Status tone="busy">{t('Importing')}</Status>
                    ) : (
                      <Status tone="bad">{t('Nothing was saved')}</Status>
                    )}
                  </td>
                  <td>{r.mayUndo && <Undo kind={kind} id={r.id} fileName={r.fileName} small />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </section>
  )
}
