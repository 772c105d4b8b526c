import { api, call, type Schemas } from '../../api/client'
import { type Key, t } from '../../messages/messages'
import { useFormat } from '../format'
import { useRead } from '../read'
import { useAddress } from '../route'
import { Card, Choices, Empty, Shown, Status } from '../ui'
import { SchoolPage } from './children'
import { OpenPaper } from './paper'

type Marks = Schemas['ChildMarks']

export const useResults = (student: string, year?: string) =>
  useRead(['/parent/exam/results', student, year ?? ''], () =>
    call(
      api.GET('/parent/exam/results', {
        params: { query: { studentId: student, ...(year && { academicYearId: year }) } },
      }),
    ),
  )

/** A child's published results, of this year or of an earlier one. */
export function Results({ student }: { student: string }) {
  return (
    <SchoolPage student={student} tab="results" title={t('school.results')}>
      {(child) => <Years student={child.id} />}
    </SchoolPage>
  )
}

function Years({ student }: { student: string }) {
  const { query } = useAddress()
  const now = useResults(student)
  const years = now.data?.years ?? []
  const isThisYears = years.some((y) => y.active) || (now.data?.exams.length ?? 0) > 0
  // When a year has turned and nothing is published yet, the last one is shown.
  const year = query.get('year') ?? (isThisYears ? undefined : years[0]?.id)
  const read = useResults(student, year)
  const current = year ?? years.find((y) => y.active)?.id
  return (
    <>
      <Choices
        label={t('results.years')}
        of={years.map((y) => ({ id: y.id, name: y.name, current: y.id === current }))}
        to={(id) => `/school/${student}/results?year=${id}`}
      />
      <Shown of={read} lines={6} dated>
        {({ exams }) =>
          exams.length === 0 ? (
            <Empty text={t('results.none')} />
          ) : (
            <>
              <Card label={t('results.card')}>
                <h2>{t('results.card')}</h2>
                <p className="note">{years.find((y) => y.id === current)?.name}</p>
                <OpenPaper
                  path="/parent/exam/report-card"
                  query={{ studentId: student, ...(current && { academicYearId: current }) }}
                  name={t('results.openCard')}
                  file="report-card.pdf"
                />
              </Card>
              {exams.map((e) => (
                <Exam key={e.examId} of={e} />
              ))}
            </>
          )
        }
      </Shown>
    </>
  )
}

const outcomes: Record<string, [Key, 'good' | 'bad' | 'warn']> = {
  PASSED: ['results.passed', 'good'],
  PASSED_WITH_GRACE: ['results.passedWithGrace', 'good'],
  COMPARTMENT: ['results.compartment', 'warn'],
  FAILED: ['results.failed', 'bad'],
}

function Exam({ of }: { of: Marks }) {
  const format = useFormat()
  const outcome = outcomes[of.outcome]
  return (
    <Card label={of.examName}>
      <div className="between">
        <h2>{of.examName}</h2>
        {outcome && <Status tone={outcome[1]}>{t(outcome[0])}</Status>}
      </div>
      {of.percent !== null && (
        <p className="amount">
          {format.percent(of.percent)} {of.grade}
        </p>
      )}
      {of.missing > 0 && <p className="note">{t('results.missing', { count: of.missing })}</p>}
      {of.rank > 0 && (
        <p className="note">{t('results.rank', { rank: format.number(of.rank), of: format.number(of.outOf) })}</p>
      )}
      <ul className="rows">
        {of.results.map((r) => (
          <li key={r.id} className="between">
            <span className="grow">
              <span className="line-title">{r.subjectName}</span>
              {r.remark && <span className="note">{r.remark}</span>}
            </span>
            <Mark of={r} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Mark({ of }: { of: Schemas['PaperResult'] }) {
  const format = useFormat()
  if (of.isAbsent) return <Status tone="warn">{t('mark.absent')}</Status>
  if (of.isExempt || of.marksObtained === null)
    return <span className="note">{of.isExempt ? t('results.exempt') : of.grade}</span>
  return (
    <span className="nowrap">
      <bdi className="strong">
        {format.number(of.marksObtained)} / {format.number(of.maxMarks)}
      </bdi>{' '}
      {of.grade} {!of.isPass && <Status tone="bad">{t('results.failed')}</Status>}
    </span>
  )
}
