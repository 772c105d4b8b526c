import { useState } from 'react'
import { api, done, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { joined, type Key, t } from '../../messages/messages'
import { useFormat } from '../format'
import { Month, MonthBar } from '../month'
import { problemText } from '../problem'
import { Button, Card, Field } from '../ui'
import type { Ride } from './bus'
import type { Child } from './children'

type Way = 'pickup' | 'dropoff'

const ways: Record<Way, Key> = { pickup: 'bus.toSchool', dropoff: 'bus.home' }
const forward = 60 // days, as the service allows

const plus = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

interface NotRidingProps {
  child: Child
  rides: Ride[]
  days: Schemas['NotRidingDay'][]
}

/** Says that a child will not ride, today or on a day, and takes it back. */
export function NotRiding({ child, rides, days }: NotRidingProps) {
  const format = useFormat()
  const today = format.today()
  const [isChoosing, setIsChoosing] = useState(false)
  const [month, setMonth] = useState(today.slice(0, 7))
  const [way, setWay] = useState<Way | ''>('')
  const [busy, setBusy] = useState('')
  const [error, setError] = useState('')

  const say = async (date: string, tripType: Way | '', riding: boolean) => {
    setBusy(date)
    setError('')
    try {
      await done(
        api.POST('/parent/transport/not-riding', {
          body: { data: { studentId: child.id, date, riding, tripType } },
        }),
      )
      setIsChoosing(false)
      changed('/parent/transport/', '/bus-tracking/')
    } catch (e) {
      setError(problemText(e))
    }
    setBusy('')
  }

  const ridden = [...new Set(rides.map((r) => r.direction as Way))]
  const isSaid = (date: string) =>
    ridden.every((w) => days.some((d) => d.date === date && (d.tripType as Way) === w)) && ridden.length > 0
  const dates = [...new Set(days.map((d) => d.date))]
  const stillToCome = rides.some(
    (r) =>
      r.tripStatus !== 'completed' && !r.notRiding && !['boarded', 'alighted', 'no_show'].includes(r.boarding ?? ''),
  )
  return (
    <Card label={t('bus.notRidingTitle')}>
      <h2>{t('bus.notRidingTitle')}</h2>
      <ul className="rows">
        {dates.map((date) => {
          const said = days.filter((d) => d.date === date).map((d) => d.tripType as Way)
          const isWhole = ridden.every((w) => said.includes(w))
          return (
            <li key={date} className="between">
              <span>
                <span className="line-title">{date === today ? t('nav.today') : format.day(date)}</span>
                {!isWhole && (
                  <span className="note">
                    {joined(
                      said.map((w) => t(ways[w])),
                      ', ',
                    )}
                  </span>
                )}
              </span>
              <Button onClick={() => void say(date, '', true)} busy={busy === date}>
                {t('bus.ridesAfterAll')}
              </Button>
            </li>
          )
        })}
      </ul>
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      <div className="buttons">
        {!isSaid(today) && stillToCome && (
          <Button onClick={() => void say(today, '', false)} busy={busy === today}>
            {t('bus.notToday')}
          </Button>
        )}
        <Button onClick={() => setIsChoosing(!isChoosing)} aria-expanded={isChoosing}>
          {t('bus.anotherDay')}
        </Button>
      </div>
      {isChoosing && (
        <>
          {ridden.length > 1 && (
            <Field label={t('bus.way')}>
              {(ids) => (
                <select {...ids} className="input" value={way} onChange={(e) => setWay(e.target.value as Way | '')}>
                  <option value="">{t('bus.bothWays')}</option>
                  {ridden.map((w) => (
                    <option key={w} value={w}>
                      {t(ways[w])}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          )}
          <p className="note">{t('bus.tapDay')}</p>
          <MonthBar month={month} to={setMonth} first={today.slice(0, 7)} last={plus(today, forward).slice(0, 7)} />
          <Month
            month={month}
            draw={(date) => ({
              label: format.day(date),
              tone: date < today || date > plus(today, forward) ? 'off' : undefined,
            })}
            pick={(date) => void say(date, way, isSaid(date))}
            picked={(date) => dates.includes(date)}
          />
        </>
      )}
    </Card>
  )
}
