// What is kept of a person: handed over as one file, or erased for good once they have left.
import { Alert, Button, Divider, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call, download } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { Dialog, Trouble } from '../../patterns/feedback'

type Kind = 'student' | 'guardian' | 'employee'

/** Which number of theirs is typed again before they are erased. */
const numbers = {
  student: { field: 'admissionNumber', label: t('Admission number') },
  guardian: { field: 'phone', label: t('Phone') },
  employee: { field: 'employeeCode', label: t('Employee code') },
} as const

const kept = {
  student: t('Receipts, fees and attendance counts stay, without the name.'),
  guardian: t('Receipts stay, without the name.'),
  employee: t('What they entered for others stays, without the name.'),
}

function erase(kind: Kind, id: string, reason: string, typed: string) {
  const params = { path: { id } }
  if (kind === 'student')
    return call(
      api.POST('/school-admin/student/{id}/erase', { params, body: { data: { reason, admissionNumber: typed } } }),
    )
  if (kind === 'guardian')
    return call(api.POST('/school-admin/guardian/{id}/erase', { params, body: { data: { reason, phone: typed } } }))
  return call(
    api.POST('/school-admin/employee/{id}/erase', { params, body: { data: { reason, employeeCode: typed } } }),
  )
}

export function PersonalData({
  kind,
  id,
  name,
  number,
  here,
  close,
  erased,
}: {
  kind: Kind
  id: string
  name: string
  /** As it is typed again. */
  number: string
  /** Why they cannot be erased yet, if so. */
  here?: string
  close: () => void
  erased: () => void
}) {
  const may = useMay()
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const { field, label } = numbers[kind]
  const take = useMutation({
    mutationFn: () => {
      const file = `personal-data-${number.replace(/[^\w-]+/g, '')}.json`
      if (kind === 'student') return download(`/school-admin/student/${id}/personal-data`, {}, file)
      if (kind === 'guardian') return download(`/school-admin/guardian/${id}/personal-data`, {}, file)
      return download(`/school-admin/employee/${id}/personal-data`, {}, file)
    },
  })
  const go = useMutation({
    mutationFn: () => erase(kind, id, reason, typed),
    onSuccess: (e) => {
      changed('/school-admin/')
      notifications.show({ message: t('Erased. The records now say "{name}".', { name: e.name }) })
      erased()
    },
  })
  const fields = go.error ? asProblem(go.error).fields : {}
  return (
    <Dialog onClose={close} title={t('Personal data of {name}', { name })} size={520}>
      <Stack gap={16}>
        <Text>{t('Everything that is kept of this person, as one file (JSON), for when they ask for it.')}</Text>
        <Group>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.6} />}
            loading={take.isPending}
            onClick={() => take.mutate()}
          >
            {t('Download')}
          </Button>
        </Group>
        <Trouble error={take.error} />
        {may('permission', 'delete') && (
          <>
            <Divider />
            {here ? (
              <Text c="dimmed">{here}</Text>
            ) : (
              <form
                onSubmit={(e) => {
                  e.preventDefault()
                  go.mutate()
                }}
              >
                <Stack gap={16}>
                  <Alert color="red" variant="light" title={t('Erasing cannot be undone')}>
                    {t('Name, contact, photo, notes and files are erased, and they can no longer sign in. {kept}', {
                      kept: kept[kind],
                    })}
                  </Alert>
                  <Textarea
                    label={t('Reason (kept in the audit log)')}
                    description={t('Name nobody in it')}
                    placeholder={t('Asked by the family in writing')}
                    maxLength={500}
                    value={reason}
                    error={fields.reason}
                    onChange={(e) => setReason(e.currentTarget.value)}
                  />
                  <TextInput
                    label={label}
                    description={t('Type {number} to go on', { number })}
                    autoComplete="off"
                    value={typed}
                    error={fields[field]}
                    onChange={(e) => setTyped(e.currentTarget.value)}
                  />
                  <Trouble error={go.error} />
                  <Group justify="flex-end" gap={8}>
                    <Button variant="default" onClick={close}>
                      {t('Cancel')}
                    </Button>
                    <Button
                      type="submit"
                      color="red.8"
                      loading={go.isPending}
                      disabled={!reason.trim() || !typed.trim()}
                    >
                      {t('Erase permanently')}
                    </Button>
                  </Group>
                </Stack>
              </form>
            )}
          </>
        )}
        {(here || !may('permission', 'delete')) && (
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('Close')}
            </Button>
          </Group>
        )}
      </Stack>
    </Dialog>
  )
}
