import { Button, Menu } from '@mantine/core'
import { IconCertificate, IconChevronDown, IconPlus } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useClasses } from '../../api/queries'
import { useMay } from '../../api/session'
import { useAddress, useNextPage } from '../../patterns/address'
import { useClassNames } from '../../patterns/ClassTicks'
import { Empty } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage, SideDrawer } from '../../patterns/ListPage'
import { useYear } from '../../shell/year'
import { ExamForm, ExamStatus, useTerms } from './exam-form'
import { ReportCardsDialog } from './report-cards'
import '../../day.css'
import { t } from '../../messages/console'

export function Exams() {
  const may = useMay()
  const format = useFormat()
  const navigate = useNavigate()
  useNextPage('/exams/$id')
  const names = useClassNames()
  const classes = useClasses()
  const { year } = useYear()
  const terms = useTerms(year?.id)
  const [address, setAddress] = useAddress()
  const [cards, setCards] = useState(false)
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add an exam')}
    </Button>
  )
  return (
    <>
      <ListPage
        path="/school-admin/exam/list"
        title={t('Exams')}
        noun={[t('exam'), t('exams')]}
        id={(e) => e.id}
        name={(e) => e.name}
        search={t('Name')}
        fixed={year ? { academicYearId: year.id } : undefined}
        filters={[
          {
            key: 'status',
            label: t('State'),
            options: [
              { value: 'DRAFT', label: t('no papers yet') },
              { value: 'SCHEDULED', label: t('scheduled') },
              { value: 'PUBLISHED', label: t('results published') },
            ],
          },
          {
            key: 'classId',
            label: t('Class'),
            options: (classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
          },
          { key: 'termId', label: t('Term'), options: (terms.data ?? []).map((t) => ({ value: t.id, label: t.name })) },
        ]}
        columns={[
          {
            key: 'name',
            title: t('Name'),
            cell: (e) => (
              <Link to="/exams/$id" params={{ id: e.id } as never} className="row-name">
                {e.name}
              </Link>
            ),
            sort: 'name',
          },
          { key: 'classes', title: t('Classes'), cell: (e) => names(e.classIds, '') },
          {
            key: 'when',
            title: t('When'),
            cell: (e) => [e.startDate, e.endDate].filter(Boolean).map(format.date).join(' – '),
            sort: 'startDate',
            phone: true,
          },
          { key: 'papers', title: t('Papers'), cell: (e) => format.number(e.paperCount), end: true },
          { key: 'term', title: t('Term'), cell: (e) => terms.data?.find((t) => t.id === e.termId)?.name ?? '' },
          { key: 'weight', title: t('Weight'), cell: (e) => format.number(e.weight ?? 1), end: true, hidden: true },
          {
            key: 'status',
            title: t('State'),
            cell: (e) => <ExamStatus exam={e} />,
            sort: 'status',
            phone: true,
          },
        ]}
        primary={may('exam', 'write') && add}
        more={
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" rightSection={<IconChevronDown size={14} />}>
                {t('More')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {year && may('result', 'read') && (
                <Menu.Item onClick={() => setCards(true)}>{t('Report cards…')}</Menu.Item>
              )}
              <Menu.Item component={Link} to="/exams/terms">
                {t('Terms and weights')}
              </Menu.Item>
              <Menu.Item component={Link} to="/exams/scales">
                {t('Grade scales')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        }
        empty={
          <Empty
            icon={<IconCertificate size={32} stroke={1.2} />}
            title={year ? t('No exams in {name} yet', { name: year.name }) : t('No academic year yet')}
            text={t(
              "An exam has classes and papers; marks are entered per paper, graded by the class's scale, and shown to parents when you publish them.",
            )}
            action={
              year ? (
                may('exam', 'write') && add
              ) : (
                <Button component={Link} to="/years" search={{ open: 'new' } as never}>
                  {t('Add a year')}
                </Button>
              )
            }
            example={t('For example: Half-yearly, of classes 5 to 8, from 3 to 14 October.')}
          />
        }
      />
      {cards && <ReportCardsDialog year={year!.id} close={() => setCards(false)} />}
      <SideDrawer opened={address.open === 'new'} close={() => setAddress({ open: undefined })} label={t('New exam')}>
        {address.open === 'new' && (
          <ExamForm
            close={() => setAddress({ open: undefined })}
            onSaved={(e) => void navigate({ to: '/exams/$id', params: { id: e.id } as never })}
          />
        )}
      </SideDrawer>
    </>
  )
}
