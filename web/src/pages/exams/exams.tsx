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
      Add an exam
    </Button>
  )
  return (
    <>
      <ListPage
        path="/school-admin/exam/list"
        title="Exams"
        noun={['exam', 'exams']}
        id={(e) => e.id}
        name={(e) => e.name}
        search="Name"
        fixed={year ? { academicYearId: year.id } : undefined}
        filters={[
          {
            key: 'status',
            label: 'State',
            options: [
              { value: 'DRAFT', label: 'no papers yet' },
              { value: 'SCHEDULED', label: 'scheduled' },
              { value: 'PUBLISHED', label: 'results published' },
            ],
          },
          {
            key: 'classId',
            label: 'Class',
            options: (classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
          },
          { key: 'termId', label: 'Term', options: (terms.data ?? []).map((t) => ({ value: t.id, label: t.name })) },
        ]}
        columns={[
          {
            key: 'name',
            title: 'Name',
            cell: (e) => (
              <Link to="/exams/$id" params={{ id: e.id } as never} className="row-name">
                {e.name}
              </Link>
            ),
            sort: 'name',
          },
          { key: 'classes', title: 'Classes', cell: (e) => names(e.classIds, '') },
          {
            key: 'when',
            title: 'When',
            cell: (e) => [e.startDate, e.endDate].filter(Boolean).map(format.date).join(' – '),
            sort: 'startDate',
            phone: true,
          },
          { key: 'papers', title: 'Papers', cell: (e) => format.number(e.paperCount), end: true },
          { key: 'term', title: 'Term', cell: (e) => terms.data?.find((t) => t.id === e.termId)?.name ?? '' },
          { key: 'weight', title: 'Weight', cell: (e) => format.number(e.weight ?? 1), end: true, hidden: true },
          {
            key: 'status',
            title: 'State',
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
                More
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {year && may('result', 'read') && <Menu.Item onClick={() => setCards(true)}>Report cards…</Menu.Item>}
              <Menu.Item component={Link} to="/exams/terms">
                Terms and weights
              </Menu.Item>
              <Menu.Item component={Link} to="/exams/scales">
                Grade scales
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        }
        empty={
          <Empty
            icon={<IconCertificate size={32} stroke={1.2} />}
            title={year ? `No exams in ${year.name} yet` : 'No academic year yet'}
            text="An exam has classes and papers; marks are entered per paper, graded by the class's scale, and shown to parents when you publish them."
            action={
              year ? (
                may('exam', 'write') && add
              ) : (
                <Button component={Link} to="/years" search={{ open: 'new' } as never}>
                  Add a year
                </Button>
              )
            }
            example="For example: Half-yearly, of classes 5 to 8, from 3 to 14 October."
          />
        }
      />
      {cards && <ReportCardsDialog year={year!.id} close={() => setCards(false)} />}
      <SideDrawer opened={address.open === 'new'} close={() => setAddress({ open: undefined })} label="New exam">
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
