// Takes a student back who has left. What was stays, and the ledger goes on.
import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { Dialog, Trouble } from '../../patterns/feedback'
import { nameOf } from '../../patterns/format'
import { fieldsOf, useDraft } from '../../patterns/record'

export function Readmit({
  student,
  divisions,
  close,
}: {
  student: Schemas['StudentDetail']
  divisions: { value: string; label: string }[]
  close: () => void
}) {
  const draft = useDraft<{ divisionId: string | null; rollNumber: number | null; date: string | null; reason: string }>(
    { divisionId: null, rollNumber: null, date: null, reason: '' },
  )
  const f = fieldsOf(draft)
  const readmit = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/student/{id}/readmit', {
          params: { path: { id: student.id } },
          body: { data: draft.values },
        }),
      ),
    onSuccess: () => {
      changed('/school-admin/student/')
      notifications.show({ message: t('{name} is readmitted', { name: nameOf(student) }) })
      close()
    },
    onError: (e) => draft.setErrors(asProblem(e).fields),
  })
  return (
    <Dialog onClose={close} title={t('Readmit {name}', { name: nameOf(student) })}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          readmit.mutate()
        }}
      >
        <Stack gap={16}>
          {f.choice({ k: 'divisionId', label: t('Division'), data: divisions, none: t('Choose'), required: true })}
          {f.number({ k: 'rollNumber', label: t('Roll no.'), min: 1 })}
          {f.day({ k: 'date', label: t('First day'), description: t('Leave empty for today') })}
          {f.text({ k: 'reason', label: t('Reason'), placeholder: t('The family has moved back'), maxLength: 500 })}
          <Text size="sm" c="dimmed">
            {t('They keep their admission number, guardians and ledger. The leaving certificate stays on file.')}
          </Text>
          <Trouble error={readmit.error} />
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={readmit.isPending}>
              {t('Readmit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
