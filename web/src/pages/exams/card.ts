import { api, call, type Schemas } from '../../api/client'
import { t } from '../../messages/console'

export type Card = Schemas['ReportCard']

/** The card as data; the same address gives the printed one. */
export function readCard(
  studentId: string,
  query: { academicYearId?: string; includeUnpublished?: boolean },
): Promise<Card> {
  return call(
    api.GET('/school-admin/exam/report-card/{studentId}', {
      params: { path: { studentId }, query },
    }) as unknown as Promise<{ data?: { data: Card }; error?: unknown; response: Response }>,
  )
}

/** What became of an exam or a year, in words. */
export const outcomeWords: Record<string, string> = {
  PASSED: t('Passed'),
  PASSED_WITH_GRACE: t('Passed with grace marks'),
  COMPARTMENT: t('To sit again'),
  FAILED: t('Not passed'),
  INCOMPLETE: t('Incomplete'),
}
