import {
  ActionIcon,
  Button,
  Checkbox,
  Drawer,
  Group,
  Menu,
  Pagination,
  Select,
  Skeleton,
  Text,
  TextInput,
  Title,
  UnstyledButton,
} from '@mantine/core'
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks'
import { IconArrowDown, IconArrowUp, IconColumns3, IconDownload, IconSearch, IconX } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { asProblem } from '../api/client'
import {
  downloadList,
  type FilterOf,
  fetchList,
  type ItemOf,
  type ListPath,
  type ListQuery,
  type SortOf,
} from '../api/list'
import { rich, t } from '../messages/console'
import { useAddress } from './address'
import { Trouble, useLate } from './feedback'
import { useFormat } from './format'
import { type Choice, type Choices, FoundChip } from './found'
import { LateMenu, useLateOpen } from './late'
import { useStored } from './stored'
import { TickBox } from './TickBox'

interface Column<T, S extends string> {
  key: string
  title: string
  cell: (row: T) => ReactNode
  sort?: S
  end?: boolean // figures are set flush right
  hidden?: boolean // until chosen
  phone?: boolean // shown on a phone too
}

interface FilterChip<F extends string> {
  key: F
  label: string
  options: Choice[]
  /** A list that may be longer than a menu, found on the server by what is typed: then options are those always among it. */
  choices?: Choices
  /** Of a filter that is a JSON object: the member it is about. Its values are JSON. */
  member?: string
}

/** Under which name a filter is in the address. */
const chipName = (f: FilterChip<string>) => (f.member ? `${f.key}.${f.member}` : f.key)

interface Props<P extends ListPath> {
  path: P
  title: string
  noun: [one: string, many: string]
  columns: Column<ItemOf<P>, SortOf<P> & string>[]
  /** What a row is called: the link that opens it. */
  name: (row: ItemOf<P>) => string
  id: (row: ItemOf<P>) => string
  filters?: FilterChip<FilterOf<P>>[]
  /** Filters that always hold, and are not shown. */
  fixed?: Partial<Record<FilterOf<P>, string>>
  search?: string
  /** The order before anybody chose one, if it is not the API's own. */
  initial?: { sort: SortOf<P> & string; order: 'asc' | 'desc' }
  primary?: ReactNode
  /** Between the title and the list: tabs to its neighbours. */
  above?: ReactNode
  more?: ReactNode
  empty: ReactNode
  /** Instead of the line that nothing matches the filters. */
  none?: ReactNode
  /** The record in a drawer beside the list, by the id in the address; "new" is a record to be. */
  drawer?: (id: string, close: () => void) => ReactNode
  bulk?: (rows: ItemOf<P>[], clear: () => void) => ReactNode
  /** Another file than the list's own: one that can be imported again. */
  csv?: (q: Partial<ListQuery>) => Promise<void>
}

const sizes = ['25', '50', '100']

