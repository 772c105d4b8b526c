import { Button, Group, NativeSelect, Stack, Tabs, Text, TextInput, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, done, type Schemas } from '../../api/client'
import { fetchAll } from '../../api/list'
import { changed } from '../../api/queries'
import { renew, useMay } from '../../api/session'
import { known, t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { saveCSV } from '../../patterns/csv'
import { Export } from '../../patterns/Export'
import { Confirm, Dialog, Lines, Trouble } from '../../patterns/feedback'
import { SaveBar, useDraft, useSave } from '../../patterns/record'
import { words } from '../../patterns/words'
import { Explain } from './explain'
import { kinds, type Right, RightsTable } from './rights'

const rank = ['TEACHER', 'SCHOOL_ADMIN', 'PARENT', 'DRIVER']

/** Who may do what: one role at a time, all modules at once. */
export function Permissions() {
  const may = useMay()
  const [address, setAddress] = useAddress()
  const [adding, setAdding] = useState(false)
  const [explaining, setExplaining] = useState(false)
  const roles = useQuery({
    queryKey: ['/school-admin/permission/role/list', 'all'],
    queryFn: () => fetchAll('/school-admin/permission/role/list'),
    select: (all) => [...all].sort((a, b) => rank.indexOf(a.type) - rank.indexOf(b.type)),
  })
  const modules = useQuery({
    queryKey: ['/school-admin/permission/modules'],
    queryFn: () => call(api.GET('/school-admin/permission/modules')),
  })
  const rights = useQuery({
    queryKey: ['/school-admin/permission/list', 'all'],
    queryFn: () => fetchAll('/school-admin/permission/list'),
  })
  const role = roles.data?.find((r) => r.id === address.role) ?? roles.data?.[0]
  return (
    <div className="page">
      <Group justify="space-between" mb={4}>
        <Title order={1}>{t('Permissions')}</Title>
        <Group gap={8}>
          {roles.data && modules.data && rights.data && (
            <div className="only-wide">
              <Export
                onClick={() =>
                  saveCSV('permissions.csv', [
                    ['Role', 'Module', ...kinds.map(([, t]) => t)],
                    ...roles.data.flatMap((r) =>
                      modules.data.modules.map((m) => {
                        const p = rights.data.find((x) => x.roleId === r.id && x.moduleId === m.id)
                        return [roleName(r), known(m.displayName), ...kinds.map(([k]) => (p?.[k] ? 'Yes' : 'No'))]
                      }),
                    ),
                  ])
                }
              />
            </div>
          )}
          {modules.data && (
            <Button variant="default" onClick={() => setExplaining(true)}>
              {t('May somebody…?')}
            </Button>
          )}
          {may('permission', 'write') && (
            <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
              {t('Add a role')}
            </Button>
          )}
        </Group>
      </Group>
      <Text c="dimmed" mb={16}>
        {t('What each role may do. A change is in force within a second, for everybody who is signed in.')}
      </Text>
      {roles.data && modules.data && rights.data && role ? (
        <>
          <Tabs value={role.id} onChange={(r) => setAddress({ role: r ?? undefined })} mb={16}>
            <Tabs.List>
              {roles.data.map((r) => (
                <Tabs.Tab key={r.id} value={r.id}>
                  {roleName(r)}
                </Tabs.Tab>
              ))}
            </Tabs.List>
          </Tabs>
          <Matrix
            key={role.id}
            role={role}
            modules={modules.data.modules}
            rights={rights.data.filter((p) => p.roleId === role.id)}
          />
        </>
      ) : roles.error ? (
        <Trouble error={roles.error} retry={() => void roles.refetch()} />
      ) : (
        <Lines />
      )}
      {explaining && modules.data && <Explain modules={modules.data.modules} close={() => setExplaining(false)} />}
      <NewRole
        opened={adding}
        close={() => setAdding(false)}
        made={(r) => {
          setAdding(false)
          setAddress({ role: r.id })
        }}
      />
    </div>
  )
}

/** Roles that every school has are in the person's words, until the school renames them. */
function roleName(r: Schemas['Role']): string {
  return !r.system ? r.name : r.name === r.type ? words(r.name) : known(r.name)
}

function Matrix({
  role,
  modules,
  rights,
}: {
  role: Schemas['Role']
  modules: Schemas['Module'][]
  rights: Schemas['Permission'][]
}) {
  const may = useMay()
  const record: Record<string, Right> = {}
  for (const m of modules) {
    const p = rights.find((x) => x.moduleId === m.id)
    record[m.id] = { canRead: !!p?.canRead, canWrite: !!p?.canWrite, canDelete: !!p?.canDelete }
  }
  const draft = useDraft<Record<string, Right>>(record)
  const save = useSave({
    draft,
    labels: {},
    undo: (was) => was,
    save: (c) =>
      call(
        api.PUT('/school-admin/permission/update', {
          body: {
            data: { roleId: role.id, permissions: Object.entries(c).map(([moduleId, r]) => ({ moduleId, ...r! })) },
          },
        }),
      ),
    onSaved: () => {
      changed('/school-admin/permission/')
      void renew() // one's own rights may be among them
    },
  })
  const [asking, setAsking] = useState(false)
  const [renaming, setRenaming] = useState(false)
  const remove = useMutation({
    mutationFn: () => done(api.DELETE('/school-admin/permission/role/{id}', { params: { path: { id: role.id } } })),
    onSuccess: () => changed('/school-admin/permission/'),
  })
  const editable = may('permission', 'write')
  return (
    <div className="panel" style={{ maxWidth: 720 }}>
      <RightsTable
        modules={modules}
        of={(m) => draft.values[m.id]!}
        set={(m, r) => draft.set(m.id, r)}
        may={() => editable}
        isChanged={(m) => m.id in draft.changed}
      />
      <Group p={12}>
        {editable && (
          <Button variant="default" size="compact-md" onClick={() => setRenaming(true)}>
            {t('Rename this role…')}
          </Button>
        )}
        {!role.system && may('permission', 'delete') && (
          <Button variant="subtle" color="red" c="red.8" size="compact-md" onClick={() => setAsking(true)}>
            {t('Delete this role…')}
          </Button>
        )}
      </Group>
      {renaming && <RenameRole role={role} close={() => setRenaming(false)} />}
      <SaveBar draft={draft} {...save} />
      <Confirm
        opened={asking}
        title={t('Delete the role {name}?', { name: role.name })}
        action={t('Delete')}
        danger
        busy={remove.isPending}
        error={remove.error}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => setAsking(false) })}
      >
        {t('A role that somebody holds cannot be deleted.')}
      </Confirm>
    </div>
  )
}

