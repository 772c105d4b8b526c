// What students got: totals, percent, grade and rank, worked out by the server from the marks.
import { Button, Group, NativeSelect, Pagination, Text } from '@mantine/core'
import { IconTrophy } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call, download, openPaper, type Schemas } from '../../api/client'
import { useClasses } from '../../api/queries'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { useDivisionChoices } from '../../patterns/choices'
import { Empty, Lines, Status, Trouble } from '../../patterns/feedback'
import { nameOf, useFormat } from '../../patterns/format'
import { Print } from '../../patterns/Print'
import { outcomeWords } from './card'
import type { Exam } from './exam-form'

const limit = 100

export function Results({ exam }: { exam: Exam }) {
  const format = useFormat()
  const [address, setAddress] = useAddress()
  const classes = useClasses()
  const { choices } = useDivisionChoices()
  const mine = (classes.data ?? []).filter((c) => exam.classIds.includes(c.id))
  const classId = mine.find((c) => c.id === address.class)?.id ?? mine[0]?.id
  const divisionId = choices.find((c) => c.value === address.division && c.classId === classId)?.value
  const page = Math.max(1, Number(address.page) || 1)
  const chosen = {
    ...(classId ? { classId } : {}),
    ...(divisionId ? { divisionId } : {}),
    ...(address.order === 'rank' ? { byRank: 'true' } : {}),
  }
  const q = useQuery({
    queryKey: ['/school-admin/exam/results', exam.id, exam.version, classId, divisionId, page],
    queryFn: () =>
      call(
        api.GET('/school-admin/exam/{id}/results', {
          params: { path: { id: exam.id }, query: { classId, divisionId, page, limit } },
        }),
      ),
    placeholderData: keepPreviousData,
    enabled: !!classId,
  })
  const file = useMutation({
    mutationFn: () => download(`/school-admin/exam/${exam.id}/results.csv`, chosen, `${exam.name}-results.csv`),
  })
  const cards = useMutation({
    mutationFn: (division: string) =>
      openPaper(
        '/school-admin/exam/report-cards',
        {
          divisionId: division,
          academicYearId: exam.academicYearId,
          ...(exam.status === 'PUBLISHED' ? {} : { includeUnpublished: 'true' }),
        },
        'report-cards.pdf',
      ),
  })
  if (!q.data) return q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines n={10} />
  const papers = q.data.papers.filter((p) => p.classId === classId)
  const students =
    address.order === 'rank'
      ? [...q.data.students].sort((a, b) => (a.rank || Infinity) - (b.rank || Infinity))
      : q.data.students
  const filters = (
    <Group gap={8}>
      {mine.length > 1 && (
        <NativeSelect
          aria-label={t('Class')}
          data={mine.map((c) => ({ value: c.id, label: c.name }))}
          value={classId}
          onChange={(e) => setAddress({ class: e.currentTarget.value, division: undefined, page: undefined })}
        />
      )}
      <NativeSelect
        aria-label={t('Division')}
        data={[{ value: '', label: t('All divisions') }, ...choices.filter((c) => c.classId === classId)]}
        value={divisionId ?? ''}
        onChange={(e) => setAddress({ division: e.currentTarget.value || undefined, page: undefined })}
      />
      <NativeSelect
        aria-label={t('Order')}
        data={[
          { value: '', label: t('By roll number') },
          { value: 'rank', label: t('By rank') },
        ]}
        value={address.order === 'rank' ? 'rank' : ''}
        onChange={(e) => setAddress({ order: e.currentTarget.value || undefined })}
      />
    </Group>
  )
  if (q.data.total === 0) {
    return (
      <>
        {mine.length > 1 && <Group mb={12}>{filters}</Group>}
        <div className="panel">
          <Empty
            icon={<IconTrophy size={32} stroke={1.2} />}
            title={t('No results yet')}
            text={t('Totals, percents, grades and ranks are worked out from the marks as soon as there are some.')}
            action={
              <Button variant="default" onClick={() => setAddress({ tab: 'marks' })}>
                {t('To the marks')}
              </Button>
            }
          />
        </div>
      </>
    )
  }
  return (
    <>
      <Group justify="space-between" mb={12} gap={8} className="no-print">
        {filters}
        <Group gap={8}>
          <Button variant="default" loading={file.isPending} onClick={() => file.mutate()}>
            {t('CSV')}
          </Button>
          {divisionId && (
            <Button variant="default" loading={cards.isPending} onClick={() => cards.mutate(divisionId)}>
              {t('Report cards')}
            </Button>
          )}
          <Print path={`/school-admin/exam/${exam.id}/results.pdf`} query={chosen} name={`${exam.name}-results.pdf`} />
        </Group>
      </Group>
      <Trouble error={file.error ?? cards.error} />
      <div className="panel">
        <div className="list-scroll sheet-scroll" tabIndex={0} role="region" aria-label={t('Results')}>
          <table className="list sheet results-sheet" data-stale={q.isPlaceholderData || undefined}>
            <thead>
              <tr>
                <th scope="col" className="end">
                  {t('Rank')}
                </th>
                <th scope="col" className="who">
                  {t('Student')}
                </th>
                <th scope="col">{t('Class')}</th>
                {papers.map((p) => (
                  <th key={p.id} scope="col" className="end">
                    {p.subjectName}
                    <small>{t('of {maxMarks}', { maxMarks: format.number(p.maxMarks) })}</small>
                  </th>
                ))}
                <th scope="col" className="end">
                  {t('Total')}
                </th>
                <th scope="col" className="end">
                  {t('Percent')}
                </th>
                <th scope="col">{t('Grade')}</th>
                <th scope="col">{t('Outcome')}</th>
              </tr>
            </thead>
            <tbody>
              {students.map((s) => (
                <tr key={s.studentId}>
                  <td className="end figures">{s.rank || '–'}</td>
                  <th scope="row" className="who">
                    <Link
                      to="/exams/report-card/$id"
                      params={{ id: s.studentId } as never}
                      search={
                        { year: exam.academicYearId, draft: exam.status === 'PUBLISHED' ? undefined : 'yes' } as never
                      }
                    >
                      {nameOf(s)}
                    </Link>
                  </th>
                  <td>
                    {s.className} {s.divisionName}
                  </td>
                  {papers.map((p) => {
                    const r = s.results.find((x) => x.paperId === p.id)
                    return (
                      <td key={p.id} className="end figures" data-failed={r && !r.isPass ? true : undefined}>
                        {cell(s, p.id) || '–'}
                        {r?.grade && <small className="grade">{r.grade}</small>}
                      </td>
                    )
                  })}
                  <td className="end figures">
                    {format.number(s.obtained)}
                    <small className="grade">/{format.number(s.maxMarks)}</small>
                  </td>
                  <td className="end figures">{s.percent === null ? '–' : format.number(s.percent)}</td>
                  <td>{s.grade || '–'}</td>
                  <td>
                    <Status tone={s.outcome === 'INCOMPLETE' ? 'off' : s.isPass ? 'good' : 'bad'}>
                      {outcomeWords[s.outcome] ?? s.outcome}
                    </Status>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
      <Group justify="space-between" mt={12} className="no-print">
        <Text size="sm" c="dimmed">
          {t('{total} students. A name opens the report card.', { total: format.number(q.data.total) })}
        </Text>
        {q.data.totalPages > 1 && (
          <Pagination
            size="sm"
            total={q.data.totalPages}
            value={page}
            onChange={(p) => setAddress({ page: p === 1 ? undefined : String(p) })}
          />
        )}
      </Group>
    </>
  )
}

function cell(s: { results: Schemas['PaperResult'][] }, paperId: string): string {
  const r = s.results.find((x) => x.paperId === paperId)
  return !r ? '' : r.isAbsent ? 'AB' : r.isExempt ? 'EX' : String(r.marksObtained ?? '')
}
