import { Checkbox, NativeSelect, NumberInput, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { rich, t } from '../../messages/console'
import { Lines, Trouble } from '../../patterns/feedback'
import { usePlainMoney } from '../../patterns/money'
import { SaveBar, useDraft, useSave } from '../../patterns/record'
import { SubNav } from '../../patterns/SubNav'
import { settingPages } from './setting-pages'

type Rule = Schemas['Rule']
type Way = Rule['ways'][number]

const kinds: Record<Rule['type'], string> = {
  URGENT: t('Urgent: accidents, missing children, closures, urgent announcements'),
  ATTENDANCE: t('Absence and lateness'),
  TRANSPORT: t('Buses'),
  ANNOUNCEMENT: t('Announcements'),
  MESSAGE: t('Messages'),
  TIMETABLE: t('Timetable'),
  EXAM: t('Exam timetables'),
  EVENT: t('Events and holidays'),
  RESULT: t('Results'),
  FEE: t('Fees'),
  LEAVE_REQUEST: t('Leave'),
  LIBRARY: t('Library'),
  DIGEST: t('Digest: what can wait, once a day'),
}

const names: Record<Way, string> = { PUSH: t('push'), SMS: 'SMS', EMAIL: t('e-mail'), WHATSAPP: 'WhatsApp' }

// Push costs nothing and comes first, or not at all. An order that came by the API is offered where it is in use.
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
  const said = ways.map((w) => names[w]).reduce((first, next) => t('{first}, then {next}', { first, next }))
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
      <SubNav label={t('Settings')} items={settingPages} />
      <Title order={1} mb={4}>
        {t('Notification rules')}
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
      of.rules.map(({ type, ways, waitMinutes, mayTurnOff, digest }) => [
        type,
        { type, ways, waitMinutes, mayTurnOff, digest },
      ]),
    ),
  )
  const save = useSave({
    draft,
    labels: {},
    undo: (was) => was,
    save: (c) =>
      call(api.PUT('/school-admin/notification/rules', { body: { data: { rules: Object.values(c).map((r) => r!) } } })),
    onSaved: () => changed('/school-admin/notification/rules'),
  })
  const set = (r: Rule, change: Partial<Rule>) => draft.set(r.type, { ...r, ...change })
  const cost = (segments: number) =>
    of.smsPrice > 0
      ? t('{segments} SMS ({money})', { segments, money: money(segments * of.smsPrice) })
      : t('{segments} SMS', { segments })
  return (
    <>
      <Text c="dimmed" mb={4}>
        {t(
          '{unreachable} of {parents} parents have neither the app nor a browser that shows notices. A push that reaches nobody is followed by the next channel.',
          { unreachable: of.unreachable, parents: of.parents },
        )}
      </Text>
      <Text c="dimmed" mb={16}>
        {of.smsPrice > 0
          ? t('An SMS costs {money}; {smsDailyLimit} a day at most.', {
              money: money(of.smsPrice),
              smsDailyLimit: of.smsDailyLimit,
            })
          : rich('Set the price of an SMS in the {settings} to see costs here; {smsDailyLimit} a day at most.', {
              settings: <Link to="/settings">{t('settings')}</Link>,
              smsDailyLimit: of.smsDailyLimit,
            })}
      </Text>
      <Text c="dimmed" mb={16}>
        {of.whatsAppPrice > 0
          ? t(
              'WhatsApp reaches people who have agreed to it, in the app or at the office (with the guardian or employee). A message costs {money}. {limit} a day at most.',
              { money: money(of.whatsAppPrice), limit: of.whatsAppDailyLimit },
            )
          : t(
              'WhatsApp reaches people who have agreed to it, in the app or at the office (with the guardian or employee). {limit} a day at most.',
              { limit: of.whatsAppDailyLimit },
            )}
      </Text>
      <Text c="dimmed" mb={16}>
        {of.digestAt
          ? t(
              'What is in the digest is sent at {time}, in one message to each person; the app shows it at once. What is urgent, or of no use by then, does not wait.',
              { time: of.digestAt },
            )
          : t('There is no digest: set its time in the settings. Until then everything is sent at once.')}
      </Text>
      <div className="panel list-scroll">
        <table className="list cards">
          <thead>
            <tr>
              <th scope="col">{t('Notification')}</th>
              <th scope="col">{t('When')}</th>
              <th scope="col">{t('Channels, in order')}</th>
              <th scope="col">{t('Next one if unread for')}</th>
              <th scope="col">{t('Can be turned off')}</th>
              <th scope="col">{t('Last 30 days')}</th>
            </tr>
          </thead>
          <tbody>
            {of.rules.map(({ type, lastMonth: was }) => {
              const r = draft.values[type]!
              const added = r.ways.includes('SMS') && !of.rules.find((x) => x.type === type)!.ways.includes('SMS')
              return (
                <tr key={type} data-changed={type in draft.changed || undefined}>
                  <td className="wrap">{kinds[type]}</td>
                  <td data-label={type !== 'URGENT' && type !== 'DIGEST' ? t('When') : undefined}>
                    {type !== 'URGENT' && type !== 'DIGEST' && (
                      <NativeSelect
                        aria-label={t('When: {kinds}', { kinds: kinds[type] })}
                        disabled={!editable}
                        w={124}
                        value={r.digest ? 'digest' : 'once'}
                        data={[
                          { value: 'once', label: t('At once') },
                          { value: 'digest', label: t('Digest') },
                        ]}
                        onChange={(e) => set(r, { digest: e.currentTarget.value === 'digest' })}
                      />
                    )}
                  </td>
                  <td data-label={t('Channels, in order')}>
                    <NativeSelect
                      aria-label={t('Channels: {kinds}', { kinds: kinds[type] })}
                      disabled={!editable}
                      w={240}
                      value={r.ways.join()}
                      data={[...orders, ...(orders.some((o) => o.join() === r.ways.join()) ? [] : [r.ways])].map(
                        (o) => ({
                          value: o.join(),
                          label: inWords(o),
                        }),
                      )}
                      onChange={(e) => set(r, { ways: e.currentTarget.value.split(',') as Way[] })}
                    />
                  </td>
                  <td data-label={t('Next one if unread for')}>
                    <NumberInput
                      aria-label={t('Next one if unread for: {kinds}', { kinds: kinds[type] })}
                      disabled={!editable || r.ways.length < 2}
                      min={1}
                      max={1440}
                      allowDecimal={false}
                      suffix={` ${t('min')}`}
                      placeholder={t('never')}
                      w={96}
                      value={r.waitMinutes ?? ''}
                      onChange={(v) => set(r, { waitMinutes: typeof v === 'number' ? v : null })}
                    />
                  </td>
                  <td data-label={type !== 'DIGEST' ? t('Can be turned off') : undefined}>
                    <Checkbox
                      size="xs"
                      display={type === 'DIGEST' ? 'none' : undefined}
                      aria-label={t('Can be turned off: {kinds}', { kinds: kinds[type] })}
                      disabled={!editable}
                      checked={r.mayTurnOff}
                      onChange={(e) => set(r, { mayTurnOff: e.currentTarget.checked })}
                    />
                  </td>
                  <td className="wrap" data-label={t('Last 30 days')}>
                    {was.whatsApps > 0
                      ? was.whatsAppCost > 0
                        ? t('{pushes} pushes, {cost}, {emails} e‑mails, {whatsApps} by WhatsApp ({money})', {
                            pushes: was.pushes,
                            cost: cost(was.segments),
                            emails: was.emails,
                            whatsApps: was.whatsApps,
                            money: money(was.whatsAppCost),
                          })
                        : t('{pushes} pushes, {cost}, {emails} e‑mails, {whatsApps} by WhatsApp', {
                            pushes: was.pushes,
                            cost: cost(was.segments),
                            emails: was.emails,
                            whatsApps: was.whatsApps,
                          })
                      : t('{pushes} pushes, {cost}, {emails} e‑mails', {
                          pushes: was.pushes,
                          cost: cost(was.segments),
                          emails: was.emails,
                        })}
                    {added && <div>{t('With SMS: about {cost} more', { cost: cost(was.notReached) })}</div>}
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
