import { Button, Group, NativeSelect, Text, TextInput, Title } from '@mantine/core'
import { IconUserSearch } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { saveCSV } from '../../patterns/csv'
import { Export } from '../../patterns/Export'
import { Confirm, Empty, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { SearchBox } from '../../patterns/ListPage'
import { AccountStatus } from './account-status'

type Account = Schemas['Account']
const roles: Record<string, string> = {
  SUPER_ADMIN: t('Super-admin'),
  SCHOOL_ADMIN: t('Office'),
  TEACHER: t('Teacher'),
  PARENT: t('Parent'),
  DRIVER: t('Driver'),
}

/** Finds somebody of any school by phone or e-mail, and ends their sessions. */
export function Accounts() {
  const format = useFormat()
  const [address, setAddress] = useAddress()
  const query = address.q ?? ''
  const role = roles[address.role ?? ''] ? address.role! : ''
  const [ending, setEnding] = useState<Account>()
  const [reason, setReason] = useState('')
  const q = useQuery({
    queryKey: ['/super-admin/account/search', query, role],
    queryFn: () =>
      call(
        api.GET('/super-admin/account/search', { params: { query: { query, ...(role ? { role } : {}) } as never } }),
      ),
    enabled: query.trim().length >= 3,
    placeholderData: keepPreviousData,
  })
  const revoke = useMutation({
    mutationFn: (a: Account) =>
      call(api.POST('/super-admin/account/revoke-sessions', { body: { data: { accountId: a.id, reason } } })),
    onSuccess: () => {
      changed('/super-admin/account/')
      setEnding(undefined)
      setReason('')
    },
  })
  const found = query.trim().length >= 3 ? q.data?.accounts : undefined
  return (
    <div className="page">
      <Group justify="space-between" mb={16}>
        <Title order={1}>{t('Accounts')}</Title>
      </Group>
      <Group mb={12} gap={8}>
        <SearchBox
          placeholder={t('Phone or e-mail, or how it begins')}
          value={query}
          onChange={(v) => setAddress({ q: v || undefined }, true)}
        />
        <NativeSelect
          aria-label={t('Role')}
          data={[
            { value: '', label: t('Any role') },
            ...Object.entries(roles).map(([value, label]) => ({ value, label })),
          ]}
          value={role}
          onChange={(e) => setAddress({ role: e.currentTarget.value || undefined }, true)}
          w={140}
        />
        {found && found.length > 0 && !q.data?.more && (
          <Group ms="auto">
            <Export
              onClick={() =>
                saveCSV('accounts.csv', [
                  ['Name', 'Phone', 'E-mail', 'Role', 'School', 'Status', 'Sessions', 'Last used'],
                  ...found.map((a) => [
                    a.name,
                    a.phone,
                    a.email,
                    roles[a.role] ?? a.role,
                    a.schoolName,
                    a.status,
                    a.sessions,
                    a.lastUsedAt,
                  ]),
                ])
              }
            />
          </Group>
        )}
      </Group>
      <div className="panel">
        {q.error ? (
          <Group p={16}>
            <Trouble error={q.error} retry={() => void q.refetch()} />
          </Group>
        ) : query.trim().length < 3 ? (
          <Empty
            icon={<IconUserSearch size={32} stroke={1.2} />}
            title={t('Find somebody who cannot sign in')}
            text={t(
              'Type at least three characters of a phone, with its country code, or of an e-mail. What you did not type whole is shown in part.',
            )}
            example={t('For example: +91 98765 or meera@')}
          />
        ) : !found ? (
          <Group p={16}>
            <Lines n={3} />
          </Group>
        ) : found.length === 0 ? (
          <Text c="dimmed" ta="center" py={40}>
            {t("Nobody's phone or e-mail begins like this.")}
          </Text>
        ) : (
          <div className="list-scroll" tabIndex={0} role="region" aria-label={t('Accounts found')}>
            <table className="list">
              <thead>
                <tr>
                  <th scope="col">{t('Phone or e-mail')}</th>
                  <th scope="col">{t('Role')}</th>
                  <th scope="col">{t('School')}</th>
                  <th scope="col">{t('Status')}</th>
                  <th scope="col" className="end">
                    {t('Sessions')}
                  </th>
                  <th scope="col">{t('Last used')}</th>
                  <th scope="col">
                    <span className="hidden">{t('Actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {found.map((a) => (
                  <tr key={a.id}>
                    <td>
                      <Text span fw={500} className="figures">
                        {a.phone || a.email}
                      </Text>
                      {a.name && (
                        <Text span c="dimmed" ms={8}>
                          {a.name}
                        </Text>
                      )}
                      {a.phone && a.email && (
                        <Text span c="dimmed" ms={8}>
                          {a.email}
                        </Text>
                      )}
                    </td>
                    <td>{roles[a.role] ?? a.role}</td>
                    <td>
                      {a.schoolId ? (
                        <Link
                          to="/schools"
                          search={{ open: a.schoolId } as never}
                          className="row-name"
                          style={{ fontWeight: 400 }}
                        >
                          {a.schoolName}
                        </Link>
                      ) : (
                        t('The platform')
                      )}
                    </td>
                    <td>
                      <AccountStatus status={a.status} />
                    </td>
                    <td className="end figures">{format.number(a.sessions)}</td>
                    <td>{a.lastUsedAt ? format.ago(a.lastUsedAt) : t('Never')}</td>
                    <td className="end">
                      <Button
                        variant="default"
                        size="compact-sm"
                        disabled={a.sessions === 0}
                        onClick={() => setEnding(a)}
                        aria-label={t('End sessions of {phone}', { phone: a.phone || a.email })}
                      >
                        {t('End sessions')}
                      </Button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
      {q.data?.more && (
        <Text size="sm" c="dimmed" mt={8}>
          {t('There are more than these. Type more of it.')}
        </Text>
      )}
      <Confirm
        opened={!!ending}
        title={t('End all their sessions?')}
        action={t('End sessions')}
        danger
        busy={revoke.isPending}
        error={revoke.error}
        onClose={() => {
          setEnding(undefined)
          revoke.reset()
        }}
        onConfirm={() => ending && revoke.mutate(ending)}
      >
        {ending &&
          t(
            {
              one: '{phone} is signed out on {sessions} device within a second. They can sign in again.',
              other: '{phone} is signed out on {sessions} devices within a second. They can sign in again.',
            },
            { count: ending.sessions, phone: ending.phone || ending.email, sessions: format.number(ending.sessions) },
          )}
        <TextInput
          label={t('Reason')}
          description={t('Kept in the audit log')}
          mt={16}
          value={reason}
          onChange={(e) => setReason(e.currentTarget.value)}
        />
      </Confirm>
    </div>
  )
}
