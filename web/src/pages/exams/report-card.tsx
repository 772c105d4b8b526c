// A student's report card on the screen, and as the paper that the service makes and parents get.
import { Alert, Button, Group, NativeSelect, Switch, Text, Title } from '@mantine/core'
import { IconArrowLeft, IconDownload, IconPrinter } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { download, openPaper, type Schemas } from '../../api/client'
import { useAddress } from '../../patterns/address'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { Facts } from '../../patterns/record'
import { useYear } from '../../shell/year'
import { type Card, outcomeWords, readCard } from './card'
import { CardRemarks } from './remark'
import '../../day.css'
import { t } from '../../messages/console'

export function ReportCardPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const [address, setAddress] = useAddress()
  const { years, year } = useYear()
  const yearId = years.find((y) => y.id === address.year)?.id ?? year?.id
  const unpublished = address.draft === 'yes'
  const q = useQuery({
    queryKey: ['/school-admin/exam/report-card', id, yearId, unpublished],
    queryFn: () => readCard(id, { academicYearId: yearId, includeUnpublished: unpublished }),
    enabled: !!yearId,
  })
  const pdf = useMutation({
    mutationFn: (take: typeof download) =>
      take(
        `/school-admin/exam/report-card/${id}`,
        { format: 'pdf', academicYearId: yearId ?? '', ...(unpublished ? { includeUnpublished: 'true' } : {}) },
        `report-card-${q.data?.student.admissionNumber}.pdf`,
      ),
  })
  return (
    <div className="page">
      <Group gap={4} mb={4} className="no-print">
        <Link to="/exams" className="quiet-link">
          <IconArrowLeft size={14} /> {t('Exams')}
        </Link>
      </Group>
      <Group justify="space-between" mb={16} gap={12} className="no-print">
        <Title order={1}>{t('Report card')}</Title>
        <Group gap={8}>
          <Switch
            label={t('Before publication')}
            checked={unpublished}
            onChange={(e) => setAddress({ draft: e.currentTarget.checked ? 'yes' : undefined })}
          />
          {years.length > 1 && (
            <NativeSelect
              aria-label={t('Academic year')}
              data={years.map((y) => ({ value: y.id, label: y.name }))}
              value={yearId}
              onChange={(e) => setAddress({ year: e.currentTarget.value })}
            />
          )}
          <Button
            variant="default"
            leftSection={<IconPrinter size={16} stroke={1.6} />}
            disabled={!q.data}
            onClick={() => pdf.mutate(openPaper)}
          >
            {t('Print')}
          </Button>
          <Button
            leftSection={<IconDownload size={16} stroke={1.6} />}
            loading={pdf.isPending}
            disabled={!q.data}
            onClick={() => pdf.mutate(download)}
          >
            {t('PDF')}
          </Button>
        </Group>
      </Group>
      {pdf.error && (
        <Group mb={12}>
          <Trouble error={pdf.error} />
        </Group>
      )}
      {q.data ? (
        <Sheet card={q.data} unpublished={unpublished} />
      ) : q.error ? (
        <Trouble error={q.error} retry={() => void q.refetch()} />
      ) : (
        <Lines n={10} />
      )}
    </div>
  )
}

