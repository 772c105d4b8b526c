// When those an announcement is for are notified, and what that may cost: by the school's rules and quiet hours.
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, call, type Schemas } from '../../api/client'
import { useMay, useSession } from '../../api/session'
import { t } from '../../messages/console'
import { addDays } from '../../patterns/choices'
import { useFormat } from '../../patterns/format'
import { localOf, momentOf } from '../../patterns/zone'
import { NoPrice } from './no-price'

interface Notified {
  when: 'NOW' | 'MORNING' | 'DIGEST' | 'NEVER' | 'UNKNOWN'
  at: string // the moment of MORNING, DIGEST and NEVER
}

interface Announced {
  title: string
  body: string
  urgent: boolean
  expiresAt: string | null
}

/** The next moment at which the school's clock shows a time. */
function nextAt(time: string, from: string, zone: string): string {
  const local = localOf(from, zone)
  const day = local.slice(0, 10)
  return momentOf(`${time > local.slice(11) ? day : addDays(day, 1)}T${time}`, zone)
}

/** The moment from which on people may be disturbed. */
function awake(quiet: { quietFrom: string; quietTo: string }, from: string, zone: string): string {
  const time = localOf(from, zone).slice(11)
  const { quietFrom: start, quietTo: end } = quiet
  const asleep = start < end ? time >= start && time < end : time >= start || time < end
  return start && end && asleep ? nextAt(end, from, zone) : from
}

/** The rules and quiet hours by which an announcement goes out; undefined for who may not read the settings. */
export function useNoticeRules() {
  const may = useMay()('setting', 'read')
  const rules = useQuery({
    queryKey: ['/school-admin/notification/rules'],
    enabled: may,
    queryFn: () => call(api.GET('/school-admin/notification/rules')),
  })
  const quiet = useQuery({
    queryKey: ['/school-admin/notification/setting'],
    enabled: may,
    queryFn: () => call(api.GET('/school-admin/notification/setting')),
  })
  return rules.data && quiet.data && { rules: rules.data, quiet: quiet.data }
}

type Known = ReturnType<typeof useNoticeRules>

const ruleOf = (known: Known, a: Announced) =>
  known?.rules.rules.find((r) => r.type === (a.urgent ? 'URGENT' : 'ANNOUNCEMENT'))

/** When an announcement that is published at a moment is sent. */
function notifiedAt(known: Known, a: Announced, published: string, zone: string): Notified {
  const rule = ruleOf(known, a)
  if (!known || !rule) return { when: a.urgent ? 'NOW' : 'UNKNOWN', at: published }
  if (a.urgent) return { when: 'NOW', at: published }
  const digest = rule.digest && known.rules.digestAt && nextAt(known.rules.digestAt, published, zone)
  const over = (at: string) => a.expiresAt !== null && Date.parse(a.expiresAt) <= Date.parse(at)
  if (digest && !over(digest)) return { when: 'DIGEST', at: awake(known.quiet, digest, zone) }
  const at = awake(known.quiet, published, zone)
  if (at === published) return { when: 'NOW', at }
  return { when: over(at) ? 'NEVER' : 'MORNING', at }
}

export function useNotified(known: Known, a: Announced, published?: string | null): Notified {
  const zone = useSession().school?.timeZone ?? 'UTC'
  return notifiedAt(known, a, published ?? new Date().toISOString(), zone)
}

export function NotifiedWords({ of: { when, at } }: { of: Notified }) {
  const time = useFormat().dateTime(at)
  switch (when) {
    case 'NOW':
      return t('They are notified at once.')
    case 'MORNING':
      return t('In quiet hours nobody is disturbed: they are notified on {time}.', { time })
    case 'DIGEST':
      return t('It waits for the digest: they are notified on {time}.', { time })
    case 'NEVER':
      return t('Nobody is notified: quiet hours end on {time}, and it is not visible any more then.', { time })
  }
  return t('When they are notified depends on the notification rules and quiet hours.')
}

// The letters of an SMS that has room for 160; with any other it has 70. Those of the second row take two places.
const plain = /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà^{}\\[~\]|€\f]*$/
const double = /[\^{}\\[~\]|€\f]/g

/** How many SMS a text is. */
function smsOf(text: string): number {
  const [one, each] = plain.test(text) ? [160, 153] : [70, 67]
  const places = text.length + (one === 160 ? (text.match(double) ?? []).length : 0)
  return places <= one ? 1 : Math.ceil(places / each)
}

/** What an announcement may cost by SMS, where its rule has them: who has the app or such a browser gets a push for nothing. */
export function SMSCost({ known, of: a, reach }: { known: Known; of: Announced; reach?: Schemas['Reach'] }) {
  const format = useFormat()
  const rule = ruleOf(known, a)
  if (!known || !rule?.ways.includes('SMS') || !reach) return null
  const all = rule.ways[0] !== 'PUSH' || rule.waitMinutes !== null
  const people = all ? reach.recipients : Math.min(reach.parents, known.rules.unreachable) + reach.teachers
  if (people === 0) return null
  const sms = people * smsOf(`${a.title.trim()}: ${a.body.trim()}`)
  const cost = sms * known.rules.smsPrice
  return (
    <>
      <Text size="sm" mt={8}>
        {cost > 0
          ? t('Up to {sms} SMS are sent, for {cost} at most.', { sms: format.number(sms), cost: format.money(cost) })
          : t('Up to {sms} SMS are sent.', { sms: format.number(sms) })}
      </Text>
      {cost === 0 && <NoPrice mt={4} />}
    </>
  )
}
