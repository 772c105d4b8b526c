// Paper: what is printed, with the school's head. On the screen it looks like the sheet it will be.
import type { ReactNode } from 'react'
import { useSession } from '../api/session'
import { useFormat } from './format'
import './sheet.css'
import { t } from '../messages/console'

export function Sheet({
  title,
  number,
  children,
  small,
}: {
  title: string
  number?: string
  children: ReactNode
  small?: boolean
}) {
  const { school } = useSession()
  const format = useFormat()
  return (
    <article className="paper" data-small={small || undefined} aria-label={number ? `${title} ${number}` : title}>
      <header className="paper-head">
        <div>
          <div className="paper-school">{school?.name}</div>
          <div className="paper-printed">{t('Printed {at}', { at: format.dateTime(new Date().toISOString()) })}</div>
        </div>
        <div className="paper-title">
          <div>{title}</div>
          {number && <div className="figures">{number}</div>}
        </div>
      </header>
      {children}
    </article>
  )
}
