import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, call, type Schemas } from '../api/client'
import { changed } from '../api/queries'
import { useMay, useSession } from '../api/session'
import { Lines, Trouble } from '../patterns/feedback'
import { Facts, fieldsOf, SaveBar, useDraft, useSave } from '../patterns/record'

const labels = { admissionNumberPattern: 'Admission numbers', evaluationMode: 'Evaluation mode', evaluationModeReason: 'Reason' }
type Fields = { admissionNumberPattern: string; evaluationMode: boolean; evaluationModeReason: string }
const pick = (s: Schemas['Setting']): Fields => ({ admissionNumberPattern: s.admissionNumberPattern, evaluationMode: s.evaluationMode, evaluationModeReason: s.evaluationModeReason })
const read = () => call(api.GET('/school-admin/setting'))

export function Settings() {
  const { school } = useSession()
  const q = useQuery({ queryKey: ['/school-admin/setting'], queryFn: read })
  return (
    <div className="page">
      <Title order={1} mb={16}>Settings</Title>
      <Stack gap={24} className="reading">
        <section className="panel" aria-labelledby="the-school">
          <Stack p={16} gap={16}>
            <Title order={2} id="the-school">The school</Title>
            <Facts of={[['Name', school?.name], ['Code', school?.code], ['Time zone', school?.timeZone], ['Currency', school?.currency], ['Language', school?.locale]]} />
            <Text size="sm" c="dimmed">These are kept by the platform. Ask its operators to change them.</Text>
          </Stack>
        </section>
        {q.data ? <Form setting={q.data} /> : q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}
      </Stack>
    </div>
  )
}

function Form({ setting }: { setting: Schemas['Setting'] }) {
  const may = useMay()
  const draft = useDraft<Fields>(pick(setting))
  const f = fieldsOf(draft)
  const save = useSave({
    draft,
    labels,
    version: setting.version,
    save: (c, version) => call(api.PUT('/school-admin/setting', { body: { data: { ...c, version } } })),
    reread: async () => {
      const now = await read()
      return { ...pick(now), version: now.version }
    },
    onSaved: () => changed('/school-admin/setting'),
  })
  return (
    <form className="panel" onSubmit={(e) => { e.preventDefault(); save.submit() }}>
      <Stack p={16} gap={16}>
        <Title order={2}>Numbers and modes</Title>
        {f.text({ k: 'admissionNumberPattern', label: labels.admissionNumberPattern, description: 'How new students are numbered: {year} or {yy} is the year of admission, {0000} the running number.' })}
        {f.yes({ k: 'evaluationMode', label: labels.evaluationMode, description: 'While it is on, teachers can read only, exams and results excepted.', disabled: !may('setting', 'write') })}
        {draft.values.evaluationMode && f.text({ k: 'evaluationModeReason', label: labels.evaluationModeReason, description: 'Everybody who is stopped by it reads this.' })}
      </Stack>
      {may('setting', 'write') && <SaveBar draft={draft} {...save} submit={() => undefined} />}
      {save.conflict}
    </form>
  )
}
