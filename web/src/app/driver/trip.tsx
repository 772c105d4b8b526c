import { useState } from 'react'
import { asProblem } from '../../api/client'
import { joined, type Key, t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { useFormat } from '../format'
import { Picture } from '../picture'
import type { Item } from '../queue'
import { Link } from '../route'
import { Button, Card, Empty, Page, Shown, Status } from '../ui'
import {
  end,
  isOpen,
  type Place,
  placesOf,
  type Rider,
  resume,
  start,
  type Trip,
  type TripState,
  takeBack,
  tap,
  useTrip,
} from './acts'
import { Call, useContacts } from './family'
import { type Tracking, useTracking } from './position'
import { TripStatus } from './today'

/** One trip: the next place large, who gets on or off there, and its end. */
export function TripPage({ id }: { id: string }) {
  const state = useTrip(id)
  const tracking = useTracking(state.trip)
  const format = useFormat()
  if (state.read.error && asProblem(state.read.error).status === 404)
    return (
      <Page title={t('driver.trip')} back="/">
        <Empty text={t('driver.handedOver')}>
          <Link to="/messages/notices" className="button">
            {t('notices.title')}
          </Link>
        </Empty>
      </Page>
    )
  return (
    <Page title={state.trip?.routeName ?? t('driver.trip')} back="/">
      <Shown of={state.read}>
        {() => {
          const trip = state.trip!
          return (
            <>
              <div className="between">
                <span>
                  {format.time(trip.scheduledStartAt)} ·{' '}
                  {t(trip.tripType === 'pickup' ? 'driver.pickup' : 'driver.dropoff')} ·{' '}
                  {t('driver.bus', { bus: trip.busNumber })}
                </span>
                <TripStatus of={trip.status} />
              </div>
              {trip.status === 'scheduled' && <Start trip={trip} />}
              {trip.status === 'paused' && <Paused trip={trip} />}
              {state.refused && (
                <p className="error" role="alert">
                  {state.refused}
                </p>
              )}
              {isOpen(trip) ? (
                <UnderWay state={state} trip={trip} tracking={tracking} />
              ) : (
                placesOf(trip).map((p) => <PlaceCard key={p.key} trip={trip} place={p} />)
              )}
            </>
          )
        }}
      </Shown>
    </Page>
  )
}

function Start({ trip }: { trip: Trip }) {
  const [busy, setBusy] = useState(false)
  return (
    <>
      <p>{t('driver.startWhat')}</p>
      <p className="note">{t('driver.honest')}</p>
      <Button
        look="main"
        busy={busy}
        onClick={() => {
          setBusy(true)
          void start(trip)
        }}
      >
        {t('driver.start')}
      </Button>
    </>
  )
}

/** A trip that another device of the driver's paused. Riders are tapped all the same: the bus stands, and children get on and off. */
function Paused({ trip }: { trip: Trip }) {
  return (
    <Card label={t('driver.paused')}>
      <p>{t('driver.pausedWhat')}</p>
      <Button look="main" onClick={() => void resume(trip)}>
        {t('driver.resume')}
      </Button>
    </Card>
  )
}

function UnderWay({ state, trip, tracking }: { state: TripState; trip: Trip; tracking: Tracking | undefined }) {
  const places = placesOf(trip)
  const next = places.find((p) => p.open)
  const contacts = useContacts(trip)
  return (
    <>
      {next && (
        <section className="card" data-tone="quiet" aria-label={t('driver.next')}>
          <p className="note">{t('driver.next')}</p>
          <div className="between">
            <h2 className="amount">{next.name}</h2>
            <PlannedTime of={next} />
          </div>
          <Riders trip={trip} place={next} unsent={state.unsent} contacts={contacts} open large />
        </section>
      )}
      <Position tracking={tracking} />
      {places
        .filter((p) => p !== next)
        .map((p) => (
          <OtherPlace key={p.key} trip={trip} place={p} unsent={state.unsent} contacts={contacts} open />
        ))}
      <div className="buttons">
        <Link to={`/trip/${trip.id}/incident`} className="button">
          {t('driver.incident')}
        </Link>
        <Link to={`/trip/${trip.id}/hand-over`} className="button">
          {t('driver.handOver')}
        </Link>
      </div>
      <End trip={trip} ends={state.ends} />
    </>
  )
}

function PlannedTime({ of }: { of: Place }) {
  const format = useFormat()
  return of.time ? <span className="amount">{format.clock(of.time)}</span> : null
}

interface PlaceProps {
  trip: Trip
  place: Place
  unsent?: readonly Item[]
  contacts?: ReturnType<typeof useContacts>
  open?: boolean
  large?: boolean
}

function PlaceCard(props: PlaceProps) {
  return (
    <Card label={props.place.name}>
      <div className="between">
        <h2>{props.place.name}</h2>
        <PlannedTime of={props.place} />
      </div>
      <Riders {...props} />
    </Card>
  )
}

/** A place before or after the next one: its riders are a tap away. */
function OtherPlace(props: PlaceProps) {
  return (
    <details className="card">
      <summary className="between">
        <h2>{props.place.name}</h2>
        <Status tone={props.place.open ? 'plain' : 'good'}>
          {t('driver.riders', { count: props.place.riders.length })}
        </Status>
        <PlannedTime of={props.place} />
      </summary>
      <Riders {...props} />
    </details>
  )
}

function Riders({ place, unsent = [], ...rest }: PlaceProps) {
  return (
    <ul className="rows">
      {place.riders.map((r) => (
        <RiderRow key={r.studentId} {...rest} place={place} rider={r} unsent={unsent} />
      ))}
    </ul>
  )
}

const states = {
  waiting: ['driver.waiting', 'plain'],
  boarded: ['driver.aboard', 'good'],
  alighted: ['driver.gotOff', 'plain'],
  absent: ['driver.absent', 'plain'],
  no_show: ['driver.noShow', 'warn'],
} as const

const takenBackFor = 10 * 60_000

interface RiderProps extends PlaceProps {
  rider: Rider
  unsent: readonly Item[]
}

function RiderRow({ trip, place, rider, unsent, contacts, open, large }: RiderProps) {
  const [name, tone] = states[rider.status as keyof typeof states] ?? states.waiting
  const who = nameOf(rider)
  const named = (act: Key) => t('driver.actWho', { act: t(act), name: who })
  const mayBoard = place.act === 'boarded' && ['waiting', 'no_show', 'absent'].includes(rider.status)
  const mayAlight = rider.status === 'boarded' && place.act === 'alighted'
  const tappedAt = Date.parse((rider.status === 'alighted' ? rider.alightedAt : rider.boardedAt) ?? '')
  const isUnsent = unsent.some((i) => (i.data as { studentId?: string }).studentId === rider.studentId)
  const mayTakeBack =
    ['boarded', 'alighted', 'no_show'].includes(rider.status) && (isUnsent || Date.now() - tappedAt < takenBackFor)
  return (
    <li className="rider" aria-label={who}>
      <Picture file={rider.photoFileId} letters={initials(rider)} />
      <span className="grow">
        <span className="line-title">{who}</span>
        <Status tone={tone}>{t(name)}</Status>
        {rider.reason && <span className="note">{rider.reason}</span>}
      </span>
      {open && contacts && rider.status !== 'absent' && <Call rider={rider} contacts={contacts} />}
      {open && (
        <span className="taps" data-large={(large && (mayBoard || mayAlight)) || undefined}>
          {mayBoard && (
            <Button look="main" aria-label={named('driver.boarded')} onClick={() => void tap(trip, rider, 'boarded')}>
              {t('driver.boarded')}
            </Button>
          )}
          {mayBoard && rider.status === 'waiting' && (
            <Button aria-label={named('driver.noShow')} onClick={() => void tap(trip, rider, 'no_show')}>
              {t('driver.noShow')}
            </Button>
          )}
          {mayAlight && (
            <Button look="main" aria-label={named('driver.gotOff')} onClick={() => void tap(trip, rider, 'alighted')}>
              {t('driver.gotOff')}
            </Button>
          )}
          {mayTakeBack && !mayAlight && (
            <Button
              look="text"
              aria-label={named('driver.takeBack')}
              onClick={() => void takeBack(trip, rider, unsent)}
            >
              {t('driver.takeBack')}
            </Button>
          )}
        </span>
      )}
    </li>
  )
}

const initials = (r: Rider) => [r.firstName, r.lastName].map((n) => [...n][0] ?? '').join('')

const trackingTexts = {
  asked: 'driver.positionAsked',
  on: 'driver.positionOn',
  denied: 'driver.positionDenied',
  none: 'driver.positionNone',
  unsupported: 'driver.positionUnsupported',
} as const

/** Whether families see the bus move, and what a browser cannot do. */
function Position({ tracking }: { tracking: Tracking | undefined }) {
  const format = useFormat()
  if (!tracking) return null
  const { state, at, awake } = tracking
  return (
    <Card label={t('driver.position')}>
      <div className="between">
        <span className="line-title">{t('driver.position')}</span>
        <Status tone={state === 'on' ? 'good' : 'warn'}>
          {t(trackingTexts[state], { time: at ? format.time(new Date(at).toISOString()) : '' })}
        </Status>
      </div>
      {!awake && <p>{t('driver.notAwake')}</p>}
      <p className="note">{t('driver.honest')}</p>
    </Card>
  )
}

/** Ends the trip once nobody is waiting or aboard. */
function End({ trip, ends }: { trip: Trip; ends: boolean }) {
  const [asked, setAsked] = useState(false)
  const left = (status: string) => joined(trip.students.filter((s) => s.status === status).map(nameOf), ', ')
  const aboard = left('boarded')
  const waiting = left('waiting')
  if (ends) return <p role="status">{t('driver.ending')}</p>
  return (
    <>
      {asked && (aboard || waiting) && (
        <div role="alert" className="error">
          {aboard && <p className="strong">{t('driver.stillAboard', { names: aboard })}</p>}
          {waiting && <p>{t('driver.stillWaiting', { names: waiting })}</p>}
        </div>
      )}
      <Button
        look={aboard || waiting || trip.status === 'paused' ? 'plain' : 'main'}
        onClick={() => {
          setAsked(true)
          if (!aboard && !waiting) void end(trip)
        }}
      >
        {t('driver.end')}
      </Button>
    </>
  )
}
