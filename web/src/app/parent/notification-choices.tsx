import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { queries } from '../../api/queries'
import { type Key, t } from '../../messages/messages'
import { problemText } from '../problem'
import { useRead } from '../read'
import { useAddress } from '../route'
import { Button, Card, Choices, Page, Shown } from '../ui'
import { useChildren } from './children'

type Choice = Schemas['PreferenceNow']

const path = '/parent/notification/preferences'
const ways = { push: 'choices.push', sms: 'choices.sms', email: 'choices.email' } as const

const kinds: Record<string, Key> = {
  ANNOUNCEMENT: 'announcements.title',
  ATTENDANCE: 'school.attendance',
  RESULT: 'school.results',
  FEE: 'nav.fees',
  LEAVE_REQUEST: 'school.leave',
  MESSAGE: 'messages.title',
  TRANSPORT: 'bus.title',
  LIBRARY: 'school.library',
  TIMETABLE: 'school.timetable',
  EXAM: 'school.exams',
  EVENT: 'school.events',
}

/** By which ways the parent wants which notifications, for all children or for one. Every tick is kept at once. */
export function NotificationChoices() {
  const read = useRead([path], () => call(api.GET(path)))
  const siblings = useChildren()
  const children = siblings.data?.students ?? []
  const child = useAddress().query.get('child') ?? ''
  return (
    <Page title={t('choices.title')} back="/more">
      <p className="note">{t('choices.why')}</p>
      <Shown of={read} after={[siblings]} lines={8}>
        {({ preferences, ofChildren, whatsApp }) => (
          <div key={child} className="form">
            {children.length > 1 && (
              <Choices
                label={t('children.label')}
                of={[
                  { id: '', name: t('choices.allChildren') },
                  ...children.map((c) => ({ id: c.id, name: c.firstName })),
                ].map((c) => ({ ...c, current: c.id === child }))}
                to={(id) => `/more/notifications${id && `?child=${id}`}`}
              />
            )}
            {preferences
              .filter((c) => !child || c.type !== 'ANNOUNCEMENT')
              .map((c) => {
                const own = ofChildren.find((o) => o.studentId === child && o.type === c.type)
                return <Kind key={c.type} of={{ ...c, ...own }} child={child} isOwn={own !== undefined} />
              })}
            {!child && <WhatsApp agreed={whatsApp} />}
          </div>
        )}
      </Shown>
    </Page>
  )
}

/** Whether the parent may be written to by WhatsApp, where the school does. */
function WhatsApp({ agreed }: { agreed: boolean }) {
  const [error, setError] = useState('')
  const change = async (whatsApp: boolean) => {
    setError('')
    try {
      queries.setQueryData([path], await call(api.PUT(path, { body: { data: { preferences: [], whatsApp } } })))
    } catch (e) {
      setError(problemText(e))
    }
  }
  return (
    <Card label={t('choices.whatsapp')}>
      <label className="check">
        <input type="checkbox" checked={agreed} onChange={(e) => void change(e.target.checked)} />
        {t('choices.whatsapp')}
      </label>
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
    </Card>
  )
}

function Kind({ of, child, isOwn }: { of: Choice; child: string; isOwn: boolean }) {
  const [chosen, setChosen] = useState<Choice>()
  const shown = chosen ?? of
  const [error, setError] = useState('')
  const name = kinds[of.type]
  if (!name) return null
  const keep = async (next: Choice, asForAll = false) => {
    const { type, push, sms, email, details } = next
    const wish = { type, push, sms, email, details }
    setChosen(next)
    setError('')
    try {
      const data = child
        ? { preferences: [], ofChildren: [{ ...wish, studentId: child, asForAll }] }
        : { preferences: [wish] }
      queries.setQueryData([path], await call(api.PUT(path, { body: { data } })))
    } catch (e) {
      setError(problemText(e))
    }
    setChosen(undefined)
  }
  const change = (way: keyof typeof ways | 'details', is: boolean) => keep({ ...shown, [way]: is })
  return (
    <Card label={t(name)}>
      <fieldset className="ticks">
        <legend className="line-title">{t(name)}</legend>
        {Object.entries(ways).map(([way, label]) => (
          <label key={way} className="check">
            <input
              type="checkbox"
              checked={shown[way as keyof typeof ways] || (way === 'push' && !of.mayTurnOff)}
              disabled={way === 'push' && !of.mayTurnOff}
              onChange={(e) => void change(way as keyof typeof ways, e.target.checked)}
            />
            {t(label)}
          </label>
        ))}
        {of.type === 'TRANSPORT' && (
          <label className="check">
            <input type="checkbox" checked={shown.details} onChange={(e) => void change('details', e.target.checked)} />
            {t('choices.everyStep')}
          </label>
        )}
      </fieldset>
      {isOwn && <Button onClick={() => void keep(of, true)}>{t('choices.asForAll')}</Button>}
      {!of.mayTurnOff && <p className="note">{t('choices.always')}</p>}
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
    </Card>
  )
}
