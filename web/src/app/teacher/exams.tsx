import type { Schemas } from '../../api/client'
import { t } from '../../messages/messages'
import { useFormat } from '../format'
import { useUnsent } from '../queue'
import { Card, Line, Page, Shown, Status } from '../ui'
import { placeOf, useClasses } from './lessons'
import { resultsLane, useExams, useSchedule } from './results'

/** The papers whose marks the teacher enters, exam by exam. */
export function Exams() {
  const exams = useExams()
  return (
    <Page title={t('nav.marks')}>
      <Shown of={exams} isEmpty={(d) => d.items.length === 0} empty="marks.noExams">
        {({ items }) => items.map((e) => <ExamCard key={e.id} of={e} />)}
      </Shown>
    </Page>
  )
}

function ExamCard({ of }: { of: Schemas['Exam'] }) {
  const schedule = useSchedule(of.id)
  return (
    <Card label={of.name}>
      <div className="between">
        <h2>{of.name}</h2>
        {of.status === 'PUBLISHED' && <Status tone="good">{t('marks.published')}</Status>}
      </div>
      <Shown of={schedule} lines={2}>
        {({ papers }) => papers.map((p) => <PaperLines key={p.id} of={p} />)}
      </Shown>
    </Card>
  )
}

/** A line for each division in which the teacher teaches the paper's subject. */
function PaperLines({ of }: { of: Schemas['Paper'] }) {
  const format = useFormat()
  const classes = useClasses().data?.items ?? []
  const unsent = useUnsent() ?? []
  return classes
    .filter((c) => c.classId === of.classId && (c.subjectIds.length === 0 || c.subjectIds.includes(of.subjectId)))
    .map((c) => {
      const waits = unsent.some((i) => i.lane === resultsLane(of.id, c.divisionId))
      return (
        <Line
          key={c.divisionId}
          to={`/marks/${of.examId}/${of.id}/${c.divisionId}`}
          title={`${of.subjectName} · ${placeOf(c)}`}
          note={format.day(of.examDate)}
          end={waits && <Status tone="warn">{t('queue.waiting')}</Status>}
        />
      )
    })
}
