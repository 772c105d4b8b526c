package notification

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/notice"
	"homeroom/tenancy"
)

// digestRule is by which ways digests are sent, whatever they tell of.
const digestRule = "DIGEST"

// digestDue is the fact that what waits for the school's hour is to be sent.
const digestDue = "notices.digest"

// nextDigest is the common table of the school's next hour of digests; NULL: it has none. now and zone are expressions.
func nextDigest(now, zone string) string {
	return `next_digest as (
		select (l.at::date + s.digest_at + case when l.at::time >= s.digest_at then interval '1 day' else interval '0' end)
			at time zone ` + zone + ` as at
		from school_setting s, (select ` + now + `::timestamptz at time zone ` + zone + ` as at) l)`
}

// isLater is the condition, beside next_digest and a rule k, that a notice waits for the digest: its kind can, it is not urgent,
// and it is still of use then.
func isLater(urgent, until string) string {
	return `(k.digest and not ` + urgent + ` and next_digest.at is not null and (` + until + ` is null or ` + until + ` > next_digest.at))`
}

// watchDigest adds the fact digestDue for what waits, if there is none. One that is due within a minute may be in work already
// and not see a new entry; then there are two, of which the second may find nothing.
const watchDigest = `insert into outbox (id, kind, payload, occurred_at, next_at)
	select gen_random_uuid(), '` + digestDue + `', '{}', $1::timestamptz, x.at from (select min(due_at) as at from digest_entry) x
	where x.at is not null and not exists (select from outbox
		where kind = '` + digestDue + `' and next_at > $1::timestamptz + interval '1 minute' and next_at <= x.at)`

// sendDigest queues one message for each person of what has waited for them, for the digest or in quiet hours.
// The entries go with the same transaction: killed amid it, it is done again as a whole.
func (m *Module) sendDigest(ctx context.Context, h events.Heard) error {
	return api.InSchool(ctx, m.Schools, h.SchoolID, func(db *gorm.DB, school *tenancy.School) error {
		title, body, err := plainPush(school)
		if err != nil {
			return err
		}
		titles, err := inEveryLanguage(notice.Text{Name: "digest.title", Values: notice.Values{"school": school.Name}}, school)
		if err != nil {
			return err
		}
		now := m.Clock()
		err = tenancy.Pipeline(db,
			tenancy.Query{SQL: queueDigest, Args: []any{titles, now, school.TimeZone, title, body}},
			tenancy.Query{SQL: watchDigest, Args: []any{now}})
		if err != nil {
			return fmt.Errorf("queueing digests: %w", err)
		}
		return m.Queue.Queued(ctx, db, h.SchoolID)
	})
}

// pressing are the rules by which several things are told in one message: the first of them is the message's.
const pressing = `array['URGENT', 'ATTENDANCE', 'TRANSPORT', 'ANNOUNCEMENT', 'MESSAGE', 'TIMETABLE', 'EXAM', 'EVENT', 'RESULT', 'FEE',
	'LEAVE_REQUEST', 'LIBRARY', 'DIGEST']`

