// An exam's papers, edited as one table and saved all or nothing; a clash is shown at the papers it is of, naming both.

import { ActionIcon, Button, Group, Menu, NativeSelect, Text } from '@mantine/core'
import { IconCalendarEvent, IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueries } from '@tanstack/react-query'
import { Fragment, useEffect, useRef, useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { changed, useClasses, useSubjects, useTeachers } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { addDays, useToday } from '../../patterns/choices'
import { saveCSV } from '../../patterns/csv'
import { DateField } from '../../patterns/DateField'
import { Empty, Trouble, UnsavedGuard } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
import type { Exam } from './exam-form'

interface Line {
  classId: string
  subjectId: string
  examDate: string
  startTime: string
  endTime: string
  room: string
  invigilatorId: string | null
  maxMarks: number | null
  passMarks: number | null
}

const lineOf = (p: Schemas['Paper']): Line => ({
  classId: p.classId,
  subjectId: p.subjectId,
  examDate: p.examDate,
  startTime: p.startTime.slice(0, 5),
  endTime: p.endTime.slice(0, 5),
  room: p.room,
  invigilatorId: p.invigilatorId,
  maxMarks: p.maxMarks,
  passMarks: p.passMarks,
})

export function Papers({ exam, papers }: { exam: Exam; papers: Schemas['Paper'][] }) {
  const may = useMay()
  const format = useFormat()
  const today = useToday()
  const classes = useClasses()
  const subjects = useSubjects()
  const teachers = useTeachers()
  const [address, setAddress] = useAddress()
  const base = papers.map(lineOf)
  const [lines, setLines] = useState<Line[]>(base)
  // Papers that were read anew replace what nobody has touched.
  const before = useRef(base)
  // biome-ignore lint/correctness/useExhaustiveDependencies: base is compared by value
  useEffect(() => {
    if (JSON.stringify(lines) === JSON.stringify(before.current)) setLines(base)
    before.current = base
  }, [JSON.stringify(base)])
  const [bad, setBad] = useState<Record<string, string[]>>({})
  const [sent, setSent] = useState<number[]>([])
  const open = exam.status !== 'PUBLISHED' && may('exam', 'write')
  const dirty = JSON.stringify(lines) !== JSON.stringify(base)
  const kept = useKept(open ? `papers.${exam.id}` : undefined, dirty ? lines : undefined, null, setLines)
  const offer = <KeptOffer kept={kept} what={t('Papers of this exam were')} />
  const mine = (classes.data ?? []).filter((c) => exam.classIds.includes(c.id))
  const only = mine.some((c) => c.id === address.class) ? address.class : undefined
  const taken = useQueries({
    queries: mine.map((c) => ({
      queryKey: ['/school-admin/subject/class-subjects', c.id],
      queryFn: () => call(api.GET('/school-admin/subject/class-subjects', { params: { query: { classId: c.id } } })),
    })),
  })

  const save = useMutation({
    mutationFn: () =>
      call(
        api.POST('/school-admin/exam/schedule', { body: { data: { examId: exam.id, replace: true, papers: lines } } }),
      ),
    onMutate: () => setSent(lines.map((_, i) => i)),
    onSuccess: (s) => {
      setLines(s.papers.map(lineOf))
      setBad({})
      changed('/school-admin/exam/')
    },
    onError: (e) => {
      const p = asProblem(e)
      const marks: Record<string, string[]> = {}
      for (const [field, message] of p.details) {
        const at = /^papers\[(\d+)\](?:\.(\w+))?/.exec(field)
        const key = at ? `${sent[Number(at[1])] ?? at[1]}.${at[2] ?? ''}` : ''
        if (key) marks[key] = [...(marks[key] ?? []), message]
      }
      // A clash is of two papers: it is shown at both.
      for (const c of (p.data as { clashes?: { first: Schemas['Paper']; second: Schemas['Paper'] }[] } | undefined)
        ?.clashes ?? []) {
        const message = p.details
          .map(([, m]) => m)
          .find((m) => m.includes(c.first.subjectName) && m.includes(c.second.subjectName))
        for (const x of [c.first, c.second]) {
          const i = lines.findIndex(
            (l) => x.examId === exam.id && l.classId === x.classId && l.subjectId === x.subjectId,
          )
          if (i >= 0 && message && !marks[`${i}.`]?.includes(message))
            marks[`${i}.`] = [...(marks[`${i}.`] ?? []), message]
        }
      }
      setBad(marks)
    },
  })
  const set = (i: number, c: Partial<Line>) => {
    setLines(lines.map((l, j) => (j === i ? { ...l, ...c } : l)))
    setBad((b) => Object.fromEntries(Object.entries(b).filter(([k]) => !k.startsWith(`${i}.`))))
  }
  const subjectOf = (id: string) => subjects.data?.find((s) => s.id === id)
  /** The next free day: papers of a class go day by day. */
  const fresh = (classId: string, subjectId: string, after: Line[]): Line => {
    const last = after
      .filter((l) => l.classId === classId)
      .map((l) => l.examDate)
      .sort()
      .at(-1)
    const s = subjectOf(subjectId)
    const first = exam.startDate ?? today
    const day = last ? addDays(last, 1) : first
    return {
      classId,
      subjectId,
      examDate: exam.endDate && day > exam.endDate ? exam.endDate : day,
      startTime: after.at(-1)?.startTime ?? '09:30',
      endTime: after.at(-1)?.endTime ?? '11:30',
      room: '',
      invigilatorId: null,
      maxMarks: s?.maxMarks ?? 100,
      passMarks: s?.passMarks ?? 35,
    }
  }
  const addAll = (classId: string) => {
    const its = taken[mine.findIndex((c) => c.id === classId)]?.data?.subjects.map((s) => s.subjectId) ?? []
    const list = its.length > 0 ? its : (subjects.data ?? []).map((s) => s.id)
    const next = [...lines]
    for (const s of list)
      if (!next.some((l) => l.classId === classId && l.subjectId === s)) next.push(fresh(classId, s, next))
    setLines(next)
  }
  const shown = lines.map((l, i) => [l, i] as const).filter(([l]) => !only || l.classId === only)
  const field = (i: number, f: string) => bad[`${i}.${f}`]?.join(' ')
  const className = (id: string) => classes.data?.find((c) => c.id === id)?.name ?? ''
  const add = (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button variant={lines.length === 0 ? 'filled' : 'default'} leftSection={<IconPlus size={16} />}>
          {t('Add papers')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflow: 'auto' }}>
        {mine.map((c) => (
          <Menu.Item key={c.id} onClick={() => addAll(c.id)}>
            {t('All subjects of {name}', { name: c.name })}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {mine.map((c) => (
          <Menu.Item
            key={c.id}
            onClick={() =>
              setLines([
                ...lines,
                fresh(
                  c.id,
                  (subjects.data ?? []).find((s) => !lines.some((l) => l.classId === c.id && l.subjectId === s.id))
                    ?.id ?? '',
                  lines,
                ),
              ])
            }
          >
            {t('One paper of {name}', { name: c.name })}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
  if (lines.length === 0 && !dirty) {
    return (
      <>
        {offer}
        <div className="panel">
          <Empty
            icon={<IconCalendarEvent size={32} stroke={1.2} />}
            title={t('No papers yet')}
            text={t(
              'A paper is the exam of one class in one subject: when, where, the invigilator, and the full marks. A class, a room or a teacher cannot be at two papers at once.',
            )}
            action={open && add}
            example={t(
              'Adding all subjects of a class puts them on days one after the other; change what does not fit.',
            )}
          />
        </div>
      </>
    )
  }
  return (
    <>
      {offer}
      <Group justify="space-between" mb={12} gap={8}>
        <Group gap={8}>
          {mine.length > 1 && (
            <NativeSelect
              aria-label={t('Class')}
              data={[{ value: '', label: t('All classes') }, ...mine.map((c) => ({ value: c.id, label: c.name }))]}
              value={only ?? ''}
              onChange={(e) => setAddress({ class: e.currentTarget.value || undefined })}
            />
          )}
          {open && add}
        </Group>
        <Button
          variant="subtle"
          color="gray"
          className="only-wide"
          onClick={() =>
            saveCSV(`${exam.name}-papers.csv`, [
              ['Class', 'Subject', 'Day', 'From', 'To', 'Room', 'Invigilator', 'Full marks', 'To pass'],
              ...papers.map((p) => [
                p.className,
                p.subjectName,
                p.examDate,
                p.startTime,
                p.endTime,
                p.room,
                p.invigilatorName,
                p.maxMarks,
                p.passMarks,
              ]),
            ])
          }
        >
          {t('CSV')}
        </Button>
      </Group>
      <div className="panel sheet-panel">
        <div className="list-scroll sheet-scroll" tabIndex={0} role="region" aria-label={t('Papers')}>
          <table className="list sheet papers">
            <thead>
              <tr>
                {[
                  t('Class'),
                  t('Subject'),
                  t('Day'),
                  t('From'),
                  t('To'),
                  t('Room'),
                  t('Invigilator'),
                  t('Full marks'),
                  t('To pass'),
                ].map((h) => (
                  <th key={h} scope="col">
                    {h}
                  </th>
                ))}
                {open && (
                  <th scope="col">
                    <span className="hidden">{t('Remove')}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {shown.map(([l, i]) => {
                const name = `${className(l.classId)} ${subjectOf(l.subjectId)?.name ?? 'paper'}`
                const clash = bad[`${i}.`]
                const was = base.find((b) => b.classId === l.classId && b.subjectId === l.subjectId)
                const input = (k: 'examDate' | 'startTime' | 'endTime' | 'room', label: string, type = 'text') => (
                  <td className={field(i, k) ? 'wrap' : undefined}>
                    <input
                      className="cell-input figures"
                      type={type}
                      aria-label={t('{label} of {name}', { label, name })}
                      aria-invalid={!!field(i, k) || undefined}
                      disabled={!open}
                      value={l[k]}
                      maxLength={60}
                      onChange={(e) => set(i, { [k]: e.currentTarget.value })}
                    />
                    {field(i, k) && <div className="why">{field(i, k)}</div>}
                  </td>
                )
                const marks = (k: 'maxMarks' | 'passMarks', label: string) => (
                  <td className={field(i, k) ? 'wrap' : undefined}>
                    <input
                      className="cell-input figures end"
                      inputMode="decimal"
                      aria-label={t('{label} of {name}', { label, name })}
                      aria-invalid={!!field(i, k) || undefined}
                      disabled={!open}
                      value={l[k] ?? ''}
                      onChange={(e) => {
                        const v = e.currentTarget.value.replace(/[^\d.]/g, '')
                        set(i, { [k]: v === '' ? null : Number(v) })
                      }}
                    />
                    {field(i, k) && <div className="why">{field(i, k)}</div>}
                  </td>
                )
                return (
                  <Fragment key={`${l.classId} ${l.subjectId} ${i}`}>
                    <tr
                      data-dirty={JSON.stringify(was) !== JSON.stringify(l) || undefined}
                      data-bad={clash ? true : undefined}
                    >
                      <td className={field(i, 'classId') ? 'wrap' : undefined}>
                        {className(l.classId)}
                        {field(i, 'classId') && <div className="why">{field(i, 'classId')}</div>}
                      </td>
                      <td className={field(i, 'subjectId') ? 'wrap' : undefined}>
                        {open && !was ? (
                          <select
                            className="cell-input"
                            aria-label={t('Subject of paper {i}', { i: i + 1 })}
                            value={l.subjectId}
                            onChange={(e) => {
                              const s = subjectOf(e.currentTarget.value)
                              set(i, {
                                subjectId: e.currentTarget.value,
                                maxMarks: s?.maxMarks ?? l.maxMarks,
                                passMarks: s?.passMarks ?? l.passMarks,
                              })
                            }}
                          >
                            {(subjects.data ?? []).map((s) => (
                              <option key={s.id} value={s.id}>
                                {s.name}
                              </option>
                            ))}
                          </select>
                        ) : (
                          <b className="medium">{subjectOf(l.subjectId)?.name}</b>
                        )}
                        {field(i, 'subjectId') && <div className="why">{field(i, 'subjectId')}</div>}
                      </td>
                      <td className={field(i, 'examDate') ? 'wrap' : undefined}>
                        <DateField
                          size="xs"
                          w={140}
                          aria-label={t('Day of {name}', { name })}
                          error={field(i, 'examDate')}
                          disabled={!open}
                          value={l.examDate ?? ''}
                          onChange={(examDate) => set(i, { examDate })}
                        />
                      </td>
                      {input('startTime', t('Start'), 'time')}
                      {input('endTime', t('End'), 'time')}
                      {input('room', t('Room'))}
                      <td>
                        <select
                          className="cell-input"
                          aria-label={t('Invigilator of {name}', { name })}
                          disabled={!open}
                          value={l.invigilatorId ?? ''}
                          onChange={(e) => set(i, { invigilatorId: e.currentTarget.value || null })}
                        >
                          <option value="">{t('Nobody yet')}</option>
                          {(teachers.data ?? []).map((t) => (
                            <option key={t.id} value={t.id}>
                              {nameOf(t)}
                            </option>
                          ))}
                        </select>
                        {field(i, 'invigilatorId') && <div className="why">{field(i, 'invigilatorId')}</div>}
                      </td>
                      {marks('maxMarks', t('Full marks'))}
                      {marks('passMarks', t('Marks to pass'))}
                      {open && (
                        <td>
                          <ActionIcon
                            variant="subtle"
                            color="gray"
                            aria-label={t('Remove {name}', { name })}
                            onClick={() => {
                              setLines(lines.filter((_, j) => j !== i))
                              setBad({})
                            }}
                          >
                            <IconTrash size={16} stroke={1.6} />
                          </ActionIcon>
                        </td>
                      )}
                    </tr>
                    {clash && (
                      <tr data-bad className="clash">
                        <td colSpan={open ? 10 : 9}>
                          {clash.map((m) => (
                            <div key={m} className="why">
                              {m}
                            </div>
                          ))}
                        </td>
                      </tr>
                    )}
                  </Fragment>
                )
              })}
            </tbody>
          </table>
        </div>
        {open && (
          <div className="savebar sheet-bar">
            <div className="says" aria-live="polite">
              {save.error ? (
                <Text size="sm" c="red.8" role="alert">
                  {Object.keys(bad).length
                    ? t('Nothing was saved: the marked papers say why.')
                    : asProblem(save.error).message}
                </Text>
              ) : (
                <Text size="sm" c="dimmed">
                  {dirty
                    ? t('Not saved yet')
                    : save.isSuccess
                      ? t('Saved')
                      : t('{lines} papers', { lines: format.number(lines.length) })}
                </Text>
              )}
            </div>
            {dirty && (
              <Button
                variant="default"
                onClick={() => {
                  setLines(base)
                  setBad({})
                  save.reset()
                }}
              >
                {t('Discard')}
              </Button>
            )}
            <Button disabled={!dirty || lines.length === 0} loading={save.isPending} onClick={() => save.mutate()}>
              {t('Save the papers')}
            </Button>
          </div>
        )}
      </div>
      {!!save.error && Object.keys(bad).length === 0 && (
        <Group mt={12}>
          <Trouble error={save.error} />
        </Group>
      )}
      <UnsavedGuard when={dirty && !save.isPending} free={['class']} />
    </>
  )
}
