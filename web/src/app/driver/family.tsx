import { IconPhone } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { relationOf } from '../relation'
import { isOpen, type Rider, type Trip } from './acts'

/**
 * Whom to call for the riders of a trip that is under way. The phones of families are in memory only: neither the phone's store
 * nor a trip that is over has them.
 */
export function useContacts(trip: Trip | undefined) {
  const id = trip && isOpen(trip) ? trip.id : ''
  return useQuery({
    queryKey: ['/driver/trip/contacts', id],
    queryFn: () => call(api.GET('/driver/trip/{id}/contacts', { params: { path: { id } } })),
    enabled: id !== '',
    staleTime: 10 * 60_000,
    gcTime: 0,
  })
}

type Contacts = ReturnType<typeof useContacts>

/** The way to a rider's family: a tap shows whom to call, another one calls. */
export function Call({ rider, contacts }: { rider: Rider; contacts: Contacts }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-expanded={isOpen}
        aria-label={t('driver.actWho', { act: t('driver.call'), name: nameOf(rider) })}
        onClick={() => {
          setIsOpen(!isOpen)
          if (contacts.isError) void contacts.refetch()
        }}
      >
        <IconPhone aria-hidden size={22} />
      </button>
      {isOpen && (
        <Numbers of={contacts.data?.riders.find((r) => r.studentId === rider.studentId)} contacts={contacts} />
      )}
    </>
  )
}

function Numbers({ of, contacts }: { of: Schemas['RiderContacts'] | undefined; contacts: Contacts }) {
  if (!of) return <p className="whole note">{t(contacts.data ? 'driver.noNumber' : 'driver.numbersLater')}</p>
  return (
    <div className="whole">
      {of.guardians.map((g) => (
        <a key={g.phone} href={`tel:${g.phone}`} className="register-link">
          <IconPhone aria-hidden size={18} />
          <span>
            <bdi>{g.name}</bdi> <span className="note">{relationOf(g.relation)}</span>
          </span>
        </a>
      ))}
    </div>
  )
}
