package notification

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/notice"
	"homeroom/tenancy"
)

// listen hears of notices that are due, and of messages that reached nobody.
func (m *Module) listen(bus *events.Bus) {
	bus.On(notice.Due, "notices", func(ctx context.Context, h events.Heard) error {
		var due notice.DueIDs
		if err := h.Read(&due); err != nil {
			return err
		}
		return api.InSchool(ctx, m.Schools, h.SchoolID, func(db *gorm.DB, school *tenancy.School) error {
			now := m.Clock()
			title, body, err := plainPush(school)
			if err != nil {
				return err
			}
			err = tenancy.Pipeline(db,
				// Those that were to wait get their lines of the log now; the others have them.
				tenancy.Query{SQL: notice.InsertLog, Args: []any{due.IDs, now}, ForceGenericPlan: true},
				tenancy.Query{SQL: queueNotices, Args: []any{due.IDs, now, school.TimeZone, title, body}, ForceGenericPlan: true},
				tenancy.Query{SQL: watchDigest, Args: []any{now}})
			if err != nil {
				return fmt.Errorf("queueing notices: %w", err)
			}
			return m.Queue.Queued(ctx, db, h.SchoolID)
		})
	})
	bus.On(digestDue, "digest", m.sendDigest)
	bus.On(RestQueued, "the rest", func(ctx context.Context, h events.Heard) error {
		db, err := events.DB(ctx)
		if err != nil {
			return err
		}
		return m.Queue.Queued(ctx, db, h.SchoolID)
	})
	bus.On(notice.Unanswered, "the next way", func(ctx context.Context, h events.Heard) error {
		var messages notice.UnansweredIDs
		if err := h.Read(&messages); err != nil {
			return err
		}
		return api.InSchool(ctx, m.Schools, h.SchoolID, func(db *gorm.DB, school *tenancy.School) error {
			var cancelled []uuid.UUID
			err := tenancy.Pipeline(db, tenancy.Query{SQL: queueNextWay, Args: []any{messages.IDs, m.Clock(), school.TimeZone},
				Scan: tenancy.Values(&cancelled)})
			if err != nil {
				return fmt.Errorf("queueing by the next way: %w", err)
			}
			if len(cancelled) > 0 {
				if err := m.Queue.CancelBrowsers(ctx, cancelled); err != nil {
					return err
				}
			}
			return m.Queue.Queued(ctx, db, h.SchoolID)
		})
	})
}

// awake is the common table of when people may be disturbed: now, or when the school's quiet
// hours end; now and zone are expressions. What is urgent does not look at it.
func awake(now, zone string) string {
	return `awake as (
		select case when s.quiet_from is not null and case when s.quiet_from < s.quiet_to
				then l.t >= s.quiet_from and l.t < s.quiet_to else l.t >= s.quiet_from or l.t < s.quiet_to end
			then (l.d + s.quiet_to + case when l.t >= s.quiet_to then interval '1 day' else interval '0' end) at time zone ` + zone + `
			else ` + now + `::timestamptz end as at
		from school_setting s, (select l.at::time as t, l.at::date as d
		from (select ` + now + `::timestamptz at time zone ` + zone + ` as at) l) l)`
}

// address is where a way reaches a user, with the user as u, and as p and e the guardian or employee it is; NULL: nowhere.
const address = `coalesce(nullif(p.email, ''), nullif(e.email, ''), u.email)`

// hasWay is the condition, beside address, that a way other than push reaches a user.
const hasWay = `(way = 'SMS' and u.phone is not null or way = 'WHATSAPP' and u.phone is not null and u.whatsapp_since is not null
	or way = 'EMAIL' and ` + address + ` is not null)`

// firstWay is the first way of the rule k by which a person has an address; push says when that is one. It is no subquery: a
// broadcast asks it of thousands.
func firstWay(push string) string {
	return `k.ways[least(case when ` + push + ` then array_position(k.ways, 'PUSH') end,
		case when u.phone is not null then array_position(k.ways, 'SMS') end,
		case when u.phone is not null and u.whatsapp_since is not null then array_position(k.ways, 'WHATSAPP') end,
		case when ` + address + ` is not null then array_position(k.ways, 'EMAIL') end)]`
}

