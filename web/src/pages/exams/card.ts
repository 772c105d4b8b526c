import { api, call, type Schemas } from '../../api/client'

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
