import { Alert, Button, Checkbox, Group, NativeSelect, Radio, Stack, Text } from '@mantine/core'
import { useMemo } from 'react'
import { type Schemas, save } from '../../api/client'
import { rich, t } from '../../messages/console'
import { DryRunTable } from '../../patterns/csv-file'
import { Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { useCustomFields } from '../people/custom-fields'
import { type Choices, type Kind, type Since, students, sumWords } from './kinds'

type Result = Schemas['ImportResult']

/** What the file would do, how it was understood, and what is wrong with it. */
export function Check({
  kind,
  plan,
  name,
  choices,
  choose,
  busy,
  error,
  again,
  go,
}: {
  kind: Kind
  plan: Result
  name: string
  choices: Choices
  choose: (more: Partial<Choices>) => void
  busy: boolean
  error: unknown
  again: () => void
  go: (skip: boolean) => void
}) {
  const format = useFormat()
  const n = format.number
  const unsaid = plan.unknownColumns.length > 0 && !choices.leaveOut
  const shown = useMemo(() => byNumber(plan), [plan])
  const good = plan.creates + plan.updates + plan.unchanged
  const does = [
    plan.creates && t('{n} new', { n: n(plan.creates) }),
    plan.updates && t('{n} changed', { n: n(plan.updates) }),
    plan.unchanged && t('{n} unchanged', { n: n(plan.unchanged) }),
    plan.guardiansNew &&
      t({ one: '{n} new guardian', other: '{n} new guardians' }, { count: plan.guardiansNew, n: n(plan.guardiansNew) }),
    plan.enrolments && t('{n} added to a division', { n: n(plan.enrolments) }),
    plan.moves && t('{n} moved to another division', { n: n(plan.moves) }),
  ]
    .filter(Boolean)
    .join(', ')
  return (
    <Stack gap={16}>
      {plan.bad > 0 ? (
        <Alert
          color="red"
          variant="light"
          role="alert"
          title={t('Errors in {n} of {n2} rows of {name}', { n: n(plan.bad), n2: n(plan.rowsRead), name })}
        >
          {t(
            'They come first below, with the reason in the cell. Fix these rows in your spreadsheet and choose the file again, or leave them out and get them as a file to fix and import later.',
          )}
        </Alert>
      ) : (
        <Alert
          variant="light"
          role="status"
          title={t(
            { one: '{n} row of {name} is ready', other: '{n} rows of {name} are ready' },
            { count: plan.rowsRead, n: n(plan.rowsRead), name },
          )}
        >
          {t('Nothing is saved yet.')}
        </Alert>
      )}
      <Text>{rich('This would happen: {does}.', { does: <b>{does || t('nothing')}</b> })}</Text>
      {plan.sums.length > 0 && (
        <Text>
          {plan.sums
            .map(
              (s) =>
                `${sumWords[s.name]?.label ?? s.name}: ${sumWords[s.name]?.money ? format.money(s.value) : n(s.value)}`,
            )
            .join(' · ')}
        </Text>
      )}
      {plan.guardiansLeftOut > 0 && (
        <Text>
          {t('{n} parents without a phone of their own are left out: their child has another guardian.', {
            n: n(plan.guardiansLeftOut),
          })}
        </Text>
      )}
      {kind === students && plan.enrolments > 0 && (
        <Radio.Group
          label={t('Since when are students in their class who have neither that day nor an admission date?')}
          description={t('{n} of {n2} are there since the academic year began.', {
            n: n(plan.fromYearStart),
            n2: n(plan.enrolments),
          })}
          value={choices.since}
          onChange={(v) => choose({ since: v as Since })}
        >
          <Group gap={24} mt={8}>
            <Radio value="YEAR_START" label={t('Since the academic year began')} disabled={busy} />
            <Radio value="TODAY" label={t('From today')} disabled={busy} />
          </Group>
        </Radio.Group>
      )}
      {plan.understood.ambiguousDates > 0 && (
        <Radio.Group
          label={t('How does the file write dates?')}
          description={
            plan.understood.dateOrder
              ? t('{n} dates can be read both ways.', { n: n(plan.understood.ambiguousDates) })
              : t('It has dates of both kinds. Choose one for those that can be read both ways.')
          }
          value={plan.understood.dateOrder}
          onChange={(v) => choose({ dateOrder: v })}
        >
          <Group gap={24} mt={8}>
            <Radio value="DMY" label={t('Day first: 25/04/2016')} disabled={busy} />
            <Radio value="MDY" label={t('Month first: 04/25/2016')} disabled={busy} />
          </Group>
        </Radio.Group>
      )}
      {plan.newClasses.length > 0 && (
        <Checkbox
          checked={choices.createClasses}
          disabled={busy}
          onChange={(e) => choose({ createClasses: e.currentTarget.checked })}
          label={t('Create the classes and divisions that do not exist yet')}
          description={plan.newClasses.slice(0, 20).join(', ')}
        />
      )}
      {plan.newSubjects.length > 0 && (
        <Checkbox
          checked={choices.createSubjects}
          disabled={busy}
          onChange={(e) => choose({ createSubjects: e.currentTarget.checked })}
          label={t('Create the subjects that do not exist yet')}
          description={plan.newSubjects.slice(0, 20).join(', ')}
        />
      )}
      <Trouble error={error} />
      <Columns
        kind={kind}
        plan={plan}
        busy={busy}
        set={(header, column) => choose({ mapping: { ...choices.mapping, [header]: column } })}
      />
      {plan.unknownColumns.length > 0 && (
        <Checkbox
          checked={choices.leaveOut}
          disabled={busy}
          onChange={(e) => choose({ leaveOut: e.currentTarget.checked })}
          label={t('Leave out {unknownColumns}', { unknownColumns: plan.unknownColumns.join(', ') })}
          description={t('Nothing is imported from these columns. Choose above what they are, or leave them out.')}
        />
      )}
      <DryRunTable rows={shown} errors={plan.errors} />
      {plan.errorCount > plan.errors.length && (
        <Text size="sm" c="dimmed">
          {t('The first {n} of {n2} mistakes are shown.', { n: n(plan.errors.length), n2: n(plan.errorCount) })}
        </Text>
      )}
      <Group gap={8}>
        {plan.bad === 0 ? (
          <Button onClick={() => go(false)} disabled={busy || unsaid}>
            {t('Import {n} {many}', { n: n(good), many: kind.many })}
          </Button>
        ) : (
          good > 0 && (
            <Button variant="default" onClick={() => go(true)} disabled={busy || unsaid}>
              {t('Leave them out and import {n}', { n: n(good) })}
            </Button>
          )
        )}
        {plan.bad > 0 && (
          <Button variant="default" onClick={() => saveBadRows(plan, name)}>
            {t('Download the rows with errors')}
          </Button>
        )}
        <Button variant={plan.bad > 0 ? 'filled' : 'default'} onClick={again}>
          {t('Choose the file again')}
        </Button>
      </Group>
    </Stack>
  )
}

/** The rows an answer has, each at its number in the file, header first. */
function byNumber(plan: Result): string[][] {
  const rows: string[][] = [plan.columns.map((c) => c.header)]
  for (const r of plan.rows) rows[r.row - 1] = r.cells
  return rows
}

// The service leaves this column of a file out, by its English name: in every language of the console.
const whatToChange = 'What to change'

/** A file of the bad rows with a column that says what to change. It can be fixed and chosen again. */
function saveBadRows(plan: Result, name: string) {
  // What a spreadsheet would run as a formula gets an apostrophe, which an import takes off again.
  const cell = (text: string) => `"${(/^[=@+\-\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
  const rows = [
    [...plan.columns.map((c) => c.header), whatToChange],
    ...plan.rows
      .filter((r) => r.whatToChange)
      .map((r) => [...plan.columns.map((_, i) => r.cells[i] ?? ''), r.whatToChange]),
  ]
  save(
    new Blob([`\ufeff${rows.map((r) => r.map(cell).join(',')).join('\r\n')}`], { type: 'text/csv' }),
    `${name.replace(/\.[^.]*$/, '')}-to-fix.csv`,
  )
}

/** The file's columns, what each is read as, and a few of its values. */
function Columns({
  kind,
  plan,
  busy,
  set,
}: {
  kind: Kind
  plan: Result
  busy: boolean
  set: (header: string, column: string) => void
}) {
  const custom = useCustomFields(kind.subject ?? 'STUDENT')
  const title = (column: string) => custom.find((f) => column === `customFields.${f.key}`)?.label ?? words(column)
  return (
    <div className="panel">
      <div
        className="list-scroll"
        tabIndex={0}
        role="region"
        aria-label={t('Columns of the file')}
        style={{ maxHeight: 320 }}
      >
        <table className="list">
          <thead>
            <tr>
              <th scope="col">{t('Column')}</th>
              <th scope="col">{t('Read as')}</th>
              <th scope="col">{t('Values')}</th>
            </tr>
          </thead>
          <tbody>
            {plan.columns
              .filter((c) => c.filled > 0)
              .map((c) => (
                <tr key={c.header} data-bad={plan.unknownColumns.includes(c.header) || undefined}>
                  <td>{c.header}</td>
                  <td>
                    <NativeSelect
                      size="xs"
                      aria-label={t('{header} is read as', { header: c.header })}
                      disabled={busy}
                      value={c.column}
                      onChange={(e) => set(c.header, e.currentTarget.value)}
                      data={[
                        { value: '', label: t('Left out') },
                        ...plan.knownColumns.map((k) => ({ value: k, label: title(k) })),
                      ]}
                    />
                  </td>
                  <td>{c.samples.join(', ')}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

/** fatherPhone as people say it: Father phone. */
const words = (column: string) => {
  const text = column.replace(/([A-Z0-9]+)/g, ' $1').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}
