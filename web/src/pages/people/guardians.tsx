import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, call, done, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { Confirm, Empty } from '../../patterns/feedback'
import { nameOf } from '../../patterns/format'
import { fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import { words } from '../../patterns/words'
import { Suppressed } from '../communication/suppressed'
import { CustomPart, type CustomValues, useCustomLine, valuesOf } from './custom-fields'
import { PersonalData } from './personal-data'

type Guardian = Schemas['Guardianship']
const relations = ['FATHER', 'MOTHER', 'GUARDIAN', 'OTHER'].map((value) => ({ value, label: words(value) }))
const labels = {
  firstName: t('First name'),
  lastName: t('Last name'),
  relation: t('Relation'),
  phone: t('Phone'),
  email: t('E-mail'),
  occupation: t('Occupation'),
  isPrimary: t('Primary contact'),
  isFeePayer: t('Pays the fees'),
  canPickUp: t('May pick up'),
  canViewData: t('Sees the child in the app'),
  hasCustody: t('Has custody'),
} as const
type Fields = {
  firstName: string
  lastName: string
  relation: string
  phone: string
  email: string
  occupation: string
  isPrimary: boolean
  isFeePayer: boolean
  canPickUp: boolean
  canViewData: boolean
  hasCustody: boolean
  customFields: CustomValues
}

function fieldsFrom(g?: Guardian): Fields {
  return {
    firstName: g?.firstName ?? '',
    lastName: g?.lastName ?? '',
    relation: g?.relation ?? 'MOTHER',
    phone: g?.phone ?? '',
    email: g?.email ?? '',
    occupation: g?.occupation ?? '',
    isPrimary: g?.isPrimary ?? false,
    isFeePayer: g?.isFeePayer ?? false,
    canPickUp: g?.canPickUp ?? true,
    canViewData: g?.canViewData ?? true,
    hasCustody: g?.hasCustody ?? true,
    customFields: valuesOf(g),
  }
}

export function Guardians({ student }: { student: Schemas['StudentDetail'] }) {
  const may = useMay()
  const [editing, setEditing] = useState<string | null>(null)
  return (
    <Stack gap={12}>
      {student.guardians.map((g) =>
        editing === g.id ? (
          <GuardianForm key={g.id} student={student.id} guardian={g} close={() => setEditing(null)} />
        ) : (
          <GuardianCard
            key={g.id}
            guardian={g}
            childIsHere={student.status === 'ACTIVE'}
            edit={may('student', 'write') ? () => setEditing(g.id) : undefined}
          />
        ),
      )}
      {editing === 'new' ? (
        <GuardianForm student={student.id} close={() => setEditing(null)} />
      ) : student.guardians.length === 0 ? (
        <Empty
          title={t('No guardian yet')}
          text={t(
            'Who may be called, who picks the child up, and who sees them in the app. A guardian signs in with the phone you enter.',
          )}
          action={may('student', 'write') && <Button onClick={() => setEditing('new')}>{t('Add a guardian')}</Button>}
        />
      ) : (
        may('student', 'write') && (
          <Group>
            <Button variant="default" onClick={() => setEditing('new')}>
              {t('Add a guardian')}
            </Button>
          </Group>
        )
      )}
    </Stack>
  )
}

function GuardianCard({
  guardian: g,
  childIsHere,
  edit,
}: {
  guardian: Guardian
  childIsHere: boolean
  edit?: () => void
}) {
  const may = useMay()
  const [privacy, setPrivacy] = useState(false)
  const custom = useCustomLine('GUARDIAN')(valuesOf(g))
  const tags = [
    g.isPrimary && labels.isPrimary,
    g.isFeePayer && labels.isFeePayer,
    !g.canPickUp && t('May not pick up'),
    !g.canViewData && t('Not in the app'),
    !g.hasCustody && t('No custody'),
  ].filter(Boolean)
  return (
    <Paper withBorder p={16}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Text fw={500}>
            {nameOf(g)}{' '}
            <Text span c="dimmed" fw={400}>
              {words(g.relation)}
            </Text>
          </Text>
          <Text size="sm" className="figures">
            {[g.phone, g.email].filter(Boolean).join(' · ')}
          </Text>
          {g.occupation && (
            <Text size="sm" c="dimmed">
              {g.occupation}
            </Text>
          )}
          {custom && (
            <Text size="sm" c="dimmed">
              {custom}
            </Text>
          )}
          <Group gap={4} mt={8}>
            {tags.map((t) => (
              <Badge key={String(t)} variant="default" tt="none" fw={500} radius={8}>
                {t}
              </Badge>
            ))}
          </Group>
          <Suppressed userId={g.userId} />
        </div>
        <Group gap={8} justify="flex-end">
          {may('permission', 'read') && (
            <Button variant="subtle" color="gray" size="compact-md" onClick={() => setPrivacy(true)}>
              {t('Personal data…')}
            </Button>
          )}
          {edit && (
            <Button variant="default" size="compact-md" onClick={edit}>
              {t('Edit')}
            </Button>
          )}
        </Group>
      </Group>
      {privacy && (
        <PersonalData
          kind="guardian"
          id={g.id}
          name={nameOf(g)}
          number={g.phone}
          here={childIsHere ? t('They can be erased once all their children have left or are unlinked.') : undefined}
          close={() => setPrivacy(false)}
          erased={() => setPrivacy(false)}
        />
      )}
    </Paper>
  )
}

function GuardianForm({ student, guardian, close }: { student: string; guardian?: Guardian; close: () => void }) {
  const may = useMay()
  const draft = useDraft<Fields>(fieldsFrom(guardian))
  const [asking, setAsking] = useState(false)
  const f = fieldsOf(draft)
  const save = useSave({
    draft,
    labels,
    undo: (was) => !!guardian && was,
    save: (c) =>
      guardian
        ? call(
            api.PUT('/school-admin/student/{id}/guardians/{guardianId}', {
              params: { path: { id: student, guardianId: guardian.id } },
              body: { data: c as Schemas['GuardianChange'] },
            }) as Promise<{ data?: { data: unknown }; error?: unknown; response: Response }>,
          )
        : call(
            api.POST('/school-admin/student/{id}/guardians', {
              params: { path: { id: student } },
              body: { data: draft.values as Schemas['GuardianFor'] },
            }) as Promise<{ data?: { data: unknown }; error?: unknown; response: Response }>,
          ),
    onSaved: () => {
      changed('/school-admin/student/')
      close()
    },
  })
  const unlink = useMutation({
    mutationFn: () =>
      done(
        api.DELETE('/school-admin/student/{id}/guardians/{guardianId}', {
          params: { path: { id: student, guardianId: guardian!.id } },
        }),
      ),
    onSuccess: () => {
      changed('/school-admin/student/')
      close()
    },
  })
  return (
    <Paper withBorder>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          save.submit()
        }}
      >
        <Stack gap={16} p={16}>
          <div className="pair">
            {f.text({ k: 'firstName', label: labels.firstName, required: true })}
            {f.text({ k: 'lastName', label: labels.lastName })}
            {f.choice({ k: 'relation', label: labels.relation, data: relations })}
            {f.text({
              k: 'phone',
              label: labels.phone,
              required: true,
              inputMode: 'tel',
              description: t('Used to sign in'),
            })}
            {f.text({ k: 'email', label: labels.email, inputMode: 'email' })}
            {f.text({ k: 'occupation', label: labels.occupation })}
          </div>
          <CustomPart draft={draft} subject="GUARDIAN" />
          <div className="pair">
            {f.yes({ k: 'isPrimary', label: labels.isPrimary })}
            {f.yes({ k: 'isFeePayer', label: labels.isFeePayer })}
            {f.yes({ k: 'canPickUp', label: labels.canPickUp })}
            {f.yes({ k: 'canViewData', label: labels.canViewData })}
            {f.yes({ k: 'hasCustody', label: labels.hasCustody })}
          </div>
          {guardian && may('student', 'delete') && (
            <Group>
              <Button variant="subtle" color="red" c="red.8" size="compact-md" onClick={() => setAsking(true)}>
                {t('Unlink…')}
              </Button>
            </Group>
          )}
        </Stack>
        <SaveBar
          draft={draft}
          {...save}
          submit={() => undefined}
          label={guardian ? t('Save') : t('Add')}
          always
          onCancel={close}
        />
      </form>
      <Confirm
        opened={asking}
        title={t('Unlink {name}?', { name: guardian ? nameOf(guardian) : '' })}
        action={t('Unlink')}
        danger
        busy={unlink.isPending}
        error={unlink.error}
        onClose={() => setAsking(false)}
        onConfirm={() => unlink.mutate()}
      >
        {t('They no longer see this child, from this moment. Other children of theirs stay linked.')}
      </Confirm>
    </Paper>
  )
}