function RenameRole({ role, close }: { role: Schemas['Role']; close: () => void }) {
  const [name, setName] = useState(roleName(role))
  const rename = useMutation({
    mutationFn: () =>
      call(
        api.PUT('/school-admin/permission/role/{id}', {
          params: { path: { id: role.id } },
          body: { data: { name: name.trim(), version: role.version } },
        }),
      ),
    onSuccess: () => {
      changed('/school-admin/permission/', '/school-admin/employee/')
      close()
    },
  })
  return (
    <Dialog onClose={close} size={400} title={t('Rename the role {roleName}', { roleName: roleName(role) })}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          rename.mutate()
        }}
      >
        <Stack gap={16}>
          <TextInput
            label={t('Name')}
            data-autofocus
            maxLength={60}
            value={name}
            error={rename.error ? asProblem(rename.error).fields.name : undefined}
            onChange={(e) => setName(e.currentTarget.value)}
          />
          <Text size="sm" c="dimmed">
            {t('Only the name changes. Those who hold the role may do what they could before.')}
          </Text>
          <Trouble error={rename.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={rename.isPending} disabled={!name.trim()}>
              {t('Rename')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

const types = [
  { value: 'SCHOOL_ADMIN', label: t('Works in the office') },
  { value: 'TEACHER', label: t('Teaches') },
  { value: 'DRIVER', label: t('Drives') },
  { value: 'PARENT', label: t('Is a parent') },
] as const

function NewRole({ opened, close, made }: { opened: boolean; close: () => void; made: (r: Schemas['Role']) => void }) {
  const [name, setName] = useState('')
  const [type, setType] = useState<(typeof types)[number]['value']>('SCHOOL_ADMIN')
  const add = useMutation({
    mutationFn: () => call(api.POST('/school-admin/permission/role/create', { body: { data: { name, type } } })),
    onSuccess: (r) => {
      changed('/school-admin/permission/')
      setName('')
      made(r)
    },
  })
  const fields = add.error ? asProblem(add.error).fields : {}
  return (
    <Dialog opened={opened} onClose={close} size={400} title={t('Add a role')}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          add.mutate()
        }}
      >
        <Stack gap={16}>
          <TextInput
            label={t('Name')}
            placeholder={t('Accountant')}
            data-autofocus
            value={name}
            error={fields.name}
            onChange={(e) => setName(e.currentTarget.value)}
          />
          <NativeSelect
            label={t('Who holds it')}
            data={[...types]}
            value={type}
            onChange={(e) => setType(e.currentTarget.value as typeof type)}
          />
          <Text size="sm" c="dimmed">
            {t('It may do nothing until you tick something.')}
          </Text>
          <Trouble error={add.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={add.isPending} disabled={!name.trim()}>
              {t('Add')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
