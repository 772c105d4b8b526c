import type { Schemas } from '../../api/client'
import { joined, t } from '../../messages/messages'
import { useFormat } from '../format'
import { useUnsent } from '../queue'
import { Card, Line, Page, Shown, Status } from '../ui'
import { placeOf, useClasses } from './lessons'
import { resultsLane, type Seats, useExams, useGroups, useSchedule } from './results'

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
  const sheets = useGroups(of.id).data?.sheets ?? []
  return (
    <Card label={of.name}>
      <div className="between">
        <h2>{of.name}</h2>
        {of.status === 'PUBLISHED' && <Status tone="good">{t('marks.published')}</Status>}
      </div>
      <Shown of={schedule} lines={2}>
        {({ papers }) =>
          papers.map((p) => <PaperLines key={p.id} of={p} groups={sheets.filter((s) => s.paperId === p.id)} />)
        }
      </Shown>
    </Card>
  )
}

interface PaperProps {
  of: Schemas['Paper']
  groups: Schemas['GroupSheet'][]
}

/** A line for each group whose lessons the teacher holds, and for each other division in which they teach the paper's subject. */
function PaperLines({ of, groups }: PaperProps) {
  const classes = useClasses().data?.items ?? []
  const inGroups = new Set(groups.flatMap((g) => g.divisionIds))
  const divisions = classes.filter(
    (c) =>
      c.classId === of.classId &&
      (c.subjectIds.length === 0 || c.subjectIds.includes(of.subjectId)) &&
      !inGroups.has(c.divisionId),
  )
  return (
    <>
      {groups.map((g) => (
        <PaperLine key={g.groupId} of={of} seats={{ kind: 'group', id: g.groupId }} place={g.groupName} />
      ))}
      {divisions.map((c) => (
        <PaperLine key={c.divisionId} of={of} seats={{ kind: 'division', id: c.divisionId }} place={placeOf(c)} />
      ))}
    </>
  )
}

function PaperLine({ of, seats, place }: { of: Schemas['Paper']; seats: Seats; place: string }) {
  const format = useFormat()
  const waits = useUnsent(resultsLane(of.id, seats))?.length
  const at = `/marks/${of.examId}/${of.id}`
  return (
    <Line
      to={seats.kind === 'group' ? `${at}/group/${seats.id}` : `${at}/${seats.id}`}
      title={joined([of.subjectName, place])}
      note={format.day(of.examDate)}
      end={waits ? <Status tone="warn">{t('queue.waiting')}</Status> : undefined}
    />
  )
}
