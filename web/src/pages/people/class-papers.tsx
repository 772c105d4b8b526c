import { Checkbox, Group, NumberInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../messages/console'
import { DivisionSelect, PaperDialog, PerPage } from '../../patterns/PaperDialog'

const columns = [
  { value: 'ROLL_NUMBER', label: t('Roll number') },
  { value: 'ADMISSION_NUMBER', label: t('Admission no.') },
  { value: 'GENDER', label: t('Gender') },
  { value: 'DATE_OF_BIRTH', label: t('Date of birth') },
  { value: 'GUARDIAN', label: t('Guardian') },
  { value: 'PHONE', label: t('Phone') },
]

/** A division's list, with columns to tick. */
export function ClassListDialog({ division: first, close }: { division?: string; close: () => void }) {
  const [division, setDivision] = useState(first ?? '')
  const [shown, setShown] = useState(['ROLL_NUMBER', 'GUARDIAN', 'PHONE'])
  const [blank, setBlank] = useState(5)
  const [title, setTitle] = useState('')
  return (
    <PaperDialog
      title={t('Print a class list')}
      close={close}
      ready={!!division && shown.length > 0}
      paper={() => [
        `/school-admin/division/${division}/class-list`,
        { columns: shown.join(','), blankColumns: String(blank), ...(title.trim() && { title: title.trim() }) },
        'class-list.pdf',
      ]}
    >
      <DivisionSelect value={division} onChange={setDivision} />
      <Checkbox.Group label={t('Beside the name')} value={shown} onChange={setShown}>
        <Group gap={12} mt={6}>
          {columns.map((c) => (
            <Checkbox key={c.value} value={c.value} label={c.label} />
          ))}
        </Group>
      </Checkbox.Group>
      <NumberInput
        label={t('Empty columns')}
        description={t('To tick or write in')}
        min={0}
        max={20}
        value={blank}
        onChange={(n) => setBlank(Number(n) || 0)}
      />
      <TextInput
        label={t('What the list is for')}
        placeholder={t('Trip to the zoo')}
        maxLength={100}
        value={title}
        onChange={(e) => setTitle(e.currentTarget.value)}
      />
    </PaperDialog>
  )
}

/** The ID cards of a division. */
export function IDCardsDialog({ division: first, close }: { division?: string; close: () => void }) {
  const [division, setDivision] = useState(first ?? '')
  const [perPage, setPerPage] = useState('8')
  return (
    <PaperDialog
      title={t('Print ID cards')}
      close={close}
      ready={!!division}
      paper={() => ['/school-admin/student/id-cards', { divisionId: division, perPage }, 'id-cards.pdf']}
    >
      <DivisionSelect value={division} onChange={setDivision} />
      <PerPage value={perPage} onChange={setPerPage} />
    </PaperDialog>
  )
}
