import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { asProblem, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { ChooseCSV, DryRunTable, type FileError, rowErrors, useCSVFile } from '../../patterns/csv-file'
import { Dialog, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'

type Batch = Schemas['SchoolBatch']

const path = '/super-admin/school/import'
const sample = [
  ['Name', 'Code', 'Time zone', 'Currency', 'Locale', 'First name', 'Last name', 'E-mail'],
  ['Green Valley', 'green-valley', 'Asia/Kolkata', 'INR', 'en-IN', 'Asha', 'Rao', 'asha@green-valley.example'],
  ['Lakeside', 'lakeside', 'Africa/Nairobi', 'KES', 'sw', 'Juma', 'Otieno', 'juma@lakeside.example'],
]

/** A school of the list is a row of the file: schools[0] is row 2, below the header. */
const errorsOf = (problem: unknown): FileError[] => [
  ...rowErrors(problem),
  ...asProblem(problem).details.flatMap(([field, message]) => {
    const at = /^schools\[(\d+)\](?:\.admin)?(?:\.(.+))?$/.exec(field)
    return at ? [{ row: Number(at[1]) + 2, column: at[2] ?? '', message }] : []
  }),
]

/** Onboards all schools of a file, or none. */
export function OnboardMany({ close }: { close: () => void }) {
  const format = useFormat()
  const { file, plan, check, commit } = useCSVFile<Batch>(path, {
    errorsOf,
    done: (r) => {
      changed('/super-admin/school/')
      notifications.show({ message: t('{schools} schools are being set up.', { schools: format.number(r.schools) }) })
      close()
    },
  })
  return (
    <Dialog onClose={close} title={t('Onboard schools from a file')} size={720}>
      <Stack gap={16}>
        <Text size="sm">
          {t(
            "A CSV file with the columns Name, Code, Time zone and Currency, and the administrator's First name and E-mail; if you like Last name, Phone, Locale and Node too. Administrators are invited to set a password. All schools are onboarded or none.",
          )}
        </Text>
        <ChooseCSV
          take={(f) => check.mutate(f)}
          busy={check.isPending}
          chosen={file?.file.name}
          example={{ name: 'schools', rows: sample }}
        />
        <Trouble error={check.error ?? commit.error} />
        {plan && (
          <Alert
            variant="light"
            role="status"
            title={t('{schools} schools are ready to be onboarded', { schools: format.number(plan.schools) })}
          />
        )}
        {file && file.errors.length > 0 && <DryRunTable rows={file.rows} errors={file.errors} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={close}>
            {t('Cancel')}
          </Button>
          <Button disabled={!plan || commit.isSuccess} loading={commit.isPending} onClick={() => commit.mutate()}>
            {t('Onboard all')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
