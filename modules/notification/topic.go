package notification

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

// The topics of a student, after student_{id}: by what a push is about, and the bare one
// for everything else.
var studentTopics = []string{"", "_attendance", "_result", "_fee"}

// Topic is a topic that phones subscribe to, in words.
type Topic struct{ Name, Who, Tells string }

// Topics are all of them, for who writes an app.
func Topics() []Topic {
	about := map[string]string{"": "everything else about the child", "_attendance": "`ATTENDANCE`", "_result": "`RESULT`", "_fee": "`FEE`"}
	out := []Topic{{"school_{schoolId}", "parents and teachers", "`ANNOUNCEMENT` to everybody"},
		{"teacher_{userId}", "the teacher, by the id of sign-in", "what is for this teacher"}}
	for _, kind := range studentTopics {
		out = append(out, Topic{"student_{studentId}" + kind, "parents, for each child they may see", about[kind]})
	}
	return out
}

// studentTopic is the topic a student's parents are subscribed to, by what it is about.
const studentTopic = `'student_' || t.student_id || case t.type when 'ATTENDANCE' then '_attendance' when 'RESULT' then '_result'
	when 'FEE' then '_fee' else '' end`

// plainPush is what a push to the topic of one child or one teacher says: nothing. Phones
// subscribe to topics by themselves, so that nobody knows who hears them. What there is
// to read the app asks for, with its user's token. The body is JSON: in each language, and as "" in the school's.
func plainPush(school *tenancy.School) (title, body string, err error) {
	body, err = inEveryLanguage(notice.Text{Name: "push.open"}, school)
	return school.Name, body, err
}

// inEveryLanguage is a phrase by language as JSON; as "" in the school's.
func inEveryLanguage(t notice.Text, school *tenancy.School) (string, error) {
	all, err := notice.InEveryLanguage(t, school.Locale)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(all)
	return string(text), err
}

// mayFollow are users with what their apps subscribe to: their role, and a parent's
// children, whose links are held until the topics are written down.
const mayFollow = `select u.id as user_id, r.type as role, sg.student_id
	from app_user u join role r on r.id = u.role_id
	left join guardian g on g.user_id = u.id and r.type = 'PARENT'
	left join student_guardian sg on sg.guardian_id = g.id and sg.can_view_data
	where u.id = any($1) and u.status = 'ACTIVE'`

// holdLinks keeps links from being changed between reading them and writing topics down.
const holdLinks = `select from student_guardian sg where sg.guardian_id in (select id from guardian where user_id = any($1)) for share`

// topicsOf are the topics that apps of users may subscribe to, in order. A user who is
// gone has none.
func topicsOf(db *gorm.DB, school uuid.UUID, users []uuid.UUID) (map[uuid.UUID][]string, error) {
	topics := map[uuid.UUID][]string{}
	for _, user := range users {
		topics[user] = nil
	}
	err := tenancy.Pipeline(db, tenancy.Query{SQL: holdLinks, Args: []any{users}},
		tenancy.Query{SQL: mayFollow, Args: []any{users}, Scan: func(rows pgx.Rows) error {
			var user uuid.UUID
			var role api.RoleType
			var student *uuid.UUID
			_, err := pgx.ForEachRow(rows, []any{&user, &role, &student}, func() error {
				if topics[user] == nil && (role == api.Parent || role == api.Teacher) {
					topics[user] = append(topics[user], "school_"+school.String())
				}
				if role == api.Teacher {
					topics[user] = append(topics[user], "teacher_"+user.String())
				}
				if student != nil {
					for _, kind := range studentTopics {
						topics[user] = append(topics[user], "student_"+student.String()+kind)
					}
				}
				return nil
			})
			return err
		}})
	if err != nil {
		return nil, fmt.Errorf("reading what users may subscribe to: %w", err)
	}
	for _, t := range topics {
		slices.Sort(t)
	}
	return topics, nil
}

