package api

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/events"
	"homeroom/tenancy"
)

// NoticeType is what a notice is about: data.type of a push message.
type NoticeType string

const (
	NoticeAnnouncement NoticeType = "ANNOUNCEMENT"
	NoticeAttendance   NoticeType = "ATTENDANCE"
	NoticeResult       NoticeType = "RESULT"
	NoticeFee          NoticeType = "FEE"
	NoticeLeave        NoticeType = "LEAVE_REQUEST"
	NoticeMessage      NoticeType = "MESSAGE"
	NoticeTransport    NoticeType = "TRANSPORT"
	NoticeLibrary      NoticeType = "LIBRARY"
)

// Notice is something people are told of: the guardians of a student, or one user.
// It is written in the transaction of the change it tells of, and so are the lines
// of the log that people read; how it travels further is not the teller's business.
type Notice struct {
	Type      NoticeType `json:"type"`
	Key       string     `json:"key"`        // what makes it this one: the same key is told once
	RecordID  uuid.UUID  `json:"record_id"`  // what it is about; none for what has no record
	StudentID *uuid.UUID `json:"student_id"` // whose guardians hear, unless UserID names one person
	UserID    *uuid.UUID `json:"user_id"`
	// Text is what it says, in the language of the school. Title, Body and Teaser are
	// filled in from it, except those that are given: a message is in its sender's words.
	Text  Text   `json:"-"`
	Title string `json:"title"`
	Body  string `json:"body"`
	// Teaser is what a locked screen may show: no marks, amounts or reasons, and no child's
	// name. The title must do without them too.
	Teaser string `json:"teaser"`
	// DueAt is when it is told, if not at once. Until then it can be withdrawn.
	DueAt time.Time `json:"due_at"`
}

// NoticesDue is the fact that notices are to be told, with their ids.
const NoticesDue = "notices.due"

// DueNotices is what the fact NoticesDue says.
type DueNotices struct {
	IDs []uuid.UUID `json:"ids"`
}

// noticesAFact bounds one fact's size.
const noticesAFact = 500

// Notify tells people, with the transaction.
func (c Ctx) Notify(notices ...Notice) { c.rq.notices = append(c.rq.notices, notices...) }

// Withdraw takes notices back that were not told yet, and returns their keys. Those
// of this very request are not among them.
func (c Ctx) Withdraw(keys ...string) ([]string, error) {
	var withdrawn []string
	err := c.DB.Raw(`delete from notice where key in ? and told_at is null returning key`, keys).Scan(&withdrawn).Error
	if err != nil {
		return nil, fmt.Errorf("withdrawing notices: %w", err)
	}
	return withdrawn, nil
}

const insertNotices = `insert into notice (id, type, key, record_id, student_id, user_id, title, body, teaser, due_at, created_at)
	select id, type, key, nullif(record_id, '00000000-0000-0000-0000-000000000000'), student_id, user_id, title, body, teaser, due_at, $2
	from jsonb_to_recordset($1::jsonb) as n (id uuid, type text, key text, record_id uuid, student_id uuid, user_id uuid, title text, body text, teaser text, due_at timestamptz)
	on conflict (key) do nothing`

// MayHear is the condition, with a notice as t and one of its recipients as u, that a
// parent who is told of a child may see the child's data now.
const MayHear = `(t.user_id is null or t.student_id is null
		or exists (select from role r where r.id = u.role_id and r.type <> 'PARENT')
		or exists (select from student_guardian l join guardian p on p.id = l.guardian_id where l.student_id = t.student_id and p.user_id = u.id and l.can_view_data))`

// LogNotices writes the log of notices that are due, once: ids and now are its
// arguments. A student's guardians hear if they may see the student's data.
const LogNotices = `with told as (
		update notice set told_at = $2 where id = any($1) and told_at is null and due_at <= $2 returning *)
	insert into notification (id, user_id, dedupe_key, type, title, body, record_id, student_id, created_at)
	select gen_random_uuid(), u.id, t.key, t.type, t.title, t.body, t.record_id, t.student_id, $2
	from told t
	left join student_guardian sg on t.user_id is null and sg.student_id = t.student_id and sg.can_view_data
	left join guardian g on g.id = sg.guardian_id
	join app_user u on u.id = coalesce(t.user_id, g.user_id) and u.status = 'ACTIVE'
	where ` + MayHear + `
	on conflict (user_id, dedupe_key) do nothing`

// noticeQueries write a request's notices, and the log of those that are due now.
// The facts that carry them further are added to the request's own.
func (rq *request) noticeQueries() ([]tenancy.Query, error) {
	if len(rq.notices) == 0 {
		return nil, nil // the platform has none, and no school's language
	}
	queries, facts, err := noticeQueries(rq.notices, rq.school.Locale, rq.now)
	rq.facts = append(rq.facts, facts...)
	return queries, err
}

// NotifyIn is Notify for a listener, in the transaction it hears a fact in, and in the
// language of the school's locale.
func NotifyIn(tx *gorm.DB, locale string, now time.Time, notices ...Notice) error {
	queries, facts, err := noticeQueries(notices, locale, now)
	if err != nil || len(queries) == 0 {
		return err
	}
	for _, f := range facts {
		args, err := f.InsertArgs(now)
		if err != nil {
			return err
		}
		queries = append(queries, tenancy.Query{SQL: events.InsertSQL, Args: args})
	}
	if err := tenancy.Pipeline(tx, queries...); err != nil {
		return fmt.Errorf("writing notices: %w", err)
	}
	return nil
}

func noticeQueries(notices []Notice, locale string, now time.Time) (out []tenancy.Query, facts []events.Fact, err error) {
	if len(notices) == 0 {
		return nil, nil, nil
	}
	type row struct {
		ID uuid.UUID `json:"id"`
		Notice
	}
	rows := make([]row, len(notices))
	due := map[time.Time][]uuid.UUID{}
	var moments []time.Time
	for i, n := range notices {
		if n.DueAt.Before(now) {
			n.DueAt = now
		}
		if err := n.In(locale); err != nil {
			return nil, nil, err
		}
		if n.Teaser == "" {
			n.Teaser = n.Title
		}
		rows[i] = row{NewID(), n}
		if due[n.DueAt] == nil {
			moments = append(moments, n.DueAt)
		}
		due[n.DueAt] = append(due[n.DueAt], rows[i].ID)
	}
	body, err := json.Marshal(rows)
	if err != nil {
		return nil, nil, fmt.Errorf("writing notices: %w", err)
	}
	out = []tenancy.Query{{SQL: insertNotices, Args: []any{string(body), now}}}
	if ids := due[now]; ids != nil {
		out = append(out, tenancy.Query{SQL: LogNotices, Args: []any{ids, now}, ForceGenericPlan: true})
	}
	for _, at := range moments {
		for ids := due[at]; len(ids) > 0; {
			n := min(noticesAFact, len(ids))
			facts = append(facts, events.Fact{Kind: NoticesDue, Data: DueNotices{IDs: ids[:n]}, DueAt: at})
			ids = ids[n:]
		}
	}
	return out, facts, nil
}
