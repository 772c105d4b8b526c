// Custom fields: what the school itself wants to know of students, guardians and employees.
import { Button, Group, Text, Textarea } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconForms, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Empty, Status, Trouble } from '../../patterns/feedback'
import { ListPage } from '../../patterns/ListPage'
import { fieldsOf, useDraft, useSave } from '../../patterns/record'
import { SubNav } from '../../patterns/SubNav'
import { settingPages } from './setting-pages'

type Field = Schemas['CustomField']

const subjects = [
  { value: 'STUDENT', label: t('Students') },
  { value: 'GUARDIAN', label: t('Guardians') },
  { value: 'EMPLOYEE', label: t('Employees') },
]
const kinds = [
  { value: 'TEXT', label: t('Text') },
  { value: 'NUMBER', label: t('Number') },
  { value: 'DATE', label: t('Date') },
  { value: 'YES_NO', label: t('Yes or no') },
  { value: 'CHOICE', label: t('Choice') },
]
const word = (of: { value: string; label: string }[], value: string) => of.find((o) => o.value === value)?.label ?? ''
const labels = {
  appliesTo: t('For'),
  label: t('Name'),
  kind: t('Kind'),
  options: t('Options'),
  required: t('Required'),
  inList: t('Shown in the list'),
  personal: t('Personal data'),
}

export function CustomFields() {
  const may = useMay()
  const [, setAddress] = useAddress()
  const add = may('setting', 'write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a field')}
    </Button>
  )
  return (
    <ListPage
      path="/school-admin/custom-field/list"
      title={t('Custom fields')}
      noun={[t('field'), t('fields')]}
      id={(f) => f.id}
      name={(f) => f.label}
      search={t('Name')}
      filters={[
        { key: 'appliesTo', label: labels.appliesTo, options: subjects },
        {
          key: 'retired',
          label: t('Status'),
          options: [
            { value: 'false', label: t('In use') },
            { value: 'true', label: t('Retired') },
          ],
        },
      ]}
      above={<SubNav label={t('Settings')} items={settingPages} />}
      columns={[
        { key: 'label', title: labels.label, cell: (f) => f.label, sort: 'label' },
        { key: 'appliesTo', title: labels.appliesTo, cell: (f) => word(subjects, f.appliesTo), phone: true },
        { key: 'kind', title: labels.kind, cell: (f) => word(kinds, f.kind) },
        { key: 'position', title: t('Place'), cell: (f) => f.position, sort: 'position', end: true },
        { key: 'required', title: labels.required, cell: (f) => (f.required ? t('Yes') : t('No')) },
        { key: 'inList', title: t('In the list'), cell: (f) => (f.inList ? t('Yes') : t('No')) },
        { key: 'personal', title: labels.personal, cell: (f) => (f.personal ? t('Yes') : t('No')) },
        {
          key: 'status',
          title: t('Status'),
          cell: (f) => <Status tone={f.retired ? 'off' : 'good'}>{f.retired ? t('Retired') : t('In use')}</Status>,
        },
      ]}
      primary={add}
      empty={
        <Empty
          icon={<IconForms size={32} stroke={1.2} />}
          title={t('No custom fields yet')}
          text={t(
            'What your school wants to know of students, guardians or employees beyond what is here already. A field is asked for in forms, can be a column of the list, and is read from files you import.',
          )}
          action={add}
          example={t('For example: House, a choice of Blue, Green, Red and Yellow, of students.')}
        />
      }
      drawer={(id, close) =>
        id === 'new' ? <FieldForm close={close} /> : <FieldDrawer id={id} close={close} key={id} />
      }
    />
  )
}

const read = (id: string) => call(api.GET('/school-admin/custom-field/{id}', { params: { path: { id } } }))

function FieldDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({ queryKey: ['/school-admin/custom-field/', id], queryFn: () => read(id) })
  return q.data ? (
    <FieldForm of={q.data} close={close} />
  ) : (
    <Reading error={q.error} retry={() => void q.refetch()} close={close} />
  )
}

const pick = (f?: Field) => ({
  appliesTo: (f?.appliesTo ?? 'STUDENT') as string,
  label: f?.label ?? '',
  kind: (f?.kind ?? 'TEXT') as string,
  options: f?.options ?? ([] as string[]),
  required: f?.required ?? false,
  inList: f?.inList ?? false,
  personal: f?.personal ?? true,
})

