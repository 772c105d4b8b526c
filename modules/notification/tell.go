package notification

import (
	"context"
	"errors"
	"fmt"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

// Listen hears of notices that are due.
func (m *Module) Listen(bus *events.Bus) {
	bus.On(api.NoticesDue, "notices", func(ctx context.Context, h events.Heard) error {
		var due api.DueNotices
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
		err = tenancy.Together(db,
			// Those that were to wait get their lines of the log now; the others have them.
			tenancy.Query{SQL: api.LogNotices, Args: []any{due.IDs, now}, PlanOnce: true},
			tenancy.Query{SQL: queueNotices, Args: []any{due.IDs, now, school.TimeZone}, PlanOnce: true})
		if err != nil {
			return fmt.Errorf("queueing notices: %w", err)
		}
		return m.Queue.Queued(ctx, db, h.SchoolID)
	})
}

// awake is the common table of when people may be disturbed: now, or when the school's
// quiet hours end. What cannot wait does not look at it. $2 is now, $3 the time zone.
const awake = `awake as (
		select case when s.quiet_from is not null and case when s.quiet_from < s.quiet_to
				then l.t >= s.quiet_from and l.t < s.quiet_to else l.t >= s.quiet_from or l.t < s.quiet_to end
			then (l.d + s.quiet_to + case when l.t >= s.quiet_to then interval '1 day' else interval '0' end) at time zone $3
			else $2::timestamptz end as at
		from school_setting s, (select ($2::timestamptz at time zone $3)::time as t, ($2::timestamptz at time zone $3)::date as d) l)`

// studentTopic is the topic a student's parents are subscribed to, by what it is about.
const studentTopic = `'student_' || t.student_id || case t.type when 'ATTENDANCE' then '_attendance' when 'RESULT' then '_result' when 'FEE' then '_fee' else '' end`

// queueNotices turns notices into messages: one to the topic of a student's parents,
// or, where one of them does not want it, to the devices of the others; one to a
// teacher's topic; SMS and e-mail to those who asked for them. The same notice queues
// the same message once; notices to single parents whose keys differ in the parent
// alone (…/userId) are one push to the topic the parents share. The notices are held
// meanwhile: whom they tell of may be erased at this moment, and then the messages are
// either not made, or there to be found.
var queueNotices = `with ` + awake + `,
	told as (select * from notice where id = any($1) and told_at is not null for share),
	people as (
		select t.id as notice_id, u.id as user_id, r.type as role, u.phone, coalesce(nullif(p.email, ''), nullif(e.email, ''), u.email) as address,
			coalesce(w.push, true) as push, coalesce(w.sms, false) as sms, coalesce(w.email, false) as email,
			(select count(*) from notification n where n.user_id = u.id and n.read_at is null) as unread
		from told t
		left join student_guardian sg on t.user_id is null and sg.student_id = t.student_id and sg.can_view_data
		left join guardian g on g.id = sg.guardian_id
		join app_user u on u.id = coalesce(t.user_id, g.user_id) and u.status = 'ACTIVE'
		join role r on r.id = u.role_id
		left join guardian p on p.user_id = u.id
		left join employee e on e.user_id = u.id
		left join notification_preference w on w.user_id = u.id and w.type = t.type),
	wishes as (select notice_id, bool_and(push) as everyone, max(unread) as unread from people group by notice_id),
	message as (
		select t.id as notice_id, 'PUSH' as channel, ` + studentTopic + ` as recipient, null::uuid as user_id, w.unread
		from told t join wishes w on w.notice_id = t.id where t.user_id is null and w.everyone
		union all
		select t.id, 'PUSH', 'user_' || p.user_id, p.user_id, p.unread
		from told t join wishes w on w.notice_id = t.id join people p on p.notice_id = t.id where t.user_id is null and not w.everyone and p.push
		union all
		select t.id, 'PUSH', case when p.role = 'TEACHER' then 'teacher_' || p.user_id when p.role = 'PARENT' and t.student_id is not null then ` + studentTopic + `
			else 'user_' || p.user_id end, p.user_id, p.unread
		from told t join people p on p.notice_id = t.id where t.user_id is not null and p.push
		union all
		select notice_id, 'SMS', phone, user_id, 1 from people where sms and phone is not null
		union all
		select notice_id, 'EMAIL', address, user_id, 1 from people where email and address is not null)
	insert into delivery (id, channel, recipient, user_id, purpose, type, record_id, student_id, title, body, badge, segments, dedupe_key, next_at, created_at)
	select gen_random_uuid(), m.channel, m.recipient, m.user_id, 'NOTICE', t.type, t.record_id, t.student_id, t.title,
		case when m.channel = 'PUSH' then t.teaser else t.body end, greatest(m.unread, 1)::int, sms.segments,
		case when m.channel = 'PUSH' and m.recipient like 'student\_%' and t.user_id is not null then replace(t.key, '/' || t.user_id, '') else t.key end || '/' || m.channel || '/' || m.recipient,
		case when t.type in ('ATTENDANCE', 'TRANSPORT') then $2 else awake.at end, $2
	from message m join told t on t.id = m.notice_id, awake, ` + InSegments("t.title", "t.body") + `
	on conflict (dedupe_key) do nothing`
