import { NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type Schemas, upload } from '../../api/client'
import { changed, useClasses, useDivisions } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { ChooseCSV } from '../../patterns/csv-file'
import { Trouble } from '../../patterns/feedback'
import { Wizard } from '../../patterns/wizard'
import { useCustomFields } from '../people/custom-fields'
import { Check } from './check'
import { History } from './history'
import { books, type Choices, type Kind, kindOf, kinds, students } from './kinds'
import { Watch } from './watch'

type Result = Schemas['ImportResult']

export const ImportStudents = () => <Import kind={students} />
export const ImportEmployees = () => <Import kind={kindOf('EMPLOYEE')} />
export const ImportBooks = () => <Import kind={books} />

/** An import of any kind, which the address names. */
export function ImportAny() {
  const [address, setAddress] = useAddress()
  const may = useMay()
  const kind = kindOf(address.kind)
  return (
    <Import
      key={kind.key}
      kind={kind}
      choice={
        <NativeSelect
          label={t('What is in the file?')}
          value={kind.key}
          onChange={(e) => setAddress({ kind: e.currentTarget.value, run: undefined })}
          data={kinds.filter((k) => may(k.module, 'write')).map((k) => ({ value: k.key, label: k.name }))}
        />
      }
    />
  )
}

const steps = [
  { key: 'file', title: t('Choose a file') },
  { key: 'check', title: t('Check') },
  { key: 'run', title: t('Import') },
]

const noChoices: Choices = {
  since: 'YEAR_START',
  dateOrder: '',
  createClasses: false,
  createSubjects: false,
  leaveOut: false,
  mapping: {},
}

const sent = (kind: Kind, c: Choices): Record<string, string> => ({
  ...(kind === students && { since: c.since }),
  ...(kind === students && c.createClasses && { createClasses: 'true' }),
  ...(kind.makesSubjects && c.createSubjects && { createSubjects: 'true' }),
  ...(c.dateOrder && { dateOrder: c.dateOrder }),
  ...(c.leaveOut && { leaveOut: 'true' }),
  ...(Object.keys(c.mapping).length > 0 && { mapping: JSON.stringify(c.mapping) }),
})

function Import({ kind, choice }: { kind: Kind; choice?: ReactNode }) {
  const [address, setAddress] = useAddress()
  const [file, setFile] = useState<File | null>(null)
  const [plan, setPlan] = useState<Result | null>(null)
  const [choices, setChoices] = useState(noChoices)
  const check = useMutation({
    mutationFn: ({ f, c }: { f: File; c: Choices }) =>
      upload<Result>(kind.path, { dryRun: 'true', ...sent(kind, c) }, f, f.name),
    onSuccess: (result, { f, c }) => {
      setFile(f)
      setChoices(c)
      setPlan(result)
    },
  })
  const commit = useMutation({
    mutationFn: async (skip: boolean) => {
      const id = crypto.randomUUID()
      setAddress({ run: id })
      return upload<Result>(
        kind.path,
        { planHash: plan!.planHash, mode: skip ? 'SKIP_BAD_ROWS' : 'ALL_OR_NOTHING', id, ...sent(kind, choices) },
        file!,
        file!.name,
      )
    },
    onSettled: () => changed('/school-admin/'),
  })
  const again = () => {
    setPlan(null)
    setFile(null)
    setChoices(noChoices)
    check.reset()
    commit.reset()
    setAddress({ run: undefined })
  }
  const step = address.run ? 'run' : plan ? 'check' : 'file'
  return (
    <Wizard title={kind.title} steps={steps} current={step}>
      {step === 'file' && (
        <Stack gap={32}>
          {choice}
          <Choose
            kind={kind}
            busy={check.isPending}
            error={check.error}
            take={(f) => check.mutate({ f, c: noChoices })}
          />
          <History kind={kind} open={(id) => setAddress({ run: id })} />
        </Stack>
      )}
      {step === 'check' && (
        <Check
          kind={kind}
          plan={plan!}
          name={file!.name}
          choices={choices}
          // A yes to what is left out changes nothing of the plan; everything else is checked again.
          choose={(more) =>
            Object.keys(more).every((k) => k === 'leaveOut')
              ? setChoices({ ...choices, ...more })
              : check.mutate({ f: file!, c: { ...choices, ...more } })
          }
          busy={check.isPending}
          error={check.error}
          again={again}
          go={(skip) => commit.mutate(skip)}
        />
      )}
      {step === 'run' && <Watch kind={kind} id={address.run!} error={commit.error} again={again} />}
    </Wizard>
  )
}

/** An example of a file, with the school's own classes and divisions: of students a row for each. */
function useSample(kind: Kind): string[][] {
  const classes = useClasses()
  const divisions = useDivisions()
  const custom = useCustomFields(kind.subject ?? 'STUDENT').filter((f) => kind.subject && !f.retired)
  if (kind.sample.length === 0) return []
  const head = [...kind.sample[0]!, ...custom.map((f) => f.label)]
  const rows = kind.sample.slice(1).map((r) => [...r, ...custom.map(() => '')])
  const own = (classes.data ?? []).flatMap((c) =>
    (divisions.data ?? []).filter((d) => d.classId === c.id).map((d) => ({ class: c.name, division: d.name })),
  )
  if (own.length === 0) return [head, ...rows]
  const names = [...new Set(own.map((o) => o.class))].slice(0, 2)
  const row = (cells: string[], i: number) => {
    const place: Record<string, string> = { ...own[i % own.length]!, classes: names.join('; ') }
    return cells.map((cell, at) => cell && (place[head[at]!] ?? cell))
  }
  if (kind !== students) return [head, ...rows.map(row)]
  const child = (_: unknown, i: number) =>
    row(rows[0]!, i).map((cell, at) => (i > 0 && head[at]!.startsWith('guardian') ? '' : cell))
  return [head, ...own.slice(0, 200).map(child)]
}

function Choose({ kind, busy, error, take }: { kind: Kind; busy: boolean; error: unknown; take: (f: File) => void }) {
  const sample = useSample(kind)
  return (
    <Stack gap={16} className="reading">
      <Text>
        {kind.zip
          ? t('The photos are read and checked first. You see whose they are; nothing is saved until you confirm.')
          : t(
              'An Excel workbook (.xlsx) or CSV file is read and checked first. You see what it would do, row by row; nothing is saved until you confirm.',
            )}
      </Text>
      <ChooseCSV
        take={take}
        busy={busy}
        workbooks
        also={kind.accept}
        {...(sample.length > 0 && { example: { name: kind.many, rows: sample } })}
      />
      <Trouble error={error} />
      <Text size="sm" c="dimmed">
        {t('{columns} Up to 20 MB.', { columns: kind.columns })}
      </Text>
    </Stack>
  )
}