// said is the body of a notice t as it is said at a moment, in the zone $3 and the language of the user u.
func said(at string) string {
	return `(select coalesce(case d.days when 0 then l.own ->> 'today' when 1 then l.own ->> 'nextDay' end, l.own ->> 'body',
			nullif(case d.days when 0 then t.said_today when 1 then t.said_next_day end, ''), t.body)
		from (select t.texts -> u.language as own) l,
			(select (` + at + ` at time zone $3)::date - (t.created_at at time zone $3)::date as days) d)`
}

// shownOnScreen is how much of a body a push has, where the school lets a locked screen say it: a phone shows no more, and
// providers take 4 kB.
const shownOnScreen = `300`

// atNight is what all pushes that wait for the same morning are shown as: one.
func atNight(at string) string { return `md5('night/' || extract(epoch from ` + at + `))::uuid` }

// oneOr is what several rows are about if it is one thing; NULL: it is several.
func oneOr(id string) string {
	return `case when count(distinct ` + id + `) = 1 then min(` + id + `::text)::uuid end`
}

// queueNotices turns notices into messages: to everybody they tell by the first way of the school's rule, to the
// topic of the student or teacher, and SMS and e-mail to those who asked for them, for the child or for all their children.
// Each person's language is their own, or the school's. A push says as much as the school's
// lock_screen allows. A topic says nothing ($4, $5), and where one of a student's parents wants no push it is left out:
// it would reach all of them. The same notice queues the same message once; notices to single parents whose keys differ
// in the parent alone (…/userId) are one push to the topic the parents share. All notices of one change that are of one type
// are one message to a person by each way, and their pushes have one collapse_id. The notices are locked meanwhile: whom they
// tell of may be erased at this moment, and then the messages are either not made, or there to be found. What can wait is kept
// for the digest; what is not urgent waits in quiet hours as that does, and is one message in the morning, of what is of use
// by then. Topics are told then too, and a phone shows their push and the person's as one.
var queueNotices = `with ` + awake("$2", "$3") + `, ` + nextDigest("$2", "$3") + `,
	told as (select t.*, case when user_id is null then key else replace(key, '/' || user_id, '') end as shared_key, w.at,
			k.type as rule, ` + isLater("t.urgent", "t.until") + ` as later, w.at > $2::timestamptz as sleeps
		from notice t, awake, next_digest, notice_rule k, lateral (select case when t.urgent then $2::timestamptz else awake.at end as at) w
		where t.id = any($1) and told_at is not null and not silent and (until is null or until > w.at)
			and k.type = case when t.alarm then 'URGENT' else t.type end for share of t),
	people as (
		select t.id as notice_id, t.later or t.sleeps as waits, u.id as user_id, r.type as role, u.phone, ` + address + ` as address,
			k.wait_minutes, (coalesce(c.push, w.push, true) or not k.may_turn_off) and heard as wanted,
			coalesce(c.sms, w.sms, false) and heard as sms,
			coalesce(c.email, w.email, false) and heard as email, u.language, coalesce(t.texts -> u.language ->> 'title', t.title) as title,
			coalesce(t.texts -> u.language ->> 'teaser', t.teaser) as teaser, ` + said("t.at") + ` as said,
			` + firstWay("true") + ` as first,
			(select count(*) from notification n where n.user_id = u.id and n.read_at is null and ` + visibleTo("u.id") + `) as unread
		from told t
		join notice_rule k on k.type = t.rule
		left join student_guardian sg on t.user_id is null and sg.student_id = t.student_id and sg.can_view_data
		left join guardian g on g.id = sg.guardian_id
		join app_user u on u.id = coalesce(t.user_id, g.user_id) and u.status = 'ACTIVE'
		join role r on r.id = u.role_id
		left join guardian p on p.user_id = u.id
		left join employee e on e.user_id = u.id
		left join notification_preference w on w.user_id = u.id and w.type = t.type
		left join child_preference c on c.user_id = u.id and c.student_id = t.student_id and c.type = t.type and r.type = 'PARENT'
		cross join lateral (select not t.detail or coalesce(c.details, w.details, false) as heard) h
		where ` + notice.RecipientMayView + `),
	waits as (insert into digest_entry (user_id, key, way, due_at, until, rule)
		select p.user_id, t.key, x.way, case when t.later then d.at else t.at end, t.until,
			case when t.later then '` + digestRule + `' else t.rule end
		from people p join told t on t.id = p.notice_id cross join next_digest d,
			lateral (values ('RULE', p.wanted), ('SMS', p.sms and p.phone is not null),
				('EMAIL', p.email and p.address is not null)) x (way, wanted)
		where p.waits and x.wanted on conflict do nothing),
	-- What one change says, of several children or in other words to each, is one push to a person, and one on a phone that hears
	-- their topics.
	moment as (select id, case when sleeps then ` + atNight("at") + ` else md5(first_value(shared_key)
		over (partition by type, rule, urgent, at order by shared_key))::uuid end as shown from told),
	-- Who wants to hear of one child by another way than of its sibling gets two messages.
	way as (select p.*, x.channel, x.recipient, p.wanted and p.first = x.channel as ruled
		from people p, lateral (values ('PUSH', 'user_' || p.user_id, false), ('SMS', p.phone, p.sms), ('EMAIL', p.address, p.email),
			('WHATSAPP', p.phone, false)) x (channel, recipient, asked)
		where x.recipient is not null and not p.waits and (x.asked or p.wanted and p.first = x.channel)),
	person as (select w.user_id, m.shown, w.channel, w.recipient, w.language, bool_or(w.ruled) as ruled, max(w.unread) as unread,
			max(w.wait_minutes) as wait_minutes, (array_agg(t.id order by t.shared_key))[1] as notice_id,
			array_agg(t.key order by t.shared_key) as keys, array_agg(t.key order by t.shared_key) filter (where w.ruled) as ruled_keys,
			` + oneOr("t.record_id") + ` as record_id, count(distinct t.record_id) > 1 as of_several,
			case when count(distinct w.title) = 1 then min(w.title) else string_agg(distinct w.title, ' · ') end as title,
			case when count(distinct w.title) = 1 then (array_agg(w.teaser order by t.shared_key))[1]
				else string_agg(distinct w.title, ' · ') end as teaser,
			case when count(distinct w.title) = 1 then string_agg(w.said, E'\n' order by t.shared_key)
				else string_agg(w.title || ': ' || w.said, E'\n' order by t.shared_key) end as said
		from way w join told t on t.id = w.notice_id join moment m on m.id = t.id
		group by w.user_id, m.shown, w.channel, w.recipient, w.language),
	wishes as (select notice_id, bool_and(wanted and first = 'PUSH') as everyone from people group by notice_id),
	message as (
		select s.notice_id, s.channel, s.recipient, s.user_id, s.record_id, s.keys[1] as key,
			case when s.channel = 'PUSH' and set.lock_screen = 'NOTHING' then $4::text else s.title end as title,
			case when s.channel <> 'PUSH' then s.said when set.lock_screen = 'FULL' then left(s.said, ` + shownOnScreen + `)
				when set.lock_screen = 'NOTHING' then coalesce($5::jsonb ->> s.language, $5::jsonb ->> '') else s.teaser end as body,
			case when s.channel = 'PUSH' then greatest(s.unread, 1) else 1 end as badge,
			case when s.ruled then t.rule end as rule, case when s.of_several then s.keys else s.ruled_keys end as log_keys,
			case when s.ruled then s.wait_minutes end as wait_minutes
		from person s join told t on t.id = s.notice_id cross join school_setting set
		union all
		select t.id, 'PUSH', ` + studentTopic + `, null::uuid, t.record_id, t.shared_key, $4::text, $5::jsonb ->> '', 0, null, null, null
		from told t join wishes w on w.notice_id = t.id where t.user_id is null and t.student_id is not null and w.everyone and not t.later
		union all
		select t.id, 'PUSH', ` + studentTopic + `, null::uuid, t.record_id, t.shared_key, $4::text, $5::jsonb ->> '', 0, null, null, null
		from told t join people p on p.notice_id = t.id where t.user_id is not null and p.role = 'PARENT' and t.student_id is not null
			and p.wanted and p.first = 'PUSH' and not t.later
		union all
		select t.id, 'PUSH', 'teacher_' || p.user_id, p.user_id, t.record_id, t.key, $4::text, $5::jsonb ->> '', 0, null, null, null
		from told t join people p on p.notice_id = t.id where t.user_id is not null and p.role = 'TEACHER' and p.wanted and p.first = 'PUSH'
			and not t.later)
	insert into delivery (id, channel, recipient, user_id, purpose, type, record_id, student_id, title, body, badge, segments, dedupe_key,
	collapse_id, urgent, expires_at, next_at, created_at, rule, log_keys, wait_minutes, batch_id)
	select gen_random_uuid(), m.channel, m.recipient, m.user_id, 'NOTICE', t.type, m.record_id, t.student_id, m.title, m.body, m.badge::int,
	sms.segments,
		m.key || '/' || m.channel || '/' || m.recipient, case when m.channel = 'PUSH' then w.shown end,
		t.urgent, t.until, t.at, $2, m.rule, m.log_keys, m.wait_minutes, t.batch_id
	from message m join told t on t.id = m.notice_id join moment w on w.id = t.id, ` + InSegments("m.title", "m.body") + `
	on conflict (dedupe_key) do nothing`

