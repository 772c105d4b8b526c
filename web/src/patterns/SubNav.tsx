// The pages of one area, one line above them.
import { Link } from '@tanstack/react-router'
import './areas.css'

export function SubNav({ label, items }: { label: string; items: { to: string; title: string }[] }) {
  return (
    <nav className="subnav no-print" aria-label={label}>
      {items.map((i) => (
        <Link key={i.to} to={i.to} activeOptions={{ exact: true, includeSearch: false }}>
          {i.title}
        </Link>
      ))}
    </nav>
  )
}
