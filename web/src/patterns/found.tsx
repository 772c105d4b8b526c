// Choosing from a list of the service that may be longer than a menu: what is typed is searched for there, and a list that is not
// shown whole says so.
import { Combobox, Loader, Select, Text, UnstyledButton, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type FilterOf, fetchList, type ItemOf, type ListPath, type SortOf } from '../api/list'
import { queries } from '../api/queries'
import { rich, t } from '../messages/console'
import { useFormat } from './format'

export interface Choice {
  value: string
  label: string
}

/** A list to choose from, and how the service is asked for it. */
export interface Choices {
  key: string
  find: (words: string) => Promise<{ choices: Choice[]; total: number }>
  /** What a value is called that came with the address; empty if nothing is. */
  nameOf: (value: string) => Promise<string>
}

/** The records of a list, found by its search. */
export function choicesOf<P extends ListPath>(
  path: P,
  of: {
    label: (item: ItemOf<P>) => string
    value: (item: ItemOf<P>) => string
    sort: SortOf<P> & string
    nameOf: Choices['nameOf']
    filters?: Partial<Record<FilterOf<P>, string>>
  },
): Choices {
  return {
    key: [path, 'choices', ...Object.values(of.filters ?? {})].join(' '),
    find: async (search) => {
      const filters = { ...(of.filters as Record<string, string>), search }
      const got = await fetchList(path, { page: 1, limit: 20, sort: of.sort, order: 'asc', filters })
      return { choices: got.items.map((i) => ({ value: of.value(i), label: of.label(i) })), total: got.total }
    },
    nameOf: of.nameOf,
  }
}

const nameKey = (of: Choices, value: string) => [of.key, 'name', value]

/** What a chosen value is called; until that is known it has no name. */
function useNameOf(of: Choices, value: string | null | undefined): string {
  return (
    useQuery({
      queryKey: nameKey(of, value ?? ''),
      queryFn: () => of.nameOf(value!),
      enabled: !!value,
      staleTime: Number.POSITIVE_INFINITY,
    }).data ?? ''
  )
}

function useFound(of: Choices, words: string, enabled = true) {
  const [settled] = useDebouncedValue(words.trim(), 200)
  return useQuery({
    queryKey: [of.key, 'found', settled],
    queryFn: () => of.find(settled),
    placeholderData: keepPreviousData,
    enabled,
  })
}

const keepName = (of: Choices, c: Choice) => queries.setQueryData(nameKey(of, c.value), c.label)

/** What there is besides the choices shown. */
function More({ shown, total }: { shown: number; total: number }) {
  const format = useFormat()
  if (total <= shown) return null
  return (
    <Text size="xs" c="dimmed" p={8}>
      {t(
        { one: '{more} more: type a part of the name', other: '{more} more: type a part of the name' },
        { count: total - shown, more: format.number(total - shown) },
      )}
    </Text>
  )
}

/** A filter of a list whose choices are found on the server. first are always among them. */
export function FoundChip({
  of,
  label,
  first = [],
  value,
  onChange,
}: {
  of: Choices
  label: string
  first?: Choice[]
  value: string | undefined
  onChange: (v: string | undefined) => void
}) {
  const [words, setWords] = useState('')
  const box = useCombobox({
    onDropdownOpen: () => box.focusSearchInput(),
    onDropdownClose: () => {
      box.resetSelectedOption()
      box.focusTarget()
      setWords('')
    },
  })
  const found = useFound(of, words, box.dropdownOpened)
  const ready = first.find((c) => c.value === value)?.label
  const asked = useNameOf(of, ready === undefined ? value : undefined)
  const name = ready ?? (asked || t('Chosen'))
  const listed = found.data?.choices ?? []
  const choices = words.trim() ? listed : [...first, ...listed.filter((c) => !first.some((f) => f.value === c.value))]
  return (
    <Combobox
      store={box}
      position="bottom-start"
      width={300}
      onOptionSubmit={(v) => {
        const chosen = choices.find((c) => c.value === v)
        if (chosen) keepName(of, chosen)
        onChange(v || undefined)
        box.closeDropdown()
      }}
    >
      <Combobox.Target targetType="button">
        <UnstyledButton
          className="chip"
          data-set={value ? true : undefined}
          onClick={() => box.toggleDropdown()}
          aria-label={
            value
              ? t('{label} is {label2}', { label, label2: name })
              : t('Filter by {label}', { label: label.toLowerCase() })
          }
        >
          {value ? rich('{label} is {label2}', { label, label2: <strong>{name}</strong> }) : label}
        </UnstyledButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          aria-label={t('Find {label}', { label: label.toLowerCase() })}
          placeholder={t('Part of the name')}
          value={words}
          onChange={(e) => {
            setWords(e.currentTarget.value)
            box.resetSelectedOption()
          }}
          rightSection={found.isFetching ? <Loader size={14} /> : null}
        />
        <Combobox.Options mah={280} style={{ overflow: 'auto' }} tabIndex={0} aria-label={label}>
          {value && (
            <Combobox.Option value="">
              <Text span c="dimmed" size="sm">
                {t('Any')}
              </Text>
            </Combobox.Option>
          )}
          {choices.map((c) => (
            <Combobox.Option key={c.value} value={c.value} fw={c.value === value ? 600 : undefined}>
              {c.label}
            </Combobox.Option>
          ))}
          {found.data && choices.length === 0 && (
            <Combobox.Empty>{words.trim() ? t('Nothing found') : t('Nothing to choose from yet')}</Combobox.Empty>
          )}
          {found.error && <Combobox.Empty>{t('The list could not be read. Try again.')}</Combobox.Empty>}
        </Combobox.Options>
        <More shown={listed.length} total={found.data?.total ?? 0} />
      </Combobox.Dropdown>
    </Combobox>
  )
}

/** A field of a form whose choices are found on the server. */
export function FoundSelect({
  of,
  label,
  value,
  onChange,
  error,
  nothing,
}: {
  of: Choices
  label: string
  value: string | null
  onChange: (v: string | null) => void
  error?: string
  nothing: string
}) {
  const [words, setWords] = useState('')
  const name = useNameOf(of, value)
  // The name of what is chosen stands in the field: it is not what is searched for.
  const found = useFound(of, words === name ? '' : words)
  const format = useFormat()
  const data = [...(found.data?.choices ?? [])]
  const more = (found.data?.total ?? 0) - data.length
  if (value && name && !data.some((c) => c.value === value)) data.push({ value, label: name })
  return (
    <Select
      label={label}
      searchable
      data={data}
      value={value}
      error={error}
      description={
        more > 0
          ? t(
              { one: '{more} more: type a part of the name', other: '{more} more: type a part of the name' },
              { count: more, more: format.number(more) },
            )
          : undefined
      }
      onChange={(v) => {
        const chosen = data.find((c) => c.value === v)
        if (chosen) keepName(of, chosen)
        onChange(v)
      }}
      onSearchChange={setWords}
      filter={({ options }) => options}
      nothingFoundMessage={nothing}
    />
  )
}
