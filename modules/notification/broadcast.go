package notification

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/notice"
	"homeroom/tenancy"
)

// Broadcast writes the log's entry of each recipient and queues the messages, in the
// transaction of the listener that calls it. Called again it does nothing anew. The school's own
// topic reaches all users. Else each recipient's devices get a push, and the topics of students
// and teachers one without content; not a topic where a parent or teacher wants no pushes. A push says as much as the
// school's lock_screen allows; its topic never has the body, since any phone may hear it.
func (m *Module) Broadcast(ctx context.Context, db *gorm.DB, school *tenancy.School, now time.Time, b notice.Broadcast) error {
	plainTitle, plainBody, err := plainPush(school)
	if err != nil {
		return err
	}
	reachable, err := m.Queue.Reachable(ctx, school.ID)
	if err != nil {
		return err
	}
	rule := string(b.Type)
	if b.Urgent {
		rule = urgentRule
	}
	args := pgx.NamedArgs{
		"now": now, "zone": school.TimeZone, "type": string(b.Type), "rule": rule, "reachable": reachable, "key": b.Key, "record": b.RecordID,
		"urgent": b.Urgent, "until": b.Until, "title": b.Title, "body": b.Body, "teaser": b.Teaser, "plain_title": plainTitle,
		"plain_body": plainBody,
	}
	args["silent"] = b.Silent
	maps.Copy(args, b.Args)
	queries := []tenancy.Query{
		{Args: []any{args}, SQL: `insert into notification (id, user_id, dedupe_key, type, title, body, record_id, created_at, read_at)
			select gen_random_uuid(), r.user_id, @key::text, @type::text, @title::text, @body::text, @record::uuid, @now::timestamptz,
			case when @silent::boolean then @now::timestamptz end
			from (` + b.Recipients + `) r on conflict (user_id, dedupe_key) do nothing`},
		{Args: []any{args}, SQL: `with ` + awake("@now", "@zone") + `,
			rule as (select *, 'PUSH' = any(ways) as pushes from notice_rule where type = @rule::text),
			silent as (select p.user_id from notification_preference p, rule k where p.type = @type::text and not p.push and k.may_turn_off),
			muted as (select distinct 'student_' || sg.student_id as topic from student_guardian sg join guardian g on g.id = sg.guardian_id
					join silent s on s.user_id = g.user_id where sg.can_view_data
				union all select 'teacher_' || user_id from silent),
			topic as (select t.recipient, t.recipient like 'school\_%' as everybody
			from (` + b.Topics + `) t, rule k where k.pushes and not exists (select from muted m where m.topic = t.recipient)),
			everybody as (select exists (select from topic where everybody) as told),
			person as (select u.id as user_id, u.phone, ` + address +
			` as address, coalesce(w.sms, false) as sms, coalesce(w.email, false) as email,
					k.wait_minutes, y.told, case when not exists (select from silent s where s.user_id = u.id) then
						(select way from unnest(k.ways) with ordinality x (way, n) where way = 'PUSH' and (not y.told or u.id = any(@reachable::uuid[]))
						or ` + hasWay + ` order by n limit 1) end as first
				from (` + b.Recipients + `) r cross join rule k cross join everybody y join app_user u on u.id = r.user_id
				left join guardian p on p.user_id = u.id left join employee e on e.user_id = u.id
				left join notification_preference w on w.user_id = u.id and w.type = @type::text),
			message as (
				select 'PUSH' as channel, recipient, null::uuid as user_id, case when everybody
					and lock_screen <> 'NOTHING' then @title::text else @plain_title::text end as title,
					case when everybody and lock_screen <> 'NOTHING' then @teaser::text else @plain_body::text end as body, 0 as badge, false as ruled,
						null::int as wait_minutes from topic, school_setting
				union all select 'PUSH', 'user_' || p.user_id, p.user_id,
					case lock_screen when 'NOTHING' then @plain_title::text else @title::text end,
						case lock_screen when 'NOTHING' then @plain_body::text when 'FULL' then left(@body::text, ` + shownOnScreen +
			`) else @teaser::text end,
						greatest((select count(*) from notification n where n.user_id = p.user_id and n.read_at is null
						and ` + visibleTo("p.user_id") + `), 1)::int, true, p.wait_minutes
					from person p, school_setting where p.first = 'PUSH' and (not p.told or p.wait_minutes is not null)
				union all select way, recipient, p.user_id, @title::text, @body::text, 1, p.first = way,
					case when p.first = way then p.wait_minutes end
					from person p, lateral (values ('SMS', p.phone, p.sms), ('EMAIL', p.address, p.email),
						('WHATSAPP', p.phone, false)) x (way, recipient, asked)
					where recipient is not null and (asked or p.first = way))
			insert into delivery (id, channel, recipient, user_id, purpose, type, record_id, title, body, badge, segments, dedupe_key, collapse_id,
			urgent, expires_at, next_at, created_at, rule, log_keys, wait_minutes)
			select gen_random_uuid(), m.channel, m.recipient, m.user_id, 'NOTICE', @type::text, @record::uuid, m.title, m.body, m.badge,
			sms.segments,
				@key::text || '/' || m.channel || '/' || m.recipient, case when m.channel = 'PUSH' then md5(@key::text)::uuid end,
				@urgent::boolean, @until::timestamptz, w.at, @now::timestamptz,
				case when m.ruled then @rule::text end, case when m.ruled then array[@key::text] end, m.wait_minutes
			from message m, (select case when @urgent::boolean then @now::timestamptz else at end as at from awake) w,
			` + InSegments("@title::text", "@body::text") + `
			where @until::timestamptz is null or @until::timestamptz > w.at on conflict (dedupe_key) do nothing`},
	}
	if b.Silent {
		queries = queries[:1]
	}
	if err := tenancy.Pipeline(db, queries...); err != nil {
		return fmt.Errorf("sending a broadcast: %w", err)
	}
	return m.Queue.Queued(ctx, db, school.ID)
}

// Recall takes back the notices of a record: the lines of the log, and messages that
// have not gone out.
func (m *Module) Recall(db *gorm.DB, record uuid.UUID) error {
	err := tenancy.Pipeline(db,
		tenancy.Query{SQL: `delete from notification where record_id = $1 and type = 'ANNOUNCEMENT'`, Args: []any{record}},
		tenancy.Query{SQL: `delete from delivery where record_id = $1 and type = 'ANNOUNCEMENT' and state = 'QUEUED'`, Args: []any{record}})
	if err != nil {
		return fmt.Errorf("recalling notifications: %w", err)
	}
	return nil
}