// FollowSight takes back what users may not hear any more: messages to them that have
// not gone out, and the subscriptions of their devices. It is a listener's, and twice is
// as once.
func (m *Module) FollowSight(ctx context.Context, school uuid.UUID, users []uuid.UUID) error {
	if len(users) == 0 {
		return nil
	}
	return api.InSchool(ctx, m.Schools, school, func(db *gorm.DB, found *tenancy.School) error {
		now := m.Clock()
		args := pgx.NamedArgs{"users": users, "now": now, "today": api.DateOf(now.In(found.Location()))}
		err := tenancy.Pipeline(db,
			tenancy.Query{SQL: m.recallUnheard(), Args: []any{args}},
			tenancy.Query{SQL: m.recallWaiting(), Args: []any{args}},
			tenancy.Query{SQL: watchDigest, Args: []any{now}})
		if err != nil {
			return fmt.Errorf("recalling messages: %w", err)
		}
		withDevice, err := m.Devices.Users(ctx, school, users...)
		if err != nil || len(withDevice) == 0 {
			return err
		}
		return m.setTopics(ctx, db, school, withDevice)
	})
}

// recallUnheard removes messages about a student, to parents who may not see the student
// any more, messages of announcements that do not address their user any more, and all to
// users who are gone. Those that were given up are among them: they could be tried again. What else one of those that waited
// told is told anew. @users are the users, @today is the school's day.
func (m *Module) recallUnheard() string {
	return `with gone as (delete from delivery d using app_user u
	where d.user_id = any(@users) and u.id = d.user_id and d.state <> 'SENT' and d.purpose = 'NOTICE' and (u.status <> 'ACTIVE'
		or d.student_id is not null and exists (select from role r where r.id = u.role_id and r.type = 'PARENT')
			and not exists (select from student_guardian sg join guardian g on g.id = sg.guardian_id where sg.student_id = d.student_id
			and g.user_id = u.id and sg.can_view_data)
		or exists (select from unnest(d.log_keys) k (key) join notification n on n.user_id = u.id and n.dedupe_key = k.key
			where not ` + visibleTo("u.id") + `)
		or d.type = 'ANNOUNCEMENT' and d.record_id is not null and not ` + m.AnnouncementAddressesUser + `)
		returning d.user_id, d.state, d.channel, d.rule, d.log_keys, d.expires_at, u.status)
	insert into digest_entry (user_id, key, way, due_at, until, rule)
	select g.user_id, n.dedupe_key, case when g.channel in ('SMS', 'EMAIL') then g.channel else 'RULE' end, @now::timestamptz, g.expires_at,
		coalesce(g.rule, '` + digestRule + `')
	from gone g join notification n on n.user_id = g.user_id and n.dedupe_key = any(g.log_keys) and n.read_at is null
		and ` + visibleTo("g.user_id") + `
	where g.state = 'QUEUED' and g.status = 'ACTIVE' and cardinality(g.log_keys) > 1 on conflict do nothing`
}

// recallWaiting removes announcements that wait for a digest from users whom they do not address any more. What is about a
// student is compared when the digest is made.
func (m *Module) recallWaiting() string {
	return `delete from digest_entry g using notification d where g.user_id = any(@users) and d.user_id = g.user_id
		and d.dedupe_key = g.key and d.type = 'ANNOUNCEMENT' and d.record_id is not null and not ` + m.AnnouncementAddressesUser
}

func (m *Module) setTopics(ctx context.Context, db *gorm.DB, school uuid.UUID, users []uuid.UUID) error {
	topics, err := topicsOf(db, school, users)
	if err != nil {
		return err
	}
	return m.Devices.SetTopics(ctx, school, topics)
}

// CompareTopics writes down for every device of a school what it may be subscribed to:
// for devices from before that was kept, and for changes nobody told of.
func (m *Module) CompareTopics(ctx context.Context, db *gorm.DB, school uuid.UUID) error {
	users, err := m.Devices.Users(ctx, school)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(users, 500) {
		err := db.Transaction(func(tx *gorm.DB) error { return m.setTopics(ctx, tx, school, some) })
		if err != nil {
			return err
		}
	}
	return nil
}