// queueNextWay tells those whom messages ($1) did not reach, or who have not read what they tell, by the next way of the
// school's rule by which they can be reached. What they have read meanwhile, may not see any more, or what is of no use any
// more is left out. A push that no provider has taken yet is given up with that, and so is that to the topic beside it: late
// they would come besides. It returns these.
var queueNextWay = `with ` + awake("$2", "$3") + `,
	message as (
		select d.id as former, next.way as channel, case next.way when 'EMAIL' then ` + address + ` else u.phone end as recipient,
			said.title, said.body, w.at, k.wait_minutes
		from delivery d join notice_rule k on k.type = d.rule
		join app_user u on u.id = d.user_id and u.status = 'ACTIVE'
		left join guardian p on p.user_id = u.id
		left join employee e on e.user_id = u.id
		cross join awake
		cross join lateral (select case when d.urgent then $2::timestamptz else awake.at end as at,
			d.rule = '` + digestRule + `' and cardinality(d.log_keys) > 1 as digest) w
		cross join lateral (select way from unnest(k.ways) with ordinality x (way, n)
			where n > coalesce(array_position(k.ways, d.channel), 0) and ` + hasWay + `
				order by n limit 1) next
		cross join lateral (select w.digest or count(distinct n.title) > 1 as several, min(n.title) as title,
				string_agg(coalesce(` + said("w.at") + `, n.body), E'\n' order by n.created_at, n.dedupe_key) as plain,
				string_agg(n.title || ': ' || coalesce(` + said("w.at") + `, n.body), E'\n' order by n.created_at, n.dedupe_key) as titled
			from notification n left join notice t on t.key = n.dedupe_key
			where n.user_id = d.user_id and n.dedupe_key = any(d.log_keys) and n.read_at is null and ` + visibleTo("d.user_id") + `) line
		cross join lateral (select case when several then d.title else line.title end as title,
			case when several then titled else plain end as body) said
		where d.id = any($1) and said.body is not null and (d.expires_at is null or d.expires_at > w.at)),
	queued as (insert into delivery (id, channel, recipient, user_id, purpose, type, record_id, student_id, title, body, badge, segments,
		dedupe_key, urgent, expires_at, next_at, created_at, rule, log_keys, wait_minutes, batch_id)
	select gen_random_uuid(), m.channel, m.recipient, d.user_id, 'NOTICE', d.type, d.record_id, d.student_id, m.title, m.body, 1,
		sms.segments,
		d.log_keys[1] || '/' || m.channel || '/' || m.recipient, d.urgent, d.expires_at, m.at, $2, d.rule, d.log_keys, m.wait_minutes, d.batch_id
	from message m join delivery d on d.id = m.former, ` + InSegments("m.title", "m.body") + `
	on conflict (dedupe_key) do nothing returning user_id, log_keys),
	late as (select d.id, d.collapse_id, d.student_id from message m join delivery d on d.id = m.former
		join queued q on q.user_id = d.user_id and q.log_keys = d.log_keys
		where d.channel = 'PUSH' and d.state = 'QUEUED' and d.overdue_at is not null)
	update delivery d set state = 'FAILED', last_error = 'its provider did not take it in time', provider_id = '' from late
		where d.channel = 'PUSH' and d.state = 'QUEUED' and (d.id = late.id or d.rule is null and d.collapse_id = late.collapse_id
			and d.student_id is not distinct from late.student_id and d.recipient not like 'school\_%')
		returning d.id`
