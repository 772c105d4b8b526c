// What an optional fee head costs, by option, route or stop.
import { ActionIcon, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, call, type Schemas } from '../../api/client'
import { fetchAll } from '../../api/list'
import { t } from '../../messages/console'
import { Trouble } from '../../patterns/feedback'
import { MoneyInput } from '../../patterns/money'

export type HeadAmount = { [K in keyof Omit<Schemas['HeadAmount'], 'amount'>]?: Schemas['HeadAmount'][K] } & {
  name: string
  amount: number | null
}

export const amountsBy = [
  { value: 'CLASS', label: t('By class, in the fee structures') },
  { value: 'OPTION', label: t('By option') },
]
export const transportAmountsBy = [
  ...amountsBy,
  { value: 'ROUTE', label: t('By route') },
  { value: 'STOP', label: t('By stop') },
]

export function HeadAmounts({
  by,
  value,
  onChange,
  errors,
}: {
  by: string
  value: HeadAmount[]
  onChange: (v: HeadAmount[]) => void
  errors: Record<string, string>
}) {
  const routes = useQuery({
    queryKey: ['/school-admin/transport/route/list', 'all'],
    enabled: by === 'ROUTE' || by === 'STOP',
    queryFn: () => fetchAll('/school-admin/transport/route/list', { sort: 'name', order: 'asc' }),
  })
  const add = useMutation({
    mutationFn: async (id: string): Promise<HeadAmount[]> => {
      const route = await call(api.GET('/school-admin/transport/route/{id}', { params: { path: { id } } }))
      return by === 'ROUTE'
        ? [{ name: route.name, amount: null, routeId: id }]
        : route.stops.map((s) => ({ name: s.name, amount: null, stopId: s.id }))
    },
    onSuccess: (more) => {
      const place = (a: HeadAmount) => a.routeId ?? a.stopId
      onChange([...value, ...more.filter((m) => !value.some((v) => place(v) === place(m)))])
    },
  })
  const set = (i: number, change: Partial<HeadAmount>) =>
    onChange(value.map((a, n) => (n === i ? { ...a, ...change } : a)))
  const noun = by === 'OPTION' ? 'option' : by === 'ROUTE' ? 'route' : 'stop'
  return (
    <div>
      <Text className="section" mt={0} mb={8}>
        {t('For the whole year')}
      </Text>
      <Stack gap={8}>
        {value.map((a, i) => (
          <div className="line-2" key={a.id ?? i}>
            <TextInput
              aria-label={t('Name of {noun} {i}', { noun, i: i + 1 })}
              placeholder={t('Full board')}
              maxLength={100}
              value={a.name}
              error={errors[`amounts[${i}].name`] ?? errors[`amounts[${i}].routeId`] ?? errors[`amounts[${i}].stopId`]}
              onChange={(e) => set(i, { name: e.currentTarget.value })}
            />
            <MoneyInput
              label=""
              aria-label={t('Amount of {noun} {i}', { noun, i: i + 1 })}
              value={a.amount}
              onChange={(amount) => set(i, { amount })}
              error={errors[`amounts[${i}].amount`]}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={t('Remove {noun} {i}', { noun, i: i + 1 })}
              onClick={() => onChange(value.filter((_, n) => n !== i))}
            >
              <IconX size={16} />
            </ActionIcon>
          </div>
        ))}
        {errors.amounts && (
          <Text size="sm" c="red.8">
            {errors.amounts}
          </Text>
        )}
        {by === 'OPTION' ? (
          <Group>
            <Button
              variant="default"
              size="compact-md"
              leftSection={<IconPlus size={14} />}
              onClick={() => onChange([...value, { name: '', amount: null }])}
            >
              {t('Option')}
            </Button>
          </Group>
        ) : (
          <NativeSelect
            label={by === 'ROUTE' ? t('Add a route') : t('Add the stops of a route')}
            description={t(
              'Riders pay for each direction they ride. Both directions are added where both cost something.',
            )}
            value=""
            disabled={add.isPending}
            data={[
              { value: '', label: t('Choose a route') },
              ...(routes.data ?? []).map((r) => ({ value: r.id, label: r.name })),
            ]}
            onChange={(e) => e.currentTarget.value && add.mutate(e.currentTarget.value)}
          />
        )}
        <Trouble error={routes.error ?? add.error} />
      </Stack>
    </div>
  )
}
