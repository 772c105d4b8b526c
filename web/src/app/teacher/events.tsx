import { IconPlus } from '@tabler/icons-react'
import { api, call, type Schemas } from '../../api/client'
import { useMay } from '../../api/session'
import { joined, t } from '../../messages/messages'
import { EventCard } from '../event-card'
import { useFormat } from '../format'
import { Further } from '../further'
import { useRead } from '../read'
import { Link } from '../route'
import { Empty, Page, Shown } from '../ui'
import { useClasses } from './lessons'

export const eventsPath = '/teacher/co-curricular/get-events'
type SchoolEvent = Schemas['Event']

/** The school's events from today on, whomever they are for; or those of a year until today. */
export function useEvents(when: 'coming' | 'earlier' = 'coming') {
  const today = useFormat().today()
  const query = when === 'coming' ? { from: today } : { to: today }
  return useRead([eventsPath, when, today], () => call(api.GET(eventsPath, { params: { query } })))
}

/** Events of the school, which a teacher also adds and changes. */
export function Events() {
  const read = useEvents()
  const classes = useClasses()
  const writes = useMay()('event', 'write')
  return (
    <Page title={t('school.events')} back="/more">
      {writes && (
        <Link to="/events/new" className="button" data-look="main">
          <IconPlus aria-hidden size={20} />
          {t('events.add')}
        </Link>
      )}
      <Shown of={read} after={[classes]} lines={5} isEmpty={(d) => d.events.length === 0} empty="events.none">
        {({ events }) => <Cards of={events} writes={writes} />}
      </Shown>
      <Further ask="events.earlier">{() => <Earlier />}</Further>
    </Page>
  )
}

function Earlier() {
  const today = useFormat().today()
  return (
    <Shown of={useEvents('earlier')} lines={5}>
      {({ events }) => {
        const past = events.filter((e) => e.eventDate < today).reverse()
        return past.length > 0 ? <Cards of={past} writes={false} /> : <Empty text={t('events.noneEarlier')} />
      }}
    </Shown>
  )
}

function Cards({ of, writes }: { of: SchoolEvent[]; writes: boolean }) {
  return of.map((e) => (
    <EventCard key={e.id} of={e}>
      <SignUps of={e} />
      {writes && isOpen(e) && (
        <Link to={`/events/${e.id}`} className="button" aria-label={joined([t('events.change'), e.title])}>
          {t('events.change')}
        </Link>
      )}
    </EventCard>
  ))
}

/** It can still be changed. */
export const isOpen = (e: SchoolEvent) => e.status === 'UPCOMING' || e.status === 'ONGOING'

export const audiences = {
  ALL: 'events.forAll',
  PARENTS: 'events.forParents',
  STUDENTS: 'events.forStudents',
  TEACHERS: 'events.forTeachers',
  CLASSES: 'events.forClasses',
} as const

function SignUps({ of }: { of: SchoolEvent }) {
  const mine = useTaughtClasses().filter((c) => of.classIds.includes(c.id))
  const who = mine.length > 0 ? mine.map((c) => c.name).join(', ') : t(audiences[of.targetAudience || 'ALL'])
  const left = of.capacity === null ? undefined : Math.max(0, of.capacity - of.signedUp)
  return (
    <p className="note">
      {joined([
        who,
        t('events.signedUpCount', { count: of.signedUp }),
        of.status === 'UPCOMING' && left !== undefined && t('events.places', { count: left }),
      ])}
    </p>
  )
}

/** The classes in which the teacher has a division, each once. */
export function useTaughtClasses() {
  const divisions = useClasses().data?.items ?? []
  return [...new Map(divisions.map((d) => [d.classId, d.className]))].map(([id, name]) => ({ id, name }))
}
