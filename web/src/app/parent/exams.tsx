import { api, call, type Schemas } from '../../api/client'
import { t } from '../../messages/messages'
import { useFormat } from '../format'
import { useRead } from '../read'
import { Card, Parts, Shown } from '../ui'
import { SchoolPage } from './children'

type Paper = Schemas['Paper']

export const usePapers = (student: string) =>
  useRead(['/parent/exam/schedule', student], async () => {
    const all = await call(api.GET('/parent/exam/schedule', { params: { query: { studentId: student } } }))
    const began = (p: Paper) => `${p.examDate} ${p.startTime}`
    return { ...all, papers: [...all.papers].sort((a, b) => began(a).localeCompare(began(b))) }
  })

/** The papers a child sits, by exam: those to come first. */
export function Exams({ student }: { student: string }) {
  return (
    <SchoolPage student={student} tab="exams" title={t('school.exams')}>
      {(child) => <Papers student={child.id} />}
    </SchoolPage>
  )
}

function Papers({ student }: { student: string }) {
  const format = useFormat()
  const read = usePapers(student)
  const today = format.today()
  return (
    <Shown of={read} lines={6} isEmpty={(d) => d.papers.length === 0} empty="exams.none">
      {({ papers }) => {
        const exams = [...new Map(papers.map((p) => [p.examId, p.examName]))].map(([id, name]) => {
          const its = papers.filter((p) => p.examId === id)
          return { id, name, its, isOver: its.every((p) => p.examDate < today) }
        })
        return exams
          .sort((a, b) => Number(a.isOver) - Number(b.isOver))
          .map((exam) => (
            <Card key={exam.id} label={exam.name}>
              <div className="between">
                <h2>{exam.name}</h2>
                {exam.isOver && <span className="note">{t('exams.over')}</span>}
              </div>
              <ol className="rows">
                {exam.its.map((p) => (
                  <PaperRow key={p.id} of={p} />
                ))}
              </ol>
            </Card>
          ))
      }}
    </Shown>
  )
}

function PaperRow({ of }: { of: Paper }) {
  const format = useFormat()
  const times = [of.startTime, of.endTime].filter(Boolean).map(format.clock).join(' – ')
  return (
    <li>
      <span className="line-title">{of.subjectName}</span>
      <span className="note">
        <Parts of={[format.day(of.examDate), times]} />
      </span>
      <span className="note">
        <Parts
          of={[
            of.room && t('timetable.room', { room: of.room }),
            of.maxMarks > 0 && t('exams.outOf', { marks: format.number(of.maxMarks) }),
          ]}
        />
      </span>
    </li>
  )
}