function Sheet({ card, unpublished }: { card: Card; unpublished: boolean }) {
  const format = useFormat()
  const s = card.student
  const percent = (p: number | null) => (p === null ? '–' : `${format.number(p)} %`)
  return (
    <article className="panel report-card" aria-label={t('Report card of {name}', { name: nameOf(s) })}>
      <header>
        <Text fw={600} size="xl">
          {card.schoolName}
        </Text>
        <Text c="dimmed">{t('Report card, {academicYearName}', { academicYearName: card.academicYearName })}</Text>
      </header>
      {unpublished && (
        <Alert variant="light" className="no-print" mb={16} title={t('Results that are not published are counted in')}>
          {t('Parents do not see this card yet.')}
        </Alert>
      )}
      <div className="card-who">
        <Facts
          of={[
            [t('Name'), nameOf(s)],
            [t('Class'), s.className ? `${s.className} ${s.divisionName}` : ''],
            [t('Roll number'), s.rollNumber ?? ''],
          ]}
        />
        <Facts
          of={[
            [t('Admission no.'), s.admissionNumber],
            [t('Born on'), format.date(s.dateOfBirth)],
            [t('Guardians'), s.guardians.join(', ')],
          ]}
        />
      </div>
      {card.exams.length === 0 ? (
        <Empty
          title={t('No results yet')}
          text={
            unpublished
              ? t('Nothing was entered for this student in the year.')
              : t('Nothing is published for this student in the year. "Before publication" shows what is entered.')
          }
        />
      ) : (
        <>
          {card.exams.map((e) => (
            <ExamTable key={e.examId} exam={e} term={card.terms.find((t) => t.termId === e.termId && t.termId)?.name} />
          ))}
          <div className="card-sum">
            {card.terms.length > 1 &&
              card.terms.map((it) => (
                <div key={it.termId ?? ''}>
                  <Text size="sm" c="dimmed">
                    {it.name || t('Other exams')}
                  </Text>
                  <Text fw={600} size="lg" className="figures">
                    {percent(it.percent)} {it.grade}
                  </Text>
                </div>
              ))}
            <div>
              <Text size="sm" c="dimmed">
                {t('The year so far')}
              </Text>
              <Text fw={600} size="lg" className="figures">
                {percent(card.overall.percent)} {card.overall.grade}
              </Text>
            </div>
            <div>
              <Text size="sm" c="dimmed">
                {t('Rank in the class')}
              </Text>
              <Text fw={600} size="lg" className="figures">
                {card.overall.rank
                  ? t('{rank} of {outOf}', { rank: card.overall.rank, outOf: card.overall.outOf })
                  : '–'}
              </Text>
            </div>
            <div>
              <Text size="sm" c="dimmed">
                {t('Outcome')}
              </Text>
              <Text fw={600} size="lg">
                {outcomeWords[card.overall.outcome] ?? card.overall.outcome}
                {card.overall.failedSubjects.length > 0 && `: ${card.overall.failedSubjects.join(', ')}`}
              </Text>
            </div>
            {card.attendance && (
              <div>
                <Text size="sm" c="dimmed">
                  {t('Attendance')}
                </Text>
                <Text fw={600} size="lg" className="figures">
                  {card.attendance.marked
                    ? t('{present} of {marked} days marked', {
                        present: format.number(card.attendance.present),
                        marked: format.number(card.attendance.marked),
                      })
                    : '–'}
                </Text>
              </div>
            )}
          </div>
        </>
      )}
      <CardRemarks key={`${s.id} ${card.academicYearId}`} card={card} />
      <footer>
        <span>{t('As of {asOf}', { asOf: format.date(card.asOf) })}</span>
      </footer>
    </article>
  )
}

function ExamTable({ exam, term }: { exam: Schemas['CardExam']; term?: string }) {
  const format = useFormat()
  return (
    <section>
      <Title order={2} mb={8}>
        {exam.name}
        {term && (
          <Text span c="dimmed" size="md" fw={400}>
            {' '}
            · {term}
          </Text>
        )}
      </Title>
      <table className="list card-table">
        <thead>
          <tr>
            <th scope="col">{t('Subject')}</th>
            <th scope="col" className="end">
              {t('Marks')}
            </th>
            <th scope="col" className="end">
              {t('Of')}
            </th>
            <th scope="col">{t('Grade')}</th>
            <th scope="col">{t('Remark')}</th>
          </tr>
        </thead>
        <tbody>
          {exam.results.map((r) => (
            <tr key={r.id}>
              <td>
                {r.subjectName}
                {r.subjectType === 'CO_SCHOLASTIC' && (
                  <Text span size="xs" c="dimmed">
                    {' '}
                    {t('graded only')}
                  </Text>
                )}
              </td>
              <td className="end figures" data-failed={!r.isPass || undefined}>
                {r.isAbsent ? t('Absent') : r.isExempt ? t('Exempt') : format.number(r.marksObtained ?? 0)}
              </td>
              <td className="end figures">{format.number(r.maxMarks)}</td>
              <td>{r.grade || '–'}</td>
              <td className="wrap">{r.remark}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('Total')}</th>
            <td className="end figures">{format.number(exam.obtained)}</td>
            <td className="end figures">{format.number(exam.maxMarks)}</td>
            <td>{exam.grade || '–'}</td>
            <td>
              {exam.rank
                ? t('{percent}, rank {rank} of {outOf}', {
                    percent:
                      exam.outcome === 'INCOMPLETE'
                        ? t('Incomplete')
                        : exam.percent === null
                          ? ''
                          : `${format.number(exam.percent)} %`,
                    rank: exam.rank,
                    outOf: exam.outOf,
                  })
                : `${
                    exam.outcome === 'INCOMPLETE'
                      ? t('Incomplete')
                      : exam.percent === null
                        ? ''
                        : `${format.number(exam.percent)} %`
                  }`}
            </td>
          </tr>
        </tfoot>
      </table>
    </section>
  )
}
