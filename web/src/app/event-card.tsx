import type { ReactNode } from 'react'
import type { Schemas } from '../api/client'
import { type Key, t } from '../messages/messages'
import { useFormat } from './format'
import { Card, Parts, Status } from './ui'

const states: Record<string, [Key, 'bad' | 'plain']> = {
  ONGOING: ['events.ongoing', 'plain'],
  COMPLETED: ['events.over', 'plain'],
  CANCELLED: ['events.cancelled', 'bad'],
}

/** What an event is, when and where; a sign stands beside its title while it is still to come. */
export function EventCard(props: { of: Schemas['Event']; sign?: ReactNode; children?: ReactNode }) {
  const { of, sign, children } = props
  const format = useFormat()
  const state = states[of.status]
  return (
    <Card label={of.title}>
      <div className="between">
        <h2>
          <bdi>{of.title}</bdi>
        </h2>
        {state ? <Status tone={state[1]}>{t(state[0])}</Status> : sign}
      </div>
      <p className="note">
        <Parts
          of={[
            format.day(of.eventDate),
            [of.startTime, of.endTime].filter(Boolean).map(format.clock).join(' – '),
            of.venue,
          ]}
        />
      </p>
      {of.cancelReason && <p className="note">{of.cancelReason}</p>}
      {of.description && (
        <p className="pre" dir="auto">
          {of.description}
        </p>
      )}
      {children}
    </Card>
  )
}
