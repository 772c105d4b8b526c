import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../messages/console'
import { DivisionSelect, PaperDialog } from '../../patterns/PaperDialog'

/** The report cards of a division, one after another. */
export function ReportCardsDialog({ year, close }: { year: string; close: () => void }) {
  const [division, setDivision] = useState('')
  const [unpublished, setUnpublished] = useState(false)
  return (
    <PaperDialog
      title={t('Print report cards')}
      close={close}
      ready={!!division}
      paper={() => [
        '/school-admin/exam/report-cards',
        { divisionId: division, academicYearId: year, ...(unpublished && { includeUnpublished: 'true' }) },
        'report-cards.pdf',
      ]}
    >
      <DivisionSelect value={division} onChange={setDivision} />
      <Checkbox
        label={t('With results that are not published yet')}
        checked={unpublished}
        onChange={(e) => setUnpublished(e.currentTarget.checked)}
      />
    </PaperDialog>
  )
}
