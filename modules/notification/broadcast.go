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

// broadcastRule is the common table of the rule by which a broadcast is sent, and whether it waits for the digest.
var broadcastRule = `rule as (select k.*, 'PUSH' = any(k.ways) as pushes, next_digest.at as next_at,
	` + isLater("@urgent::boolean", "@until::timestamptz") + ` as later from notice_rule k, next_digest where k.type = @rule::text)`

// Broadcast writes the log's entry of each recipient and queues the messages, in the
// transaction of the listener that calls it. Called again it does nothing anew. The school's own
// topic reaches the phones of all users; who has a browser gets a push of their own beside it. Else each recipient's devices
// get a push, and the topics of students and teachers one without content; not a topic where a parent or teacher wants no
// pushes. A push says as much as the school's lock_screen allows; its topic never has the body, since any phone may hear it. What
// can wait is kept for the digest.
func (m *Module) Broadcast(ctx context.Context, db *gorm.DB, school *tenancy.School, now time.Time, b notice.Broadcast) error {
	plainTitle, plainBody, err := plainPush(school)
	if err != nil {
		return err
	}
	reachable, browsers, err := m.Queue.Reachable(ctx, school.ID)
	if err != nil {
		return err
	}
	teasers, err := inEveryLanguage(b.Teaser, school)
	if err != nil {
		return err
	}
	rule := string(b.Type)
	if b.Urgent {
		rule = urgentRule
	}
	args := pgx.NamedArgs{
		"now": now, "zone": school.TimeZone, "type": string(b.Type), "rule": rule, "reachable": reachable, "browsers": browsers,
		"key": b.Key, "record": b.RecordID,
		"urgent": b.Urgent, "until": b.Until, "title": b.Title, "body": b.Body, "teasers": teasers, "plain_title": plainTitle,
		"plain_body": plainBody, "silent": b.Silent,
	}
	maps.Copy(args, b.Args)
	// No "on conflict", which costs a third of the insert: whoever has the line, has what follows from it.
	logged := `insert into notification (id, user_id, dedupe_key, type, title, body, record_id, created_at, read_at)
		select gen_random_uuid(), r.user_id, @key::text, @type::text, @title::text, @body::text, @record::uuid, @now::timestamptz,
		case when @silent::boolean then @now::timestamptz end
		from (` + b.Recipients + `) r
		where not exists (select from notification n where n.record_id = @record::uuid and n.user_id = r.user_id and n.dedupe_key = @key::text)`
	queries := []tenancy.Query{
		{Args: []any{args}, SQL: `with ` + awake("@now", "@zone") + `, ` + nextDigest("@now", "@zone") + `, ` + broadcastRule + `,
			logged as (` + logged + ` returning user_id),
			silent as (select p.user_id from notification_preference p, rule k where p.type = @type::text and not p.push and k.may_turn_off),
			muted as (select distinct 'student_' || sg.student_id as topic from student_guardian sg join guardian g on g.id = sg.guardian_id
					join silent s on s.user_id = g.user_id where sg.can_view_data
				union all select 'teacher_' || user_id from silent),
			topic as (select t.recipient, t.recipient like 'school\_%' as everybody
			from (` + b.Topics + `) t, rule k where k.pushes and not k.later and not exists (select from muted m where m.topic = t.recipient)),
			everybody as (select exists (select from topic where everybody) as told),
			person as (select u.id as user_id, u.phone, u.language, ` + address +
			` as address, coalesce(w.sms, false) as sms, coalesce(w.email, false) as email,
					k.wait_minutes, k.later, k.next_at, y.told, pushed.wanted, case when pushed.wanted then
						` + firstWay("not y.told or u.id = any(@reachable::uuid[])") + ` end as first
				from logged r cross join rule k cross join everybody y join app_user u on u.id = r.user_id
				left join guardian p on p.user_id = u.id left join employee e on e.user_id = u.id
				left join notification_preference w on w.user_id = u.id and w.type = @type::text,
				lateral (select coalesce(w.push, true) or not k.may_turn_off as wanted) pushed),
			waiting as (insert into digest_entry (user_id, key, way, due_at, until)
				select p.user_id, @key::text, x.way, p.next_at, @until::timestamptz
				from person p, lateral (values ('RULE', p.wanted), ('SMS', p.sms and p.phone is not null),
					('EMAIL', p.email and p.address is not null)) x (way, wanted)
				where p.later and x.wanted on conflict do nothing),
			message as (
				select 'PUSH' as channel, recipient, null::uuid as user_id, case when everybody
					and lock_screen <> 'NOTHING' then @title::text else @plain_title::text end as title,
					case when everybody and lock_screen <> 'NOTHING' then @teasers::jsonb ->> '' else @plain_body::jsonb ->> '' end as body,
						0 as badge, false as ruled, null::int as wait_minutes from topic, school_setting
				union all select 'PUSH', 'user_' || p.user_id, p.user_id,
					case lock_screen when 'NOTHING' then @plain_title::text else @title::text end,
						case lock_screen when 'NOTHING' then coalesce(@plain_body::jsonb ->> p.language, @plain_body::jsonb ->> '')
						when 'FULL' then left(@body::text, ` + shownOnScreen + `)
						else coalesce(@teasers::jsonb ->> p.language, @teasers::jsonb ->> '') end,
						1 + (select count(*) from notification n where n.user_id = p.user_id and n.read_at is null
						and ` + visibleTo("p.user_id") + `)::int, true, p.wait_minutes
					from person p, school_setting where not p.later and p.first = 'PUSH'
						and (not p.told or p.wait_minutes is not null or p.user_id = any(@browsers::uuid[]))
				union all select way, recipient, p.user_id, @title::text, @body::text, 1, p.first = way,
					case when p.first = way then p.wait_minutes end
					from person p, lateral (values ('SMS', p.phone, p.sms), ('EMAIL', p.address, p.email),
						('WHATSAPP', p.phone, false)) x (way, recipient, asked)
					where not p.later and (p.sms or p.email or p.first <> 'PUSH') and recipient is not null and (asked or p.first = way))
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
		{Args: []any{now}, SQL: watchDigest},
	}
	if b.Silent {
		queries = []tenancy.Query{{Args: []any{args}, SQL: logged}}
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
