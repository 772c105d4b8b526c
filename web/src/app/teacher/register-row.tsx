import { memo, useState } from 'react'
import { t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { marks as looks } from '../parent/marks'
import { Button, Field } from '../ui'
import { type Entry, isSame, type Mark, type Status } from './marks'

const choices: Status[] = ['PRESENT', 'ABSENT', 'LATE']
const minutes = [5, 10, 15, 30]

/** A student of the register: one tap for a mark; the name opens minutes and remark. Only the row that is tapped is drawn anew. */
export const RegisterRow = memo(function RegisterRow(props: {
  of: Entry
  mark: Mark | undefined
  /** As the server has it. */
  known: Mark | undefined
  set: (of: Entry, mark: Mark) => void
}) {
  const { of, mark, known, set } = props
  const [isOpen, setIsOpen] = useState(false)
  const name = nameOf(of)
  const isOnLeave = of.leaveId !== null || of.status === 'LEAVE'
  const choose = (status: Status) =>
    set(of, {
      status,
      lateMinutes: status === 'LATE' ? (mark?.lateMinutes ?? null) : null,
      remark: mark?.remark ?? '',
    })
  return (
    <li className="mark-row" data-mark={mark?.status}>
      <fieldset>
        <legend className="hidden">{[of.rollNumber, name].filter(Boolean).join(' ')}</legend>
        <button type="button" className="mark-name" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <span className="note">{of.rollNumber ?? ''}</span>
          <span className="grow">
            {name}
            {of.division && <span className="note">{of.division}</span>}
            {isOnLeave && <span className="note">{t(of.halfDay ? 'register.halfLeave' : 'register.onLeave')}</span>}
            {mark?.lateMinutes != null && (
              <span className="note">{t('attendance.lateBy', { count: mark.lateMinutes })}</span>
            )}
            {mark?.remark && <span className="note">{mark.remark}</span>}
            {known && mark && !isSame(known, mark) && (
              <span className="note">{t('register.was', { mark: t(looks[known.status].name) })}</span>
            )}
          </span>
        </button>
        <span className="mark-choices">
          {(isOnLeave || mark?.status === 'LEAVE' ? [...choices, 'LEAVE' as const] : choices).map((status) => (
            <label key={status} data-mark={status}>
              <input
                type="radio"
                name={of.studentId}
                aria-label={t(looks[status].name)}
                checked={mark?.status === status}
                onChange={() => choose(status)}
              />
              <span aria-hidden>{t(looks[status].short)}</span>
            </label>
          ))}
        </span>
      </fieldset>
      {mark?.status === 'LATE' && (
        <div className="choices" role="group" aria-label={t('register.minutes')}>
          {minutes.map((n) => (
            <button
              key={n}
              type="button"
              className="chip"
              aria-pressed={mark.lateMinutes === n}
              onClick={() => set(of, { ...mark, lateMinutes: mark.lateMinutes === n ? null : n })}
            >
              {t('register.minutesShort', { count: n })}
            </button>
          ))}
        </div>
      )}
      {isOpen && <Details mark={mark} set={(next) => set(of, next)} />}
    </li>
  )
})

function Details({ mark, set }: { mark: Mark | undefined; set: (mark: Mark) => void }) {
  if (!mark) return <p className="note">{t('register.markFirst')}</p>
  return (
    <div className="form">
      {mark.status === 'LATE' && (
        <Field label={t('register.minutes')}>
          {(ids) => (
            <input
              {...ids}
              className="input"
              inputMode="numeric"
              value={mark.lateMinutes ?? ''}
              onChange={(e) => {
                const n = Number.parseInt(e.target.value.replace(/\D/g, ''), 10)
                set({ ...mark, lateMinutes: Number.isNaN(n) ? null : Math.min(n, 600) })
              }}
            />
          )}
        </Field>
      )}
      <Field label={t('register.remark')}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            maxLength={300}
            value={mark.remark}
            onChange={(e) => set({ ...mark, remark: e.target.value })}
          />
        )}
      </Field>
      {mark.remark && <Button onClick={() => set({ ...mark, remark: '' })}>{t('register.noRemark')}</Button>}
    </div>
  )
}
