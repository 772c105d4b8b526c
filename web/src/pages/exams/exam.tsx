import { Button, Checkbox, Group, Menu, Tabs, Text, TextInput, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconArrowLeft, IconDots, IconPrinter } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call, done, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { useAddress, useNextPage } from '../../patterns/address'
import { useClassNames } from '../../patterns/ClassTicks'
import { Confirm, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { SideDrawer } from '../../patterns/ListPage'
import { DivisionSelect, PaperDialog } from '../../patterns/PaperDialog'
import { Reach } from '../communication/reach'
import { type Exam, ExamForm, ExamStatus } from './exam-form'
import { Marks } from './marks'
import { Papers } from './papers'
import { Results } from './results'
import '../../day.css'
import { t } from '../../messages/console'
import { offerUndo } from '../../patterns/undo'

/** One exam: its papers, its marks and its results, and who may see them. */
export function ExamPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const may = useMay()
  const format = useFormat()
  const names = useClassNames()
  const [address, setAddress] = useAddress()
  const q = useQuery({
    queryKey: ['/school-admin/exam/schedule', id],
    queryFn: () => call(api.GET('/school-admin/exam/{id}/schedule', { params: { path: { id } } })),
  })
  if (!q.data)
    return (
      <div className="page">{q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}</div>
    )
  const { exam, papers } = q.data
  const tab = ['marks', 'results'].includes(address.tab ?? '') && may('result', 'read') ? address.tab! : 'papers'
  return (
    <div className="page exam-page">
      <Group gap={4} mb={4} className="no-print">
        <Link to="/exams" className="quiet-link">
          <IconArrowLeft size={14} /> {t('Exams')}
        </Link>
      </Group>
      <Group justify="space-between" gap={12} mb={4} className="no-print">
        <Group gap={12} align="baseline">
          <Title order={1}>{exam.name}</Title>
          <ExamStatus exam={exam} />
        </Group>
        <Group gap={8}>
          <Actions exam={exam} main={tab === 'results'} />
        </Group>
      </Group>
      <Text c="dimmed" mb={12} className="no-print">
        {[
          names(exam.classIds, ''),
          [exam.startDate, exam.endDate].filter(Boolean).map(format.date).join(' – '),
          t(
            { one: '{paperCount} paper', other: '{paperCount} papers' },
            { count: exam.paperCount, paperCount: format.number(exam.paperCount) },
          ),
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
      <Tabs
        value={tab}
        onChange={(t) => setAddress({ tab: t === 'papers' ? undefined : (t ?? undefined) })}
        mb={16}
        className="no-print"
      >
        <Tabs.List>
          <Tabs.Tab value="papers">{t('Papers')}</Tabs.Tab>
          {may('result', 'read') && <Tabs.Tab value="marks">{t('Marks')}</Tabs.Tab>}
          {may('result', 'read') && <Tabs.Tab value="results">{t('Results')}</Tabs.Tab>}
        </Tabs.List>
      </Tabs>
      {tab === 'papers' ? (
        <>
          <Papers key={exam.version} exam={exam} papers={papers} />
          <Reach recordId={exam.id} version={exam.version} mt={24} />
        </>
      ) : tab === 'marks' ? (
        <Marks exam={exam} papers={papers} />
      ) : (
        <Results exam={exam} />
      )}
      <SideDrawer opened={address.open === 'edit'} close={() => setAddress({ open: undefined })} label={t('Exam')}>
        {address.open === 'edit' && (
          <ExamForm of={exam} close={() => setAddress({ open: undefined })} onSaved={() => undefined} />
        )}
      </SideDrawer>
    </div>
  )
}

type Step = 'SCHEDULE' | 'RESULTS' | 'UN-SCHEDULE' | 'UN-RESULTS'

/** Names who misses a result before it is published: they get no percentage, grade or rank. */
function Missing({ of }: { of: Schemas['Publication'] }) {
  const byStudent = new Map<string, { name: string; subjects: string[] }>()
  for (const m of of.missingResults) {
    const known = byStudent.get(m.studentId)
    if (known) known.subjects.push(m.subjectName)
    else byStudent.set(m.studentId, { name: `${m.firstName} ${m.lastName}`.trim(), subjects: [m.subjectName] })
  }
  const students = [...byStudent.values()]
  return (
    <>
      {students.length > 8
        ? t(
            'Missing: {students} and more. Enter these results or mark the students absent or exempt; published as they are, they get no percentage, grade or rank.',
            {
              students: students
                .slice(0, 8)
                .map((s) => `${s.name} (${s.subjects.join(', ')})`)
                .join('; '),
            },
          )
        : t(
            'Missing: {students}. Enter these results or mark the students absent or exempt; published as they are, they get no percentage, grade or rank.',
            {
              students: students
                .slice(0, 8)
                .map((s) => `${s.name} (${s.subjects.join(', ')})`)
                .join('; '),
            },
          )}{' '}
    </>
  )
}

/** The hall tickets of a division; whether dues hold them back is a choice at every printing. */
function HallTickets({ exam, close }: { exam: Exam; close: () => void }) {
  const [division, setDivision] = useState('')
  const [holdBack, setHoldBack] = useState(false)
  return (
    <PaperDialog
      title={t('Print hall tickets of {name}', { name: exam.name })}
      close={close}
      ready={!!division}
      paper={() => [
        `/school-admin/exam/${exam.id}/hall-tickets`,
        { divisionId: division, ...(holdBack && { holdBackDues: 'true' }) },
        'hall-tickets.pdf',
      ]}
    >
      <DivisionSelect value={division} onChange={setDivision} classIds={exam.classIds} />
      <Checkbox
        label={t('Hold back tickets of students with dues')}
        description={t('Fees that are due by today. The last page names these students.')}
        checked={holdBack}
        onChange={(e) => setHoldBack(e.currentTarget.checked)}
      />
    </PaperDialog>
  )
}

/** Publishing and taking back; each says what will happen before it happens. */
function Actions({ exam, main }: { exam: Exam; main: boolean }) {
  const may = useMay()
  const navigate = useNavigate()
  useNextPage('/exams')
  const [, setAddress] = useAddress()
  const [asking, setAsking] = useState<Step | 'DELETE' | null>(null)
  const [tickets, setTickets] = useState(false)
  const [reason, setReason] = useState('')
  const after = () => {
    changed('/school-admin/exam/')
    setAsking(null)
    setReason('')
  }
  const params = { path: { id: exam.id } }
  const partOf = (step: Step) => (step.endsWith('SCHEDULE') ? ('SCHEDULE' as const) : ('RESULTS' as const))
  const takeBack = (step: Step, reason: string) =>
    call(api.POST('/school-admin/exam/{id}/unpublish', { params, body: { data: { what: partOf(step), reason } } }))
  const turn = useMutation({
    mutationFn: async (step: Step) => {
      const what = partOf(step)
      if (!step.startsWith('UN-')) {
        // The dialog has named the results that are missing.
        const data = { what, reason, allowMissing: !!preview.data?.missing }
        return call(api.POST('/school-admin/exam/{id}/publish', { params, body: { data } }))
      }
      await takeBack(step, reason)
      return null
    },
    onSuccess: (p, step) => {
      after()
      const told: Record<Step, string> = {
        SCHEDULE: t('The schedule is published.'),
        RESULTS: p?.missing
          ? t(
              'The results of {students} students are published, and their guardians are notified. {missing} results were never entered.',
              { students: p?.students ?? 0, missing: p.missing },
            )
          : t('The results of {students} students are published, and their guardians are notified.', {
              students: p?.students ?? 0,
            }),
        'UN-SCHEDULE': t('The schedule is unpublished.'),
        'UN-RESULTS': t('The results are unpublished.'),
      }
      if (step.startsWith('UN-')) notifications.show({ message: told[step] })
      else offerUndo(told[step], () => takeBack(step, reason))
    },
  })
  // What publishing would do is asked before it is done.
  const preview = useQuery({
    queryKey: ['/school-admin/exam/publish', exam.id, exam.version, 'preview'],
    gcTime: 0,
    staleTime: 0,
    retry: false,
    enabled: asking === 'RESULTS',
    queryFn: () =>
      call(
        api.POST('/school-admin/exam/{id}/publish', {
          params: { path: { id: exam.id } },
          body: { data: { what: 'RESULTS', preview: true } },
        }),
      ),
  })
  const remove = useMutation({
    mutationFn: () => done(api.DELETE('/school-admin/exam/{id}', { params: { path: { id: exam.id } } })),
    onSuccess: () => {
      after()
      void navigate({ to: '/exams' })
    },
  })
  if (!may('exam', 'write')) return null
  const published = exam.status === 'PUBLISHED'
  const why = (
    <TextInput
      mt={12}
      label={t('Reason')}
      description={t('Kept in the audit log')}
      value={reason}
      maxLength={500}
      onChange={(e) => setReason(e.currentTarget.value)}
    />
  )
  const words: Record<Step, { title: string; action: string; text: React.ReactNode }> = {
    SCHEDULE: {
      title: t('Publish the schedule?'),
      action: t('Publish the schedule'),
      text: t(
        'Parents of the classes see the {paperCount} papers of {name}, with day, time and room. You can unpublish it until results are published.',
        { paperCount: exam.paperCount, name: exam.name },
      ),
    },
    RESULTS: {
      title: t('Publish the results of {name}?', { name: exam.name }),
      action: preview.data?.missing ? t('Publish as incomplete') : t('Publish the results'),
      text: (
        <>
          {preview.data && (
            <>
              <b>
                {preview.data.students === 1
                  ? preview.data.missing
                    ? t('{students} student has results, and {missing} results are not entered.', {
                        students: preview.data.students,
                        missing: preview.data.missing,
                      })
                    : t('{students} student has results, and none is missing.', { students: preview.data.students })
                  : preview.data.missing
                    ? t('{students} students have results, and {missing} results are not entered.', {
                        students: preview.data.students,
                        missing: preview.data.missing,
                      })
                    : t('{students} students have results, and none is missing.', { students: preview.data.students })}
              </b>{' '}
              {preview.data.missing > 0 && <Missing of={preview.data} />}
            </>
          )}
          {t(
            'Their marks are graded, every guardian gets a notification, and the results are in the report cards. Marks cannot be changed while they are published.',
          )}
        </>
      ),
    },
    'UN-SCHEDULE': {
      title: t('Unpublish the schedule?'),
      action: t('Unpublish'),
      text: (
        <>
          {t('Parents no longer see the papers.')}
          {why}
        </>
      ),
    },
    'UN-RESULTS': {
      title: t('Unpublish the results of {name}?', { name: exam.name }),
      action: t('Unpublish'),
      text: (
        <>
          {t(
            'Parents no longer see them, and marks can be changed again. Nobody is notified; publishing again notifies the guardians again.',
          )}
          {why}
        </>
      ),
    },
  }
  return (
    <>
      {exam.status === 'SCHEDULED' && !exam.schedulePublishedAt && (
        <Button variant="default" onClick={() => setAsking('SCHEDULE')}>
          {t('Publish schedule')}
        </Button>
      )}
      {exam.status === 'SCHEDULED' && (
        <Button variant={main ? 'filled' : 'default'} onClick={() => setAsking('RESULTS')}>
          {t('Publish results')}
        </Button>
      )}
      {published && (
        <Button variant="default" onClick={() => setAsking('UN-RESULTS')}>
          {t('Unpublish results')}
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px={8} aria-label={t('More')}>
            <IconDots size={18} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {exam.paperCount > 0 && (
            <Menu.Item leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => setTickets(true)}>
              {t('Hall tickets…')}
            </Menu.Item>
          )}
          {!published && <Menu.Item onClick={() => setAddress({ open: 'edit' })}>{t('Edit the exam')}</Menu.Item>}
          {!published && exam.schedulePublishedAt && (
            <Menu.Item onClick={() => setAsking('UN-SCHEDULE')}>{t('Unpublish the schedule…')}</Menu.Item>
          )}
          {published && <Menu.Item disabled>{t('Published: unpublish the results to edit')}</Menu.Item>}
          {may('exam', 'delete') && !published && (
            <Menu.Item c="red.8" onClick={() => setAsking('DELETE')}>
              {t('Delete…')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {tickets && <HallTickets exam={exam} close={() => setTickets(false)} />}
      {asking && asking !== 'DELETE' && (
        <Confirm
          opened
          title={words[asking].title}
          action={words[asking].action}
          busy={turn.isPending}
          error={turn.error ?? (asking === 'RESULTS' ? preview.error : null)}
          onClose={() => {
            setAsking(null)
            turn.reset()
          }}
          onConfirm={() => turn.mutate(asking)}
        >
          {words[asking].text}
        </Confirm>
      )}
      <Confirm
        opened={asking === 'DELETE'}
        title={t('Delete {name}?', { name: exam.name })}
        action={t('Delete')}
        danger
        busy={remove.isPending}
        error={remove.error}
        onClose={() => {
          setAsking(null)
          remove.reset()
        }}
        onConfirm={() => remove.mutate()}
      >
        {t('It is deleted with its papers, and only if nobody has a result in it.')}
      </Confirm>
    </>
  )
}