// queueDigest makes one message, by each way they want, of what has waited for a person: by the most pressing of its rules, DIGEST
// for what waited for the school's hour, and by SMS and e-mail where they asked for it. What they have read meanwhile, may not see
// any more, or what is of no use any more is left out. One line alone, and what waited for the morning under one title, is said as
// it would have been at once. The lines are locked, as notices are by queueNotices. $1 are the titles by language, $4 and $5 as
// of queueNotices.
var queueDigest = `with ` + awake("$2", "$3") + `,
	due as (delete from digest_entry where due_at <= $2 returning user_id, key, way, due_at, until, rule),
	line as (
		select u.id as user_id, u.phone, u.language, ` + address + ` as address, d.way as asked, d.due_at, d.until, n.dedupe_key as key,
			n.type, n.title, n.record_id, n.batch_id, n.student_id, n.created_at, coalesce(` + said("awake.at") + `, n.body) as said,
			coalesce(t.texts -> u.language ->> 'teaser', t.teaser, n.title) as teaser, k.type as rule, k.wait_minutes, awake.at,
			(select way from unnest(k.ways) with ordinality x (way, n) where way = 'PUSH' or ` + hasWay + ` order by n limit 1) as first
		from due d join app_user u on u.id = d.user_id and u.status = 'ACTIVE'
		join notification n on n.user_id = d.user_id and n.dedupe_key = d.key and n.read_at is null and ` + visibleTo("u.id") + `
		left join notice t on t.key = n.dedupe_key
		left join guardian p on p.user_id = u.id
		left join employee e on e.user_id = u.id
		join notice_rule k on k.type = d.rule
		cross join awake
		where d.until is null or d.until > awake.at for share of n),
	way as (
		select distinct on (l.user_id, c.channel, l.key) l.*, c.channel, l.asked = 'RULE' as ruled,
			case c.channel when 'PUSH' then 'user_' || l.user_id when 'EMAIL' then l.address else l.phone end as recipient
		from line l, lateral (select case l.asked when 'RULE' then l.first else l.asked end as channel) c
		where c.channel is not null order by l.user_id, c.channel, l.key, ruled desc),
	person as (
		select w.user_id, w.channel, w.recipient, w.language, w.at, max(w.due_at) as due_at,
			(array_agg(w.rule order by array_position(` + pressing + `, w.rule)) filter (where w.ruled))[1] as rule,
			(array_agg(w.wait_minutes order by array_position(` + pressing + `, w.rule)) filter (where w.ruled))[1] as wait_minutes,
			count(*) > 1 and (bool_or(w.rule = '` + digestRule + `') or count(distinct w.title) > 1) as several,
			array_agg(w.key order by w.created_at, w.key) as keys, (array_agg(w.type order by w.created_at, w.key))[1] as type,
			` + oneOr("w.record_id") + ` as record_id, ` + oneOr("w.batch_id") + ` as batch_id,
			(array_agg(w.student_id order by w.created_at, w.key))[1] as student_id,
			case when count(w.until) = count(*) then max(w.until) end as until,
			min(w.title) as title, (array_agg(w.teaser order by w.created_at, w.key))[1] as teaser,
			string_agg(distinct w.title, ' · ') as titles, string_agg(w.said, E'\n' order by w.created_at, w.key) as said,
			string_agg(w.title || ': ' || w.said, E'\n' order by w.created_at, w.key) as titled
		from way w where w.recipient is not null group by w.user_id, w.channel, w.recipient, w.language, w.at),
	worded as (
		select s.user_id, s.channel, s.recipient, s.at, s.due_at, s.rule, s.wait_minutes, s.keys, s.type, s.record_id, s.batch_id, s.until,
			s.language, case when not s.several then s.student_id end as student_id,
			case when s.several then coalesce($1::jsonb ->> s.language, $1::jsonb ->> '') else s.title end as title,
			case when s.several then s.titles else s.teaser end as teaser, case when s.several then s.titled else s.said end as said
		from person s),
	message as (
		select s.*, case when s.channel = 'PUSH' and set.lock_screen = 'NOTHING' then $4::text else s.title end as shown_title,
			case when s.channel <> 'PUSH' then s.said when set.lock_screen = 'FULL' then left(s.said, ` + shownOnScreen + `)
				when set.lock_screen = 'NOTHING' then coalesce($5::jsonb ->> s.language, $5::jsonb ->> '')
				else left(s.teaser, ` + shownOnScreen + `) end as body,
			case when s.channel = 'PUSH' then (select count(*) from notification n where n.user_id = s.user_id and n.read_at is null
				and ` + visibleTo("s.user_id") + `) else 1 end as unread
		from worded s cross join school_setting set)
	insert into delivery (id, channel, recipient, user_id, purpose, type, record_id, student_id, title, body, badge, segments, dedupe_key,
		collapse_id, urgent, expires_at, next_at, created_at, rule, log_keys, wait_minutes, batch_id)
	select gen_random_uuid(), m.channel, m.recipient, m.user_id, 'NOTICE', m.type, m.record_id, m.student_id, m.shown_title, m.body,
		greatest(m.unread, 1)::int, sms.segments, m.keys[1] || '/' || m.channel || '/' || m.recipient,
		case when m.channel = 'PUSH' then case m.rule when '` + digestRule + `' then md5(m.keys[1] || '/digest/' || m.user_id)::uuid
			else ` + atNight("m.due_at") + ` end end, false, m.until, m.at, $2, m.rule, m.keys, m.wait_minutes, m.batch_id
	from message m, ` + InSegments("m.shown_title", "m.body") + `
	on conflict (dedupe_key) do nothing`