/** The options that are said: lines may be empty. */
const said = (options: string[]) => options.map((o) => o.trim()).filter(Boolean)

function FieldForm({ of, close }: { of?: Field; close: () => void }) {
  const may = useMay()
  const draft = useDraft(pick(of))
  const f = fieldsOf(draft)
  const save = useSave({
    draft,
    labels,
    say: { options: (o: string[]) => o.join(', ') },
    version: of?.version,
    save: (c, version) =>
      of
        ? call(
            api.PUT('/school-admin/custom-field/{id}', {
              params: { path: { id: of.id } },
              body: {
                data: {
                  ...(c as Schemas['CustomFieldChange']),
                  ...(c.options && { options: said(c.options) }),
                  version,
                },
              },
            }),
          )
        : call(
            api.POST('/school-admin/custom-field/create', {
              body: {
                data: { ...draft.values, options: said(draft.values.options) } as Schemas['NewCustomField'],
              },
            }),
          ),
    reread:
      of &&
      (async () => {
        const now = await read(of.id)
        return { ...pick(now), version: now.version }
      }),
    onSaved: () => {
      changed('/school-admin/custom-field/')
      if (!of) close()
    },
  })
  return (
    <FormDrawer
      title={of?.label ?? t('Add a field')}
      summary={
        of &&
        t('{kind}, for {people}', { kind: word(kinds, of.kind), people: word(subjects, of.appliesTo).toLowerCase() })
      }
      what={of?.label ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!of}
      locked={!may('setting', 'write')}
      extra={of && may('setting', 'write') && <PlaceAndUse field={of} />}
    >
      <div className="pair">
        {f.text({ k: 'label', label: labels.label, required: true, maxLength: 60 })}
        {!of && f.choice({ k: 'appliesTo', label: labels.appliesTo, data: subjects })}
        {!of && f.choice({ k: 'kind', label: labels.kind, data: kinds, description: t('It cannot be changed later') })}
      </div>
      {draft.values.kind === 'CHOICE' && (
        <Textarea
          label={labels.options}
          description={t('One on each line')}
          autosize
          minRows={3}
          value={draft.values.options.join('\n')}
          error={draft.errors.options ?? Object.entries(draft.errors).find(([k]) => k.startsWith('options['))?.[1]}
          onChange={(e) => draft.set('options', e.currentTarget.value.split('\n'))}
        />
      )}
      {f.yes({
        k: 'required',
        label: labels.required,
        description: t('New records need a value. Records without one stay as they are.'),
      })}
      {draft.values.appliesTo !== 'GUARDIAN' && f.yes({ k: 'inList', label: labels.inList })}
      {f.yes({
        k: 'personal',
        label: labels.personal,
        description: t('Erased when the person is erased.'),
      })}
    </FormDrawer>
  )
}

/** Where the field is among the others, and whether it is asked for. */
function PlaceAndUse({ field }: { field: Field }) {
  const change = useMutation({
    mutationFn: (data: { position?: number; retired?: boolean }) =>
      call(
        api.PUT('/school-admin/custom-field/{id}', {
          params: { path: { id: field.id } },
          body: { data: { ...data, version: field.version } as Schemas['CustomFieldChange'] },
        }),
      ),
    onSuccess: () => changed('/school-admin/custom-field/'),
  })
  const move = (by: number) => change.mutate({ position: field.position + by })
  return (
    <>
      <Text size="sm" c="dimmed" mt={24} mb={8}>
        {field.retired
          ? t('It is retired: forms do not ask for it, and records show the values they have.')
          : t(
              'A retired field is no longer asked for. Records keep and show the values they have, and you can put it back.',
            )}
      </Text>
      <Group gap={8}>
        <Button
          variant="default"
          leftSection={<IconArrowUp size={16} />}
          disabled={field.position === 1 || change.isPending}
          onClick={() => move(-1)}
        >
          {t('Move up')}
        </Button>
        <Button
          variant="default"
          leftSection={<IconArrowDown size={16} />}
          disabled={change.isPending}
          onClick={() => move(1)}
        >
          {t('Move down')}
        </Button>
        <Button variant="default" loading={change.isPending} onClick={() => change.mutate({ retired: !field.retired })}>
          {field.retired ? t('Put back') : t('Retire')}
        </Button>
      </Group>
      <Trouble error={change.error} />
    </>
  )
}
