import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { Lines, Trouble } from '../../patterns/feedback'
import { bytes, useFormat } from '../../patterns/format'
import { fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import './platform.css'
import { t } from '../../messages/console'

type Profile = Schemas['Profile']

/** A school's numbers as they are now. */
export function SchoolStats({ id }: { id: string }) {
  const format = useFormat()
  const q = useQuery({
    queryKey: ['/super-admin/school/stats', id],
    queryFn: () => call(api.GET('/super-admin/school/{id}/stats', { params: { path: { id } } })),
  })
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={3} />
  const s = q.data
  const cells: [string, string, string?][] = [
    [t('Students'), format.number(s.students)],
    [t('Employees'), format.number(s.employees)],
    [t('Guardians'), format.number(s.guardians)],
    [t('Signed in'), format.number(s.sessions), t('of {accounts} accounts', { accounts: format.number(s.accounts) })],
    [
      t('Requests'),
      format.number(s.requests),
      s.requests ? t('{averageMs} ms each, last 24 h', { averageMs: s.averageMs.toFixed(1) }) : t('last 24 h'),
    ],
    [t('Faults'), format.number(s.errors), t('last 24 h')],
    [t('Database'), bytes(s.databaseBytes)],
    [t('Files'), bytes(s.fileBytes)],
    [t('Last used'), s.lastActivityAt ? format.ago(s.lastActivityAt) : t('Never')],
  ]
  return (
    <dl className="tiles" aria-label={t('Numbers of the school')}>
      {cells.map(([label, value, note]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            {value}
            {note && (
              <Text span size="xs" c="dimmed" display="block" fw={400}>
                {note}
              </Text>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const labels = {
  name: t('Name'),
  code: t('Code'),
  timeZone: t('Time zone'),
  currency: t('Currency'),
  locale: t('Language and region'),
  address: t('Address'),
  phone: t('Phone'),
  email: t('E-mail'),
}
const pick = (p: Profile) => ({
  name: p.name,
  code: p.code,
  timeZone: p.timeZone,
  currency: p.currency,
  locale: p.locale,
  address: p.address,
  phone: p.phone,
  email: p.email,
})

/** What the platform's record says of a school. */
export function ProfileForm({ school }: { school: Profile }) {
  const zones = useMemo(
    () =>
      [...new Set([school.timeZone, ...Intl.supportedValuesOf('timeZone')])]
        .sort()
        .map((z) => ({ value: z, label: z })),
    [school.timeZone],
  )
  const draft = useDraft(pick(school))
  const f = fieldsOf(draft)
  const save = useSave({
    draft,
    labels,
    version: school.version,
    save: (c, version) =>
      call(
        api.PUT('/super-admin/school/{id}', { params: { path: { id: school.id } }, body: { data: { ...c, version } } }),
      ),
    reread: async () => {
      const now = await call(api.GET('/super-admin/school/{id}', { params: { path: { id: school.id } } }))
      return { ...pick(now), version: now.version }
    },
    onSaved: () => changed('/super-admin/school/'),
  })
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <div className="drawer-body" style={{ flex: 1 }}>
        <Stack gap={16}>
          {f.text({ k: 'name', label: labels.name, required: true })}
          <div className="pair">
            {f.text({ k: 'code', label: labels.code, description: t('In addresses and file names'), required: true })}
            {f.text({ k: 'locale', label: labels.locale, description: t('Such as en-IN') })}
            {f.choice({ k: 'timeZone', label: labels.timeZone, data: zones })}
            {f.text({
              k: 'currency',
              label: labels.currency,
              description: t('It stays once fees were posted'),
              maxLength: 3,
            })}
            {f.text({ k: 'phone', label: labels.phone, inputMode: 'tel' })}
            {f.text({ k: 'email', label: labels.email, inputMode: 'email' })}
          </div>
          {f.area({ k: 'address', label: labels.address })}
        </Stack>
      </div>
      <SaveBar draft={draft} {...save} submit={() => undefined} />
      {save.conflict}
    </form>
  )
}
