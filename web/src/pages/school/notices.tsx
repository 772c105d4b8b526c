import { Checkbox, NativeSelect, NumberInput, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { Lines, Trouble } from '../../patterns/feedback'
import { usePlainMoney } from '../../patterns/money'
import { SaveBar, useDraft, useSave } from '../../patterns/record'
import { SubNav } from '../../patterns/SubNav'
import { settingPages } from './setting-pages'

type Rule = Schemas['Rule']
type Way = Rule['ways'][number]

const kinds: Record<Rule['type'], string> = {
  URGENT: 'Urgent: accidents, missing children, closures, urgent announcements',
  ATTENDANCE: 'Absence and lateness',
  TRANSPORT: 'Buses',
  ANNOUNCEMENT: 'Announcements',
  MESSAGE: 'Messages',
  TIMETABLE: 'Timetable',
  EXAM: 'Exam timetables',
  EVENT: 'Events and holidays',
  RESULT: 'Results',
  FEE: 'Fees',
  LEAVE_REQUEST: 'Leave',
  LIBRARY: 'Library',
}

const names: Record<Way, string> = { PUSH: 'push', SMS: 'SMS', EMAIL: 'e-mail', WHATSAPP: 'WhatsApp' }

// Push costs nothing and comes first, or not at all.
const orders: Way[][] = [
  ['PUSH'],
  ['PUSH', 'SMS'],
  ['PUSH', 'EMAIL'],
  ['PUSH', 'SMS', 'EMAIL'],
  ['PUSH', 'EMAIL', 'SMS'],
  ['SMS'],
  ['EMAIL'],
  ['SMS', 'EMAIL'],
  ['EMAIL', 'SMS'],
  ['PUSH', 'WHATSAPP'],
  ['PUSH', 'WHATSAPP', 'SMS'],
  ['PUSH', 'WHATSAPP', 'EMAIL'],
  ['PUSH', 'WHATSAPP', 'SMS', 'EMAIL'],
  ['WHATSAPP', 'SMS'],
]

const inWords = (ways: readonly Way[]) => {
  const said = ways.map((w) => names[w]).join(', then ')
  return said[0]!.toUpperCase() + said.slice(1)
}

/** NoticeRules is by which channels each kind of notification is sent, in which order, and what they cost. */
export function NoticeRules() {
  const q = useQuery({
    queryKey: ['/school-admin/notification/rules'],
    queryFn: () => call(api.GET('/school-admin/notification/rules')),
  })
  return (
    <div className="page">
      <SubNav label="Settings" items={settingPages} />
      <Title order={1} mb={4}>
        Notification rules
      </Title>
      {q.data ? (
        <Rules of={q.data} />
      ) : q.error ? (
        <Trouble error={q.error} retry={() => void q.refetch()} />
      ) : (
        <Lines />
      )}
    </div>
  )
}

function Rules({ of }: { of: Schemas['Rules'] }) {
  const money = usePlainMoney()
  const editable = useMay()('setting', 'write')
  const draft = useDraft<Record<string, Rule>>(
    Object.fromEntries(
      of.rules.map(({ type, ways, waitMinutes, mayTurnOff }) => [type, { type, ways, waitMinutes, mayTurnOff }]),
    ),
  )
  const save = useSave({
    draft,
    labels: {},
    save: (c) =>
      call(api.PUT('/school-admin/notification/rules', { body: { data: { rules: Object.values(c).map((r) => r!) } } })),
    onSaved: () => changed('/school-admin/notification/rules'),
  })
  const set = (r: Rule, change: Partial<Rule>) => draft.set(r.type, { ...r, ...change })
  const cost = (segments: number) =>
    of.smsPrice > 0 ? `${segments} SMS (${money(segments * of.smsPrice)})` : `${segments} SMS`
  return (
    <>
      <Text c="dimmed" mb={4}>
        {of.unreachable} of {of.parents} parents have neither the app nor a browser that shows notices. A push that
        reaches nobody is followed by the next channel.
      </Text>
      <Text c="dimmed" mb={16}>
        {of.smsPrice > 0
          ? `An SMS costs ${money(of.smsPrice)}; ${of.smsDailyLimit} a day at most.`
          : `Set the price of an SMS in the settings to see costs here; ${of.smsDailyLimit} a day at most.`}
      </Text>
      <Text c="dimmed" mb={16}>
        WhatsApp reaches people who have agreed to it, in the app or at the office (with the guardian).
        {of.whatsAppPrice > 0 && ` A message costs ${money(of.whatsAppPrice)}.`}
      </Text>
      <div className="panel list-scroll">
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Notification</th>
              <th scope="col">Channels, in order</th>
              <th scope="col">Next one if unread for</th>
              <th scope="col">Can be turned off</th>
              <th scope="col">Last 30 days</th>
            </tr>
          </thead>
          <tbody>
            {of.rules.map(({ type, lastMonth: was }) => {
              const r = draft.values[type]!
              const added = r.ways.includes('SMS') && !of.rules.find((x) => x.type === type)!.ways.includes('SMS')
              return (
                <tr key={type} data-changed={type in draft.changed || undefined}>
                  <td className="wrap">{kinds[type]}</td>
                  <td>
                    <NativeSelect
                      aria-label={`Channels: ${kinds[type]}`}
                      disabled={!editable}
                      w={232}
                      value={r.ways.join()}
                      data={orders.map((o) => ({ value: o.join(), label: inWords(o) }))}
                      onChange={(e) => set(r, { ways: e.currentTarget.value.split(',') as Way[] })}
                    />
                  </td>
                  <td>
                    <NumberInput
                      aria-label={`Next one if unread for: ${kinds[type]}`}
                      disabled={!editable || r.ways.length < 2}
                      min={1}
                      max={1440}
                      allowDecimal={false}
                      suffix=" min"
                      placeholder="never"
                      w={110}
                      value={r.waitMinutes ?? ''}
                      onChange={(v) => set(r, { waitMinutes: typeof v === 'number' ? v : null })}
                    />
                  </td>
                  <td>
                    <Checkbox
                      size="xs"
                      aria-label={`Can be turned off: ${kinds[type]}`}
                      disabled={!editable}
                      checked={r.mayTurnOff}
                      onChange={(e) => set(r, { mayTurnOff: e.currentTarget.checked })}
                    />
                  </td>
                  <td className="wrap">
                    {was.pushes} pushes, {cost(was.segments)}, {was.emails} e‑mails
                    {was.whatsApps > 0 &&
                      `, ${was.whatsApps} by WhatsApp${was.whatsAppCost > 0 ? ` (${money(was.whatsAppCost)})` : ''}`}
                    {added && <div>With SMS: about {cost(was.notReached)} more</div>}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      <SaveBar draft={draft} {...save} />
    </>
  )
}
