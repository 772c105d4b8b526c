import type { Schemas } from '../api/client'
import { t } from '../messages/messages'
import { useFormat } from './format'

/** How often somebody, or a class, was there. */
export function Totals({ of }: { of: Schemas['AttendanceTotals'] }) {
  const format = useFormat()
  if (of.marked === 0) return <p className="note">{t('attendance.none')}</p>
  return (
    <>
      {of.percent !== null && (
        <p className="strong">{t('attendance.percent', { percent: format.percent(of.percent) })}</p>
      )}
      <dl className="figures">
        {(['present', 'absent', 'late', 'leave'] as const).map((k) => (
          <div key={k}>
            <dt>{t(`mark.${k}`)}</dt>
            <dd>{format.number(of[k])}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
