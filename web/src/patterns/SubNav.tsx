// The pages of one area, one line above them.
import { Link, useLocation } from '@tanstack/react-router'
import './areas.css'

export function SubNav({ label, items }: { label: string; items: { to: string; title: string }[] }) {
  const path = useLocation({ select: (l) => l.pathname.replace(/^\/console/, '').replace(/\/$/, '') })
  return (
    <nav className="subnav no-print" aria-label={label}>
      {items.map((i) => <Link key={i.to} to={i.to} aria-current={path === i.to ? 'page' : undefined}>{i.title}</Link>)}
    </nav>
  )
}
