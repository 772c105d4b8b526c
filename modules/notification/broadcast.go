package notification

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/notice"
	"homeroom/tenancy"
)

// Broadcast writes everybody's line of the log and queues the messages, in the
// transaction of the listener that calls it. Called again it does nothing anew. The
// school's own topic reaches everybody. Else everybody's devices are told, and the topics of
// students and teachers that there is something; not a topic where a parent or teacher
// wants no pushes.
func (m *Module) Broadcast(ctx context.Context, db *gorm.DB, school *tenancy.School, now time.Time, b notice.Broadcast) error {
	plainTitle, plainBody, err := plainPush(school)
	if err != nil {
		return err
	}
	n := len(b.Args)
	args := append(append([]any{}, b.Args...), now, school.TimeZone, string(b.Type), b.Key, b.RecordID, b.Title, b.Body, b.Teaser, plainTitle, plainBody)
	own := func(sql string) string {
		// The statements below name their own arguments :now, :zone …; they come after the caller's.
		for i, name := range []string{":now", ":zone", ":type", ":key", ":record", ":title", ":body", ":teaser", ":plaintitle", ":plainbody"} {
			sql = strings.ReplaceAll(sql, name, fmt.Sprintf("$%d", n+i+1))
		}
		return sql
	}
	queries := []tenancy.Query{
		{SQL: own(`insert into notification (id, user_id, dedupe_key, type, title, body, record_id, created_at)
			select gen_random_uuid(), r.user_id, :key::text, :type::text, :title::text, :body::text, :record::uuid, :now::timestamptz
			from (` + b.Recipients + `) r on conflict (user_id, dedupe_key) do nothing`)},
		{SQL: own(`with ` + strings.NewReplacer("$2", ":now", "$3", ":zone").Replace(awake) + `,
			wish as (select u.id as user_id, u.phone, coalesce(nullif(p.email, ''), nullif(e.email, ''), u.email) as address, w.sms, w.email
				from (` + b.Recipients + `) r join notification_preference w on w.user_id = r.user_id and w.type = :type::text and (w.sms or w.email)
				join app_user u on u.id = r.user_id left join guardian p on p.user_id = u.id left join employee e on e.user_id = u.id),
			silent as (select user_id from notification_preference where type = :type::text and not push),
			muted as (select distinct 'student_' || sg.student_id as topic from student_guardian sg join guardian g on g.id = sg.guardian_id
					join silent s on s.user_id = g.user_id where sg.can_view_data
				union all select 'teacher_' || user_id from silent),
			topic as (select t.recipient, t.recipient like 'school\_%' as everybody from (` + b.Topics + `) t where not exists (select from muted m where m.topic = t.recipient)),
			message as (
				select 'PUSH' as channel, recipient, null::uuid as user_id, case when everybody then :title::text else :plaintitle::text end as title,
					case when everybody then :teaser::text else :plainbody::text end as body, everybody::int as badge from topic
				union all select 'PUSH', 'user_' || r.user_id, r.user_id, :title::text, :teaser::text,
						greatest((select count(*) from notification n where n.user_id = r.user_id and n.read_at is null and ` + visibleTo("r.user_id") + `), 1)::int
					from (` + b.Recipients + `) r where not exists (select from topic where everybody) and not exists (select from silent s where s.user_id = r.user_id)
				union all select 'SMS', phone, user_id, :title::text, :body::text, 1 from wish where sms and phone is not null
				union all select 'EMAIL', address, user_id, :title::text, :body::text, 1 from wish where email and address is not null)
			insert into delivery (id, channel, recipient, user_id, purpose, type, record_id, title, body, badge, segments, dedupe_key, collapse_id, next_at, created_at)
			select gen_random_uuid(), m.channel, m.recipient, m.user_id, 'NOTICE', :type::text, :record::uuid, m.title, m.body, m.badge, sms.segments,
				:key::text || '/' || m.channel || '/' || m.recipient, case when m.channel = 'PUSH' then md5(:key::text)::uuid end, awake.at, :now::timestamptz
			from message m, awake, ` + InSegments(":title::text", ":body::text") + ` on conflict (dedupe_key) do nothing`)},
	}
	for i := range queries {
		queries[i].SQL, queries[i].Args = compact(queries[i].SQL, args)
	}
	if err := tenancy.Pipeline(db, queries...); err != nil {
		return fmt.Errorf("telling many: %w", err)
	}
	return m.Queue.Queued(ctx, db, school.ID)
}

var argument = regexp.MustCompile(`\$[0-9]+`)

// compact numbers the arguments a statement uses from one: Postgres cannot tell the
// type of one that is not used.
func compact(sql string, args []any) (string, []any) {
	numbers := map[string]string{}
	var used []any
	sql = argument.ReplaceAllStringFunc(sql, func(old string) string {
		if numbers[old] == "" {
			n, _ := strconv.Atoi(old[1:])
			used = append(used, args[n-1])
			numbers[old] = fmt.Sprintf("$%d", len(used))
		}
		return numbers[old]
	})
	return sql, used
}

// Recall takes back what was told of a record: the lines of the log, and messages that
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
