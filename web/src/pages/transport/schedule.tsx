import { Button, Checkbox, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call } from '../../api/client'
import { fetchAll } from '../../api/list'
import { changed } from '../../api/queries'
import { useSession } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { Empty } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { DrawerHead, fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import { useBuses, useDrivers } from './shared'
import { todayIn, wayWords } from './words'

interface Fields {
  routeId: string | null
  scheduledStartTime: string
  repeats: 'once' | 'weekly'
  tripDate: string | null
  weekdays: number[]
  fromDate: string | null
  toDate: string | null
  busId: string | null
  driverId: string | null
  runsOnHolidays: boolean
}

/** Schedules a trip: for one day, or on weekdays from one day to another. */
export function Schedule({ close }: { close: () => void }) {
  const format = useFormat()
  const { school } = useSession()
  const [address, setAddress] = useAddress()
  const today = todayIn(school?.timeZone)
  const routes = useQuery({
    queryKey: ['/school-admin/transport/route/list', 'all'],
    queryFn: () => fetchAll('/school-admin/transport/route/list', { sort: 'name' }),
  })
  const buses = useBuses()
  const drivers = useDrivers()
  const draft = useDraft<Fields>({
    routeId: address.route ?? null,
    scheduledStartTime: '',
    repeats: 'once',
    tripDate: address.day && address.day > today ? address.day : today,
    weekdays: [1, 2, 3, 4, 5],
    fromDate: today,
    toDate: null,
    busId: null,
    driverId: null,
    runsOnHolidays: false,
  })
  const f = fieldsOf(draft)
  const v = draft.values
  const route = routes.data?.find((r) => r.id === v.routeId)
  const save = useSave({
    draft,
    labels: {},
    save: () =>
      call(
        api.POST('/school-admin/transport/trip/schedule', {
          body: {
            data: {
              routeId: v.routeId ?? '',
              scheduledStartTime: v.scheduledStartTime,
              busId: v.busId,
              driverId: v.driverId,
              runsOnHolidays: v.runsOnHolidays,
              ...(v.repeats === 'once'
                ? { tripDate: v.tripDate ?? undefined }
                : { weekdays: v.weekdays, fromDate: v.fromDate ?? undefined, toDate: v.toDate ?? undefined }),
            },
          },
        }),
      ),
    onSaved: (s) => {
      changed('/school-admin/transport/')
      if (s.skipped.length > 0)
        notifications.show({
          message: t('No trip on holidays: {skipped}', {
            skipped: s.skipped.map((d) => `${format.date(d.date)} (${d.dayOff})`).join(', '),
          }),
        })
      setAddress({
        open: s.total === 1 ? s.id : undefined,
        route: undefined,
        day: s.tripDate === today ? undefined : s.tripDate,
      })
    },
  })
  const days = v.repeats === 'weekly' && v.fromDate && v.toDate ? count(v.fromDate, v.toDate, v.weekdays) : undefined
  if (routes.data?.length === 0)
    return (
      <>
        <DrawerHead title={t('Schedule a trip')} close={close} />
        <div className="drawer-body">
          <Empty
            title={t('No routes yet')}
            text={t('A trip drives a route: a bus and its stops in order.')}
            action={
              <Button component={Link} to="/transport/routes/new">
                {t('Add a route')}
              </Button>
            }
          />
        </div>
      </>
    )
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <DrawerHead title={t('Schedule a trip')} close={close} />
      <div className="drawer-body" style={{ flex: 1 }}>
        <Stack gap={16}>
          <div className="pair">
            {f.choice({
              k: 'routeId',
              label: t('Route'),
              data: (routes.data ?? []).map((r) => ({ value: r.id, label: r.name })),
              none: t('Choose a route'),
              description: route && wayWords[route.direction],
              required: true,
            })}
            {f.text({ k: 'scheduledStartTime', label: t('Starts at'), type: 'time', required: true })}
          </div>
          <SegmentedControl
            aria-label={t('How often')}
            data={[
              { value: 'once', label: t('One day') },
              { value: 'weekly', label: t('Every week') },
            ]}
            value={v.repeats}
            onChange={(x) => draft.set('repeats', x as Fields['repeats'])}
            w={240}
          />
          {v.repeats === 'once' ? (
            f.day({ k: 'tripDate', label: t('Day'), required: true })
          ) : (
            <>
              <Checkbox.Group
                label={t('On')}
                value={v.weekdays.map(String)}
                error={draft.errors.weekdays}
                onChange={(x) => draft.set('weekdays', x.map(Number).sort())}
              >
                <Group gap={16} mt={4}>
                  {[1, 2, 3, 4, 5, 6, 7].map((n) => (
                    <Checkbox key={n} value={String(n)} label={format.weekday(n)} />
                  ))}
                </Group>
              </Checkbox.Group>
              <div className="pair">
                {f.day({ k: 'fromDate', label: t('From'), required: true })}
                {f.day({ k: 'toDate', label: t('Until'), required: true })}
              </div>
              <Text size="sm" c="dimmed" role="status">
                {days === undefined
                  ? t('Choose until when.')
                  : days === 0
                    ? t('No such day lies between the two.')
                    : t(
                        { one: '{days} trip will be scheduled.', other: '{days} trips will be scheduled.' },
                        { count: days, days: format.number(days) },
                      )}
              </Text>
            </>
          )}
          <div className="pair">
            {f.choice({
              k: 'busId',
              label: t('Bus'),
              data: (buses.data ?? [])
                .filter((b) => b.status === 'ACTIVE')
                .map((b) => ({ value: b.id, label: t('Bus {busNumber}', { busNumber: b.busNumber }) })),
              none: t("The route's own"),
            })}
            {f.choice({
              k: 'driverId',
              label: t('Driver'),
              data: (drivers.data ?? []).map((d) => ({ value: d.id, label: nameOf(d) })),
              none: t("The bus's driver of the day"),
            })}
          </div>
          <Checkbox
            label={t('Runs on holidays too')}
            description={t('Otherwise a holiday of the school, or of all its riders, has no trip.')}
            checked={v.runsOnHolidays}
            onChange={(e) => draft.set('runsOnHolidays', e.currentTarget.checked)}
          />
        </Stack>
      </div>
      <SaveBar
        draft={draft}
        {...save}
        submit={() => undefined}
        label={t('Schedule')}
        always
        onCancel={() => setAddress({ open: undefined, route: undefined })}
      />
    </form>
  )
}

function count(from: string, to: string, weekdays: number[]): number {
  let n = 0
  const end = Date.parse(`${to}T00:00:00Z`)
  for (let t = Date.parse(`${from}T00:00:00Z`); t <= end && n < 400; t += 86_400_000)
    if (weekdays.includes(((new Date(t).getUTCDay() + 6) % 7) + 1)) n++
  return n
}