/** A list of records: search, filters and order in the address, a drawer for one of them, a bar for many. */
export function ListPage<P extends ListPath>(props: Props<P>) {
  type Row = ItemOf<P>
  const [address, setAddress] = useAddress()
  const format = useFormat()
  const phone = useMediaQuery('(max-width: 768px)', false, { getInitialValueInEffect: false })
  const [size, setSize] = useStored('homeroom.rows', '25')
  const [shown, setShown] = useStored<Record<string, boolean>>(`homeroom.columns${props.path}`, {})
  const [picked, setPicked] = useState<Map<string, Row>>(new Map())

  const filters: Record<string, string> = { ...(props.fixed as Record<string, string>) }
  const members: Record<string, string[]> = {}
  for (const f of props.filters ?? []) {
    const value = address[chipName(f)]
    if (value && f.member) members[f.key] = [...(members[f.key] ?? []), `${JSON.stringify(f.member)}:${value}`]
    else if (value) filters[f.key] = value
  }
  for (const [k, of] of Object.entries(members)) filters[k] = `{${of.join()}}`
  if (props.search && address.q) filters.search = address.q
  const sort = props.columns.find((c) => c.sort && c.sort === address.sort)?.sort
  const query: ListQuery = {
    page: Math.max(1, Number(address.page) || 1),
    limit: Number(sizes.includes(size) ? size : '25'),
    sort: sort ?? props.initial?.sort,
    order: (sort ? address.order : props.initial?.order) === 'desc' ? 'desc' : 'asc',
    filters,
  }
  const list = useQuery({
    queryKey: [props.path, query],
    queryFn: () => fetchList(props.path, query),
    placeholderData: keepPreviousData,
  })

  const rows = list.data?.items ?? []
  const total = list.data?.total
  const narrowed = Object.keys(filters).length > Object.keys(props.fixed ?? {}).length
  const waiting = useLate(list.isPending)
  const columns = props.columns.filter((c, i) => (phone ? i === 0 || c.phone : (shown[c.key] ?? !c.hidden)))
  const current = address.open
  const close = () => setAddress({ open: undefined, tab: undefined })
  const clear = () => setPicked(new Map())
  // What is selected is always in sight: a row that a filter or another page took away is let go,
  // one that is still there stays selected, as it is now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are of list.data
  useEffect(() => {
    if (list.data && !list.isPlaceholderData)
      setPicked((was) =>
        was.size === 0 ? was : new Map(rows.filter((r) => was.has(props.id(r))).map((r) => [props.id(r), r])),
      )
  }, [list.data, list.isPlaceholderData])

  // Past the last page, after a filter or a removal: the last one there is.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only for a new answer
  useEffect(() => {
    if (list.data && list.data.totalPages > 0 && query.page > list.data.totalPages)
      setAddress({ page: String(list.data.totalPages) }, true)
  }, [list.data])

  function order(by: string) {
    const next =
      address.sort !== by
        ? { sort: by, order: undefined }
        : address.order !== 'desc'
          ? { sort: by, order: 'desc' }
          : { sort: undefined, order: undefined }
    setAddress({ ...next, page: undefined })
  }

  const bare = !list.isPending && total === 0 && !narrowed
  return (
    <div className="page">
      <Group justify="space-between" mb={16} gap={12} wrap="wrap">
        <Group gap={8} align="baseline">
          <Title order={1}>{props.title}</Title>
          <Text c="dimmed" className="figures" aria-live="polite">
            {total === undefined ? '' : format.number(total)}
          </Text>
        </Group>
        <Group gap={8}>
          {props.more}
          {props.primary}
        </Group>
      </Group>

      {props.above}

      {list.error && !list.data ? (
        <Trouble error={list.error} retry={() => void list.refetch()} />
      ) : bare ? (
        <div className="panel">{props.empty}</div>
      ) : (
        <>
          <Group mb={12} gap={8} wrap="wrap">
            {props.search && (
              <SearchBox
                placeholder={props.search}
                value={address.q ?? ''}
                onChange={(q) => setAddress({ q: q || undefined, page: undefined }, true)}
              />
            )}
            {(props.filters ?? []).map((f) => (
              <Chip
                key={chipName(f)}
                filter={f}
                value={address[chipName(f)]}
                onChange={(v) => setAddress({ [chipName(f)]: v, page: undefined })}
              />
            ))}
            {narrowed && (
              <Button
                variant="subtle"
                color="gray"
                size="compact-sm"
                c="dimmed"
                onClick={() =>
                  setAddress(
                    Object.fromEntries([
                      ...(props.filters ?? []).map((f) => [chipName(f), undefined]),
                      ['q', undefined],
                      ['page', undefined],
                    ]),
                  )
                }
              >
                {t('Clear')}
              </Button>
            )}
            <Group gap={4} ms="auto" className="only-wide">
              <LateMenu
                position="bottom-end"
                closeOnItemClick={false}
                target={
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('Choose columns')}
                    title={t('Choose columns')}
                  >
                    <IconColumns3 size={18} stroke={1.6} />
                  </ActionIcon>
                }
              >
                {() => (
                  <Menu.Dropdown>
                    {props.columns.slice(1).map((c) => (
                      <Menu.Item
                        key={c.key}
                        role="menuitemcheckbox"
                        aria-checked={shown[c.key] ?? !c.hidden}
                        onClick={() => setShown({ ...shown, [c.key]: !(shown[c.key] ?? !c.hidden) })}
                        leftSection={<Checkbox.Indicator size="xs" checked={shown[c.key] ?? !c.hidden} />}
                      >
                        {c.title}
                      </Menu.Item>
                    ))}
                  </Menu.Dropdown>
                )}
              </LateMenu>
              <Export {...props} query={query} />
            </Group>
          </Group>

          <div className="panel">
            <div className="list-scroll" tabIndex={0} role="region" aria-label={props.title}>
              <table
                className="list"
                data-stale={list.isPlaceholderData || undefined}
                data-waiting={list.isPending || undefined}
              >
                <thead>
                  <tr>
                    {props.bulk && (
                      <th className="tick">
                        <TickBox
                          aria-label={t('Select all on this page')}
                          checked={rows.length > 0 && rows.every((r) => picked.has(props.id(r)))}
                          indeterminate={picked.size > 0 && !rows.every((r) => picked.has(props.id(r)))}
                          onChange={(e) =>
                            setPicked(e.currentTarget.checked ? new Map(rows.map((r) => [props.id(r), r])) : new Map())
                          }
                        />
                      </th>
                    )}
                    {columns.map((c) => (
                      <th
                        key={c.key}
                        className={c.end ? 'end' : undefined}
                        scope="col"
                        aria-sort={
                          c.sort && address.sort === c.sort
                            ? address.order === 'desc'
                              ? 'descending'
                              : 'ascending'
                            : undefined
                        }
                      >
                        {c.sort ? (
                          <button type="button" onClick={() => order(c.sort!)}>
                            {c.title}
                            {address.sort === c.sort &&
                              (address.order === 'desc' ? <IconArrowDown size={12} /> : <IconArrowUp size={12} />)}
                          </button>
                        ) : (
                          c.title
                        )}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {waiting &&
                    Array.from({ length: 8 }, (_, i) => (
                      <tr key={i} aria-hidden>
                        {props.bulk && <td className="tick" />}
                        {columns.map((c, j) => (
                          <td key={c.key}>
                            <Skeleton height={12} width={`${(j === 0 ? 60 : 40) + ((i * 13) % 25)}%`} />
                          </td>
                        ))}
                      </tr>
                    ))}
                  {rows.map((row) => {
                    const id = props.id(row)
                    return (
                      <tr
                        key={id}
                        data-opens={props.drawer ? true : undefined}
                        data-current={current === id || undefined}
                        onClick={props.drawer ? () => setAddress({ open: id, tab: undefined }) : undefined}
                      >
                        {props.bulk && (
                          // biome-ignore lint/a11y/useKeyWithClickEvents: only keeps a click on the tick from opening the row
                          <td className="tick" onClick={(e) => e.stopPropagation()}>
                            <TickBox
                              aria-label={t('Select {name}', { name: props.name(row) })}
                              checked={picked.has(id)}
                              onChange={(e) => {
                                const next = new Map(picked)
                                if (e.currentTarget.checked) next.set(id, row)
                                else next.delete(id)
                                setPicked(next)
                              }}
                            />
                          </td>
                        )}
                        {columns.map((c, i) => (
                          <td key={c.key} className={c.end ? 'end figures' : undefined}>
                            {i === 0 && props.drawer ? (
                              <button
                                type="button"
                                className="row-name"
                                onClick={(e) => {
                                  e.stopPropagation()
                                  setAddress({ open: id, tab: undefined })
                                }}
                              >
                                {c.cell(row)}
                              </button>
                            ) : (
                              c.cell(row)
                            )}
                          </td>
                        ))}
                      </tr>
                    )
                  })}
                </tbody>
              </table>
              {!list.isPending &&
                rows.length === 0 &&
                (props.none ?? (
                  <Text c="dimmed" ta="center" py={40}>
                    {t('No {noun} match. Try fewer filters or another word.', { noun: props.noun[1] })}
                  </Text>
                ))}
            </div>
          </div>

          {total !== undefined && total > 25 && (
            <Group justify="space-between" mt={12} gap={8}>
              <Text size="sm" c="dimmed" className="figures">
                {t('{number}–{min} of {total} {noun}', {
                  number: format.number((query.page - 1) * query.limit + 1),
                  min: format.number(Math.min(total, query.page * query.limit)),
                  total: format.number(total),
                  noun: props.noun[1],
                })}
              </Text>
              <Group gap={12}>
                <Select
                  aria-label={t('Rows per page')}
                  size="xs"
                  w={96}
                  data={sizes.map((s) => ({ value: s, label: t('{s} rows', { s }) }))}
                  value={size}
                  allowDeselect={false}
                  onChange={(v) => {
                    setSize(v ?? '25')
                    setAddress({ page: undefined }, true)
                  }}
                />
                <Pagination
                  size="sm"
                  total={list.data?.totalPages ?? 1}
                  value={query.page}
                  onChange={(p) => setAddress({ page: p === 1 ? undefined : String(p) })}
                  siblings={1}
                  getControlProps={(c) => ({
                    'aria-label': {
                      first: t('First page'),
                      last: t('Last page'),
                      next: t('Next page'),
                      previous: t('Previous page'),
                    }[c],
                  })}
                />
              </Group>
            </Group>
          )}
        </>
      )}

      {props.bulk && picked.size > 0 && (
        <div className="bulk" role="toolbar" aria-label={t('For the selected rows')}>
          <Text fw={500} className="figures">
            {t('{picked} selected', { picked: format.number(picked.size) })}
          </Text>
          {props.bulk([...picked.values()], clear)}
          <ActionIcon variant="subtle" color="gray" aria-label={t('Clear the selection')} onClick={clear}>
            <IconX size={16} />
          </ActionIcon>
        </div>
      )}
      {props.drawer && (
        <SideDrawer
          opened={!!current}
          close={close}
          label={current === 'new' ? t('New {noun}', { noun: props.noun[0] }) : props.noun[0]}
        >
          {current && props.drawer(current, close)}
        </SideDrawer>
      )}
    </div>
  )
}

/** A drawer beside the list. It keeps its content while it slides away. */
export function SideDrawer({
  opened,
  close,
  label,
  children,
}: {
  opened: boolean
  close: () => void
  label: string
  children: ReactNode
}) {
  const last = useRef<ReactNode>(null)
  const [drawn, open] = useLateOpen(opened)
  if (opened) last.current = children
  if (!drawn) return null
  return (
    <Drawer.Root opened={open} onClose={close} size={600} position="right" transitionProps={{ duration: 140 }}>
      <Drawer.Overlay backgroundOpacity={0.12} />
      <Drawer.Content aria-label={label}>
        <Drawer.Body p={0} className="drawer">
          {opened ? children : last.current}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}

export function SearchBox({
  value,
  onChange,
  placeholder,
}: {
  value: string
  onChange: (v: string) => void
  placeholder: string
}) {
  const [text, setText] = useState(value)
  const settle = useDebouncedCallback(onChange, 250)
  useEffect(() => setText(value), [value])
  return (
    <TextInput
      aria-label={placeholder}
      placeholder={placeholder}
      type="search"
      size="sm"
      w={260}
      className="search-box"
      leftSection={<IconSearch size={16} stroke={1.6} />}
      value={text}
      onChange={(e) => {
        setText(e.currentTarget.value)
        settle(e.currentTarget.value)
      }}
    />
  )
}

function Chip<F extends string>({
  filter,
  value,
  onChange,
}: {
  filter: FilterChip<F>
  value?: string
  onChange: (v: string | undefined) => void
}) {
  const chosen = filter.options.find((o) => o.value === value)
  if (filter.choices)
    return (
      <FoundChip of={filter.choices} label={filter.label} first={filter.options} value={value} onChange={onChange} />
    )
  return (
    <LateMenu
      position="bottom-start"
      target={
        <UnstyledButton
          className="chip"
          data-set={chosen ? true : undefined}
          aria-label={
            chosen
              ? t('{label} is {label2}', { label: filter.label, label2: chosen.label })
              : t('Filter by {label}', { label: filter.label.toLowerCase() })
          }
        >
          {chosen
            ? rich('{label} is {label2}', { label: filter.label, label2: <strong>{chosen.label}</strong> })
            : filter.label}
        </UnstyledButton>
      }
    >
      {() => (
        <Menu.Dropdown mah={320} style={{ overflow: 'auto' }}>
          {chosen && (
            <Menu.Item onClick={() => onChange(undefined)} c="dimmed">
              {t('Any')}
            </Menu.Item>
          )}
          {filter.options.map((o) => (
            <Menu.Item key={o.value} onClick={() => onChange(o.value)} fw={o.value === value ? 600 : undefined}>
              {o.label}
            </Menu.Item>
          ))}
          {filter.options.length === 0 && <Menu.Item disabled>{t('Nothing to choose from yet')}</Menu.Item>}
        </Menu.Dropdown>
      )}
    </LateMenu>
  )
}

function Export<P extends ListPath>(props: Props<P> & { query: ListQuery }) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  async function run() {
    setBusy(true)
    setError('')
    try {
      const q = { sort: props.query.sort, order: props.query.order, filters: props.query.filters }
      if (props.csv) await props.csv(q)
      else await downloadList(props.path, q, `${props.noun[1]}.csv`)
    } catch (e) {
      setError(asProblem(e).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      {error && (
        <Text size="sm" c="red.8" role="alert">
          {error}
        </Text>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('Download as CSV')}
        title={t('Download as CSV')}
        loading={busy}
        onClick={() => void run()}
      >
        <IconDownload size={18} stroke={1.6} />
      </ActionIcon>
    </>
  )
}
