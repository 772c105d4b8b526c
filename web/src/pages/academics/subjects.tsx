import { Button } from '@mantine/core'
import { IconBook2, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call, done, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Empty } from '../../patterns/feedback'
import { ListPage } from '../../patterns/ListPage'
import { fieldsOf, useDraft, useSave } from '../../patterns/record'
import { words } from '../../patterns/words'

const subjectTypes = ['CORE', 'ELECTIVE', 'CO_SCHOLASTIC'].map((value) => ({ value, label: words(value) }))
const subjectLabels = {
  name: t('Name'),
  code: t('Code'),
  type: 'Kind',
  maxMarks: t('Full marks'),
  passMarks: t('Marks to pass'),
}

export function Subjects() {
  const may = useMay()
  const [, setAddress] = useAddress()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a subject')}
    </Button>
  )
  return (
    <ListPage
      path="/school-admin/subject/list"
      title={t('Subjects')}
      noun={[t('subject'), t('subjects')]}
      id={(s) => s.id}
      name={(s) => s.name}
      search={t('Name or code')}
      filters={[{ key: 'type', label: t('Kind'), options: subjectTypes }]}
      columns={[
        { key: 'name', title: t('Name'), cell: (s) => s.name, sort: 'name' },
        { key: 'code', title: t('Code'), cell: (s) => s.code, sort: 'code', phone: true },
        { key: 'type', title: t('Kind'), cell: (s) => words(s.type) },
        {
          key: 'max',
          title: t('Full marks'),
          cell: (s) => s.maxMarks ?? '',
          end: true,
        },
        {
          key: 'pass',
          title: t('To pass'),
          cell: (s) => s.passMarks ?? '',
          end: true,
        },
      ]}
      primary={may('subject', 'write') && add}
      more={
        may('class', 'read') && (
          <Button component={Link} to="/groups" variant="default">
            {t('Electives and groups')}
          </Button>
        )
      }
      empty={
        <Empty
          icon={<IconBook2 size={32} stroke={1.2} />}
          title={t('No subjects yet')}
          text={t('What is taught. A class takes some of them, and a lesson in the timetable is one.')}
          action={may('subject', 'write') && add}
          example={t('For example: Mathematics, code MATH, 100 marks, 35 to pass.')}
        />
      }
      drawer={(id, close) =>
        id === 'new' ? <SubjectForm close={close} /> : <SubjectDrawer id={id} close={close} key={id} />
      }
    />
  )
}

function SubjectDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({
    queryKey: ['/school-admin/subject/', id],
    queryFn: () => call(api.GET('/school-admin/subject/{id}', { params: { path: { id } } })),
  })
  return q.data ? (
    <SubjectForm of={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

function SubjectForm({ of, close }: { of?: Schemas['Subject']; close: () => void }) {
  const may = useMay()
  const pick = (s?: Schemas['Subject']) => ({
    name: s?.name ?? '',
    code: s?.code ?? '',
    type: (s?.type ?? 'CORE') as string,
    maxMarks: s?.maxMarks ?? null,
    passMarks: s?.passMarks ?? null,
  })
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const add = (v: typeof draft.values) =>
    call(api.POST('/school-admin/subject/create', { body: { data: v as Schemas['SubjectFields'] } }))
  const save = useSave({
    draft,
    labels: subjectLabels,
    version: of?.version,
    save: (c, version, v) =>
      of
        ? call(
            api.PUT('/school-admin/subject/{id}', {
              params: { path: { id: of.id } },
              body: { data: { ...(c as Schemas['SubjectChange']), version } },
            }),
          )
        : add(v),
    reread:
      of &&
      (async () => {
        const now = await call(api.GET('/school-admin/subject/{id}', { params: { path: { id: of.id } } }))
        return { ...pick(now), version: now.version }
      }),
    onSaved: () => {
      changed('/school-admin/subject/')
      if (!of) close()
    },
  })
  return (
    <FormDrawer
      title={of?.name ?? t('Add a subject')}
      what={of?.name ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!of}
      remove={
        of && may('subject', 'delete')
          ? () => done(api.DELETE('/school-admin/subject/{id}', { params: { path: { id: of.id } } }))
          : undefined
      }
      restore={() => add(pick(of))}
    >
      <div className="pair">
        {f.text({ k: 'name', label: subjectLabels.name, required: true })}
        {f.text({ k: 'code', label: subjectLabels.code, required: true })}
        {f.choice({ k: 'type', label: subjectLabels.type, data: subjectTypes })}
        <span />
        {f.number({ k: 'maxMarks', label: subjectLabels.maxMarks, min: 1 })}
        {f.number({ k: 'passMarks', label: subjectLabels.passMarks, min: 0 })}
      </div>
    </FormDrawer>
  )
}
