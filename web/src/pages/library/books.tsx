import { Button, Group, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { IconBooks, IconPlus, IconUpload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, asProblem, call, done, type Schemas } from '../../api/client'
import { fetchAll } from '../../api/list'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Dialog, Empty, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { MoneyInput } from '../../patterns/money'
import { PersonPicker } from '../../patterns/PersonPicker'
import { fieldsOf, useDraft, useSave } from '../../patterns/record'
import { booksMoved, type Copy, CopyStatus, LibraryNav } from './shared'

type Book = Schemas['BookView']

export function Books() {
  const may = useMay()
  const format = useFormat()
  const [, setAddress] = useAddress()
  const write = may('library', 'write')
  const importer = write && (
    <Button component={Link} to="/library/import" variant="default" leftSection={<IconUpload size={16} stroke={1.6} />}>
      {t('Import')}
    </Button>
  )
  const add = write && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a book')}
    </Button>
  )
  return (
    <>
      <LibraryNav />
      <ListPage
        path="/school-admin/library/book/list"
        title={t('Books')}
        noun={[t('book'), t('books')]}
        id={(b) => b.id}
        name={(b) => b.title}
        search={t('Title, author or ISBN')}
        filters={[
          {
            key: 'available',
            label: t('Copies'),
            options: [
              { value: 'true', label: t('on the shelf') },
              { value: 'false', label: t('none on the shelf') },
            ],
          },
        ]}
        columns={[
          { key: 'title', title: t('Title'), cell: (b) => b.title, sort: 'title' },
          { key: 'author', title: t('Author'), cell: (b) => b.author, sort: 'author' },
          { key: 'isbn', title: t('ISBN'), cell: (b) => <span className="figures">{b.isbn}</span> },
          { key: 'category', title: t('Category'), cell: (b) => b.category },
          { key: 'publisher', title: t('Publisher'), cell: (b) => b.publisher, hidden: true },
          {
            key: 'price',
            title: t('Price'),
            cell: (b) => (b.price ? format.money(b.price) : ''),
            end: true,
            hidden: true,
          },
          {
            key: 'waiting',
            title: t('Waiting'),
            cell: (b) =>
              b.waiting ? (
                format.number(b.waiting)
              ) : (
                <Text span c="dimmed">
                  –
                </Text>
              ),
            end: true,
          },
          {
            key: 'copies',
            title: t('On the shelf'),
            cell: (b) =>
              t('{available} of {copies}', { available: format.number(b.available), copies: format.number(b.copies) }),
            end: true,
            phone: true,
          },
        ]}
        primary={add}
        more={importer}
        empty={
          <Empty
            icon={<IconBooks size={32} stroke={1.2} />}
            title={t('No books yet')}
            text={t(
              'A book has any number of copies, each with an accession number or a barcode of its own. Bring the catalogue as a CSV file, or add books one by one.',
            )}
            action={
              <>
                {importer}
                {add}
              </>
            }
            example={t('For example: Malgudi Days, R. K. Narayan, with the copies L-0001 and L-0002.')}
          />
        }
        drawer={(id, close) =>
          id === 'new' ? <BookForm close={close} /> : <BookDrawer id={id} close={close} key={id} />
        }
      />
    </>
  )
}

const readBook = (id: string) => call(api.GET('/school-admin/library/book/{id}', { params: { path: { id } } }))

function BookDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({ queryKey: ['/school-admin/library/book/', id], queryFn: () => readBook(id) })
  return q.data ? (
    <BookForm book={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

const labels = {
  title: t('Title'),
  author: t('Author'),
  isbn: 'ISBN',
  publisher: t('Publisher'),
  publishedYear: t('Year'),
  category: t('Category'),
  price: t('Price'),
}

function BookForm({ book, close }: { book?: Book; close: () => void }) {
  const may = useMay()
  const format = useFormat()
  const [, setAddress] = useAddress()
  const pick = (b?: Book) => ({
    title: b?.title ?? '',
    author: b?.author ?? '',
    isbn: b?.isbn ?? '',
    publisher: b?.publisher ?? '',
    publishedYear: b?.publishedYear ?? null,
    category: b?.category ?? '',
    price: (b?.price || null) as number | null,
  })
  const draft = useDraft(pick(book))
  const f = fieldsOf(draft)
  const v = draft.values
  const wire = (c: Partial<typeof v>) => ({ ...c, ...('price' in c ? { price: c.price ?? 0 } : {}) })
  const add = (all: typeof v) =>
    call(api.POST('/school-admin/library/book/create', { body: { data: wire(all) as Schemas['BookFields'] } }))
  const save = useSave({
    draft,
    labels,
    version: book?.version,
    say: { price: (x) => (x ? format.money(x) : '–') },
    save: (c, version, all) =>
      book
        ? call(
            api.PUT('/school-admin/library/book/{id}', {
              params: { path: { id: book.id } },
              body: { data: { ...wire(c), version } as Schemas['BookChange'] },
            }),
          )
        : add(all),
    reread:
      book &&
      (async () => {
        const now = await readBook(book.id)
        return { ...pick(now), version: now.version }
      }),
    onSaved: (b) => {
      changed('/school-admin/library/')
      if (!book && b) setAddress({ open: b.id })
    },
  })
  return (
    <FormDrawer
      title={book?.title ?? t('Add a book')}
      what={book?.title ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!book}
      remove={
        book && book.copies === 0 && may('library', 'delete')
          ? () => done(api.DELETE('/school-admin/library/book/{id}', { params: { path: { id: book.id } } }))
          : undefined
      }
      restore={() => add(pick(book))}
      extra={book && <Copies book={book} />}
    >
      {f.text({ k: 'title', label: labels.title, required: true })}
      <div className="pair">
        {f.text({ k: 'author', label: labels.author })}
        {f.text({ k: 'isbn', label: labels.isbn })}
        {f.text({ k: 'publisher', label: labels.publisher })}
        <NumberInput
          label={labels.publishedYear}
          hideControls
          allowDecimal={false}
          thousandSeparator=""
          value={v.publishedYear ?? ''}
          error={draft.errors.publishedYear}
          onChange={(n) => draft.set('publishedYear', n === '' ? null : Number(n))}
        />
        {f.text({ k: 'category', label: labels.category, placeholder: 'Fiction' })}
        <MoneyInput
          label={labels.price}
          description={t('Charged when a copy is lost')}
          value={v.price}
          onChange={(n) => draft.set('price', n)}
          error={draft.errors.price}
        />
      </div>
    </FormDrawer>
  )
}

/** The copies of a book, and who waits for one. */
function Copies({ book }: { book: Book }) {
  const may = useMay()
  const format = useFormat()
  const [editing, setEditing] = useState<Copy | 'new' | 'reserve' | null>(null)
  const q = useQuery({
    queryKey: ['/school-admin/library/copy/list', 'of', book.id],
    queryFn: () =>
      fetchAll('/school-admin/library/copy/list', { sort: 'accessionNumber', filters: { bookId: book.id } }),
  })
  const write = may('library', 'write')
  return (
    <section aria-label={t('Copies')}>
      <Group justify="space-between" mt={32} mb={8}>
        <Text className="section" m={0}>
          {t('Copies')}
        </Text>
        {write && (
          <Group gap={8}>
            {!!q.data?.length && (
              <Button variant="default" size="compact-md" onClick={() => setEditing('reserve')}>
                {t('Reserve…')}
              </Button>
            )}
            <Button
              variant="default"
              size="compact-md"
              leftSection={<IconPlus size={14} />}
              onClick={() => setEditing('new')}
            >
              {t('Add a copy')}
            </Button>
          </Group>
        )}
      </Group>
      {q.error ? (
        <Trouble error={q.error} />
      ) : !q.data ? (
        <Lines n={2} />
      ) : q.data.length === 0 ? (
        <Text c="dimmed">{t('None yet. A book can be lent once it has a copy with a number.')}</Text>
      ) : (
        <Stack gap={0} className="panel">
          {q.data.map((c, i) => (
            <Group
              key={c.id}
              p={12}
              gap={12}
              wrap="nowrap"
              justify="space-between"
              style={i ? { borderTop: '1px solid var(--line)' } : undefined}
            >
              <div style={{ minWidth: 0 }}>
                <Text fw={500} className="figures">
                  {c.accessionNumber}
                </Text>
                <Text size="sm" c="dimmed" className="figures">
                  {[
                    c.barcode,
                    c.shelf && t('shelf {shelf}', { shelf: c.shelf }),
                    c.borrowerName &&
                      (c.status === 'HELD'
                        ? t('for {borrowerName}', { borrowerName: c.borrowerName })
                        : `${c.borrowerName}`),
                    c.dueOn && t('due {dueOn}', { dueOn: format.date(c.dueOn) }),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </Text>
              </div>
              <Group gap={12} wrap="nowrap">
                <CopyStatus of={c.status} />
                {write && (
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={t('Edit {accessionNumber}', { accessionNumber: c.accessionNumber })}
                    onClick={() => setEditing(c)}
                  >
                    {t('Edit')}
                  </Button>
                )}
              </Group>
            </Group>
          ))}
        </Stack>
      )}
      {editing === 'reserve' ? (
        <Reserve book={book} close={() => setEditing(null)} />
      ) : (
        editing && (
          <CopyDialog book={book} copy={editing === 'new' ? undefined : editing} close={() => setEditing(null)} />
        )
      )}
    </section>
  )
}

function CopyDialog({ book, copy, close }: { book: Book; copy?: Copy; close: () => void }) {
  const may = useMay()
  const [v, setV] = useState({
    accessionNumber: copy?.accessionNumber ?? '',
    barcode: copy?.barcode ?? '',
    shelf: copy?.shelf ?? '',
    state: copy?.state ?? 'GOOD',
  })
  const save = useMutation({
    mutationFn: () =>
      copy
        ? call(
            api.PUT('/school-admin/library/copy/{id}', {
              params: { path: { id: copy.id } },
              body: { data: { ...v, version: copy.version } as Schemas['CopyChange'] },
            }),
          )
        : call(
            api.POST('/school-admin/library/copy/create', {
              body: { data: { ...v, bookId: book.id } as Schemas['NewCopy'] },
            }),
          ),
    onSuccess: () => {
      booksMoved()
      close()
    },
  })
  const remove = useMutation({
    mutationFn: () => done(api.DELETE('/school-admin/library/copy/{id}', { params: { path: { id: copy!.id } } })),
    onSuccess: () => {
      booksMoved()
      close()
    },
  })
  const p = save.error ? asProblem(save.error) : null
  const set = (k: keyof typeof v) => (e: { currentTarget: { value: string } }) =>
    setV({ ...v, [k]: e.currentTarget.value })
  return (
    <Dialog
      onClose={close}
      title={
        copy
          ? t('Copy {accessionNumber}', { accessionNumber: copy.accessionNumber })
          : t('Add a copy of {title}', { title: book.title })
      }
    >
      <form
        onSubmit={(e) => {
          e.preventDefault()
          e.stopPropagation()
          save.mutate()
        }}
      >
        <Stack gap={16}>
          <TextInput
            label={t('Accession number')}
            data-autofocus
            placeholder="L-0001"
            maxLength={40}
            value={v.accessionNumber}
            onChange={set('accessionNumber')}
            error={p?.fields.accessionNumber}
          />
          <TextInput
            label={t('Barcode')}
            description={t('If it has one of its own')}
            maxLength={60}
            value={v.barcode}
            onChange={set('barcode')}
            error={p?.fields.barcode}
          />
          <div className="pair">
            <TextInput
              label={t('Shelf')}
              maxLength={60}
              value={v.shelf}
              onChange={set('shelf')}
              error={p?.fields.shelf}
            />
            {copy && (
              <NativeSelect
                label={t('State')}
                value={v.state}
                onChange={set('state')}
                error={p?.fields.state}
                data={[
                  { value: 'GOOD', label: t('In use') },
                  { value: 'LOST', label: t('Lost') },
                  { value: 'WITHDRAWN', label: t('Withdrawn') },
                ]}
              />
            )}
          </div>
          <Trouble error={p && Object.keys(p.fields).length === 0 ? p : remove.error} />
          <Group justify="space-between" gap={8}>
            {copy && may('library', 'delete') ? (
              <Button variant="subtle" color="red" c="red.8" loading={remove.isPending} onClick={() => remove.mutate()}>
                {t('Delete')}
              </Button>
            ) : (
              <span />
            )}
            <Group gap={8}>
              <Button variant="default" onClick={close}>
                {t('Cancel')}
              </Button>
              <Button type="submit" loading={save.isPending} disabled={!v.accessionNumber.trim()}>
                {copy ? t('Save') : t('Add')}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

function Reserve({ book, close }: { book: Book; close: () => void }) {
  const reserve = useMutation({
    mutationFn: (p: { kind: string; id: string }) =>
      call(
        api.POST('/school-admin/library/reservation/create', {
          body: { data: { bookId: book.id, ...(p.kind === 'student' ? { studentId: p.id } : { employeeId: p.id }) } },
        }),
      ),
    onSuccess: () => {
      booksMoved()
      close()
    },
  })
  return (
    <Dialog onClose={close} title={t('Reserve {title}', { title: book.title })} size={480}>
      <Stack gap={16} mih={160}>
        <PersonPicker label={t('Borrower')} size="sm" employees autoFocus onPick={(p) => reserve.mutate(p)} />
        <Text size="sm" c="dimmed">
          {t('They join the queue. When a copy is free it is held for three days and they are notified.')}
        </Text>
        <Trouble error={reserve.error} />
      </Stack>
    </Dialog>
  )
}
