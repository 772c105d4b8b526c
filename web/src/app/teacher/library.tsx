import { type FormEvent, useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { joined, t } from '../../messages/messages'
import { Further } from '../further'
import { useRead } from '../read'
import { go, useAddress } from '../route'
import { Button, Card, Field, Page, Shown, Status } from '../ui'
import { useHold } from '../update'

/** The library's books by title, author or ISBN, with what is on the shelf. */
export function Library() {
  const { query } = useAddress()
  const asked = query.get('q') ?? ''
  const [text, setText] = useState(asked)
  useHold(text !== asked)
  const search = (e: FormEvent) => {
    e.preventDefault()
    go(`/library?${new URLSearchParams({ q: text.trim() })}`, { replace: true })
  }
  return (
    <Page title={t('school.library')} back="/more">
      <form className="form" role="search" onSubmit={search}>
        <Field label={t('library.find')}>
          {(ids) => (
            <input
              {...ids}
              type="search"
              className="input"
              enterKeyHint="search"
              maxLength={200}
              value={text}
              onChange={(e) => setText(e.target.value)}
            />
          )}
        </Field>
        <Button look="main" type="submit">
          {t('library.search')}
        </Button>
      </form>
      <Books key={asked} search={asked} />
    </Page>
  )
}

function Books({ search, page = 1 }: { search: string; page?: number }) {
  const read = useRead(['/teacher/library/search', search, page], () =>
    call(
      api.GET('/teacher/library/search', {
        params: { query: { page, limit: 50, ...(search && { 'filters[search]': search }) } },
      }),
    ),
  )
  return (
    <Shown of={read} lines={6} isEmpty={(d) => d.items.length === 0} empty="library.nothing">
      {({ items, totalPages }) => (
        <>
          <Card label={t('library.books')}>
            <ul className="rows">
              {items.map((b) => (
                <BookRow key={b.id} of={b} />
              ))}
            </ul>
          </Card>
          {page < totalPages && <Further ask="library.more">{() => <Books search={search} page={page + 1} />}</Further>}
        </>
      )}
    </Shown>
  )
}

function BookRow({ of }: { of: Schemas['BookView'] }) {
  const isThere = of.available > 0
  return (
    <li>
      <div className="between">
        <span className="line-title">
          <bdi>{of.title}</bdi>
        </span>
        <Status tone={isThere ? 'good' : 'plain'}>
          {isThere ? t('library.available', { count: of.available }) : t('library.noneAvailable')}
        </Status>
      </div>
      <span className="note">{joined([of.author, of.category])}</span>
      {of.waiting > 0 && <span className="note">{t('library.waiting', { count: of.waiting })}</span>}
    </li>
  )
}
