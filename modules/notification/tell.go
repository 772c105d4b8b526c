package notification

import (
	"context"
	"errors"
	"fmt"

	"homeroom/events"
	"homeroom/notice"
	"homeroom/tenancy"
)

// listen hears of notices that are due.
func (m *Module) listen(bus *events.Bus) {
	bus.On(notice.Due, "notices", func(ctx context.Context, h events.Heard) error {
		var due notice.DueIDs
		if err := h.Read(&due); err != nil {
			return err
		}
		school, err := m.Schools.School(ctx, h.SchoolID)
		if errors.Is(err, tenancy.ErrSchoolNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		db, err := events.DB(ctx)
		if err != nil {
			return err
		}
		now := m.Clock()
		title, body, err := plainPush(school)
		if err != nil {
			return err
		}
		err = tenancy.Pipeline(db,
			// Those that were to wait get their lines of the log now; the others have them.
			tenancy.Query{SQL: notice.InsertLog, Args: []any{due.IDs, now}, ForceGenericPlan: true},
			tenancy.Query{SQL: queueNotices, Args: []any{due.IDs, now, school.TimeZone, title, body}, ForceGenericPlan: true})
		if err != nil {
			return fmt.Errorf("queueing notices: %w", err)
		}
		return m.Queue.Queued(ctx, db, h.SchoolID)
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

// queueNotices turns notices into messages: to the devices of everybody they tell, to the
// topic of the student or teacher, and SMS and e-mail to those who asked for them. A topic
// says nothing ($4, $5), and where one of a student's parents wants no push it is left out:
// it would reach all of them. The same notice queues the same message once; notices to
// single parents whose keys differ in the parent alone (…/userId) are one push to the topic
// the parents share. All pushes of a notice have one collapse_id, and so have those of several notices of one change that
// say the same: a person gets one of them. The notices are held
// meanwhile: whom they tell of may be erased at this moment, and then the messages are
// either not made, or there to be found. What is not urgent waits for the end of quiet hours and says "today" as of
// then; what is of no use by then is left out.
var queueNotices = `with ` + awake("$2", "$3") + `,
	told as (select n.*, case when user_id is null then key else replace(key, '/' || user_id, '') end as shared_key, w.at,
			coalesce(nullif(case (w.at at time zone $3)::date - (created_at at time zone $3)::date
				when 0 then said_today when 1 then said_next_day end, ''), body) as said
		from notice n, awake, lateral (select case when n.urgent then $2::timestamptz else awake.at end as at) w
		where n.id = any($1) and told_at is not null and not silent and (until is null or until > w.at) for share of n),
	people as (
		select t.id as notice_id, u.id as user_id, r.type as role, u.phone,
		coalesce(nullif(p.email, ''), nullif(e.email, ''), u.email) as address,
			coalesce(w.push, true) as push, coalesce(w.sms, false) as sms, coalesce(w.email, false) as email,
			(select count(*) from notification n where n.user_id = u.id and n.read_at is null and ` + visibleTo("u.id") + `) as unread
		from told t
		left join student_guardian sg on t.user_id is null and sg.student_id = t.student_id and sg.can_view_data
		left join guardian g on g.id = sg.guardian_id
		join app_user u on u.id = coalesce(t.user_id, g.user_id) and u.status = 'ACTIVE'
		join role r on r.id = u.role_id
		left join guardian p on p.user_id = u.id
		left join employee e on e.user_id = u.id
		left join notification_preference w on w.user_id = u.id and w.type = t.type
		where ` + notice.RecipientMayView + `),
	-- What one change says of several children is one push to a person, and one on a phone that hears their topics.
	moment as (select id, first_value(shared_key) over (partition by type, title, teaser, urgent, at order by shared_key) as shown_key from told),
	wishes as (select notice_id, bool_and(push) as everyone from people group by notice_id),
	message as (
		(select distinct on (p.user_id, m.shown_key) p.notice_id, 'PUSH' as channel, 'user_' || p.user_id as recipient, p.user_id, t.key,
			t.title, t.teaser as body, greatest(p.unread, 1) as badge
		from people p join told t on t.id = p.notice_id join moment m on m.id = t.id where p.push
		order by p.user_id, m.shown_key, t.shared_key)
		union all
		select t.id, 'PUSH', ` + studentTopic + `, null::uuid, t.shared_key, $4::text, $5::text, 0
		from told t join wishes w on w.notice_id = t.id where t.user_id is null and t.student_id is not null and w.everyone
		union all
		select t.id, 'PUSH', ` + studentTopic + `, null::uuid, t.shared_key, $4::text, $5::text, 0
		from told t join people p on p.notice_id = t.id where t.user_id is not null and p.role = 'PARENT' and t.student_id is not null and p.push
		union all
		select t.id, 'PUSH', 'teacher_' || p.user_id, p.user_id, t.key, $4::text, $5::text, 0
		from told t join people p on p.notice_id = t.id where t.user_id is not null and p.role = 'TEACHER' and p.push
		union all
		select p.notice_id, 'SMS', p.phone, p.user_id, t.key, t.title, t.said, 1 from people p join told t on t.id = p.notice_id where p.sms
		and p.phone is not null
		union all
		select p.notice_id, 'EMAIL', p.address, p.user_id, t.key, t.title, t.said, 1 from people p join told t on t.id = p.notice_id
		where p.email and p.address is not null)
	insert into delivery (id, channel, recipient, user_id, purpose, type, record_id, student_id, title, body, badge, segments, dedupe_key,
	collapse_id, urgent, expires_at, next_at, created_at)
	select gen_random_uuid(), m.channel, m.recipient, m.user_id, 'NOTICE', t.type, t.record_id, t.student_id, m.title, m.body, m.badge::int,
	sms.segments,
		m.key || '/' || m.channel || '/' || m.recipient, case when m.channel = 'PUSH' then md5(w.shown_key)::uuid end,
		t.urgent, t.until, t.at, $2
	from message m join told t on t.id = m.notice_id join moment w on w.id = t.id, ` + InSegments("m.title", "m.body") + `
	on conflict (dedupe_key) do nothing`
