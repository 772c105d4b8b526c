// Package notice tells people of a school what has happened: notices and broadcasts, and their texts
// in every language. A notice is written in the transaction of the change it is about. How it reaches
// people's phones is the work of modules/notification.
package notice

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

// Type is what a notice is about: data.type of a push message.
type Type string

const (
	Announcement Type = "ANNOUNCEMENT"
	Attendance   Type = "ATTENDANCE"
	Result       Type = "RESULT"
	Fee          Type = "FEE"
	Leave        Type = "LEAVE_REQUEST"
	Message      Type = "MESSAGE"
	Transport    Type = "TRANSPORT"
	Library      Type = "LIBRARY"
	Timetable    Type = "TIMETABLE"
	Exam         Type = "EXAM"
	Event        Type = "EVENT"
)

// Notice is a message to the guardians of a student, or to one user. It is written with the change
// it is about, and so are the entries of the log that people read in the app.
type Notice struct {
	Type      Type       `json:"type"`
	Key       string     `json:"key"`        // a second notice with the same key is not written
	RecordID  uuid.UUID  `json:"record_id"`  // what it is about; zero: no record
	StudentID *uuid.UUID `json:"student_id"` // its guardians are the recipients, unless UserID is set
	UserID    *uuid.UUID `json:"user_id"`
	// Text is the content, in the language of each recipient or the school. Title, Body and Teaser are filled in
	// from it, except those that are set: a message has its sender's words.
	Text  Text   `json:"-"`
	Title string `json:"title"`
	Body  string `json:"body"`
	// Teaser is the text for a locked screen: no marks, amounts or reasons, and no child's
	// name. The title must not have them either.
	Teaser string `json:"teaser"`
	// DueAt is when it is sent; zero: at once. Until then it can be withdrawn.
	DueAt time.Time `json:"due_at"`
	// Day is the day it is about, if it is news on that day alone: when it is longer past than
	// the school's setting allows, the notice is silent.
	Day api.Date `json:"day"`
	// Urgent goes out at once, in quiet hours too: an accident, a missing child. Everything else waits until they end.
	Urgent bool `json:"urgent"`
	// Begins is when what it is about begins, as it is or as it was, whichever is earlier. What begins soon is urgent, since
	// people could not go by it any more in the morning; after the Day it is of no use. Zero: it is about no moment.
	Begins time.Time `json:"-"`
	// Alarm is an accident, a missing child or a school that is closed: people are told by the school's rule for what is
	// urgent, whatever its type.
	Alarm bool `json:"alarm"`
	// Detail is in everybody's log, and is sent to those who asked for the details of its type.
	Detail bool `json:"detail"`
	// Until is when it is of no use any more: after it nothing is sent. Zero: it is always of use.
	Until *time.Time `json:"until"`
	// Silent notices are in the log, read already, and are not sent.
	Silent bool `json:"silent"`
	// BatchID is the batch it is sent with; nil: it is sent alone.
	BatchID *uuid.UUID `json:"batch_id"`
}

// Kind is what a batch of notices is: whom it reached is seen together.
type Kind string

const (
	FeeReminders Kind = "FEE_REMINDER"
	FeeCharges   Kind = "FEE_CHARGE"
	OverdueBooks Kind = "OVERDUE_BOOKS"
)

type batch struct {
	id     uuid.UUID
	kind   Kind
	sentBy uuid.UUID // nil: the service
}

// Due is the fact that notices are due, with their ids.
const Due = "notices.due"

// DueIDs is the data of the fact Due.
type DueIDs struct {
	IDs []uuid.UUID `json:"ids"`
}

// Unanswered is the fact that messages reached nobody, or were sent a while ago: to recipients who have not read their notice
// it is sent by the next way.
const Unanswered = "deliveries.unanswered"

// UnansweredIDs is the data of the fact Unanswered: ids of messages.
type UnansweredIDs struct {
	IDs []uuid.UUID `json:"ids"`
}

// NoDevice stands instead of the provider's id with a push to a user who has no device: it is sent, and reached nobody.
const NoDevice = "no device"

// soon is how long before it begins a change of plan is urgent.
const soon = 24 * time.Hour

// IsSoon reports whether something begins so soon, or has begun, that people hear of it at once, in quiet hours too.
func IsSoon(now, begins time.Time) bool { return begins.Sub(now) < soon }

// Earlier is the earlier of two moments.
func Earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// maxIDs is how many notices one fact names.
const maxIDs = 500

// Send writes notices with the transaction of c.
func Send(c api.Ctx, notices ...Notice) {
	p := api.AtCommit[pending](c)
	p.notices = append(p.notices, notices...)
}

// SendBatch is Send for what one act tells many, each of a record of its own.
func SendBatch(c api.Ctx, kind Kind, notices ...Notice) {
	if len(notices) == 0 {
		return
	}
	p, b := api.AtCommit[pending](c), batch{api.NewID(), kind, c.User.ID}
	for i := range notices {
		notices[i].BatchID = &b.id
	}
	p.batches, p.notices = append(p.batches, b), append(p.notices, notices...)
}

// pending are a transaction's notices.
type pending struct {
	notices []Notice
	batches []batch
}

// Statements write the notices, and the log of those that are due now.
func (p *pending) Statements(c api.Ctx) ([]tenancy.Query, error) {
	if c.IsSilent() {
		keepSilent(p.notices)
	}
	queries, facts, err := statements(p.notices, c.School, c.Now)
	c.Tell(facts...)
	for _, b := range p.batches { // of none where nobody was told: another act was first, or they have nobody
		queries = append(queries, tenancy.Query{SQL: `insert into notice_batch (id, kind, sent_at, sent_by)
			select $1, $2, $3, nullif($4::uuid, '00000000-0000-0000-0000-000000000000')
			where exists (select from notification where batch_id = $1)`, Args: []any{b.id, b.kind, c.Now, b.sentBy}})
	}
	return queries, err
}

// keepSilent has notices kept in the log and not sent.
func keepSilent(notices []Notice) {
	for i := range notices {
		notices[i].Silent = true
	}
}

// SendIn is Send for a listener, in the transaction of the fact it handles; silent says that the fact is.
func SendIn(tx *gorm.DB, school *tenancy.School, now time.Time, silent bool, notices ...Notice) error {
	if silent {
		keepSilent(notices)
	}
	queries, facts, err := statements(notices, school, now)
	if err != nil {
		return err
	}
	for _, f := range facts {
		args, err := f.InsertArgs(now)
		if err != nil {
			return err
		}
		queries = append(queries, tenancy.Query{SQL: events.InsertSQL, Args: args})
	}
	if len(queries) == 0 {
		return nil
	}
	if err := tenancy.Pipeline(tx, queries...); err != nil {
		return fmt.Errorf("writing notices: %w", err)
	}
	return nil
}

// Withdraw deletes notices that were not sent yet, and returns their keys. Those of the same
// request are not among them.
func Withdraw(db *gorm.DB, keys ...string) ([]string, error) {
	var withdrawn []string
	err := db.Raw(`delete from notice where key in ? and told_at is null returning key`, keys).Scan(&withdrawn).Error
	if err != nil {
		return nil, fmt.Errorf("withdrawing notices: %w", err)
	}
	return withdrawn, nil
}

// timely makes a notice about something that begins soon urgent, and one about a day of no use after it. A day that is past
// already is one that the school tells of all the same.
func (n *Notice) timely(now time.Time, place *time.Location) {
	if n.Begins.IsZero() {
		return
	}
	n.Urgent = n.Urgent || IsSoon(now, n.Begins)
	if end := n.Day.AddDays(1).In(place); n.Until == nil && !n.Day.IsZero() && end.After(now) {
		n.Until = &end
	}
}

// wordings are a notice in one language.
type wordings struct {
	Title  string `json:"title"`
	Body   string `json:"body"`
	Teaser string `json:"teaser"`
	// Today and NextDay are the body as it is said on the day it is written and on the next; empty: as on any other.
	Today   string `json:"today,omitempty"`
	NextDay string `json:"nextDay,omitempty"`
}

// inWords is a notice that is written on a day, in a language. One that names no day needs no body for days.
func (n Notice) inWords(lang string, today api.Date, namesDays bool) (wordings, error) {
	plain, onTheDay, theDayAfter := n, n, n
	err := plain.Translate(lang)
	if namesDays {
		err = errors.Join(err, onTheDay.translate(lang, today), theDayAfter.translate(lang, today.AddDays(1)))
	}
	out := wordings{Title: plain.Title, Body: plain.Body, Teaser: plain.Teaser}
	if out.Teaser == "" {
		out.Teaser = out.Title
	}
	if namesDays && (onTheDay.Body != plain.Body || theDayAfter.Body != plain.Body) {
		out.Today, out.NextDay = onTheDay.Body, theDayAfter.Body
	}
	return out, err
}

// statements write notices, and the log of those that are due now; facts are due with the others.
func statements(notices []Notice, school *tenancy.School, now time.Time) (out []tenancy.Query, facts []events.Fact, err error) {
	if len(notices) == 0 {
		return nil, nil, nil
	}
	type row struct {
		ID uuid.UUID `json:"id"`
		Notice
		SaidToday   string              `json:"said_today"`
		SaidNextDay string              `json:"said_next_day"`
		Texts       map[string]wordings `json:"texts,omitempty"`
	}
	own := language(school.Locale)
	today := api.DateOf(now.In(school.Location()))
	rows := make([]row, len(notices))
	due := map[time.Time][]uuid.UUID{}
	var moments []time.Time
	for i, n := range notices {
		if n.DueAt.Before(now) {
			n.DueAt = now
		}
		n.timely(now, school.Location())
		in, err := n.inWords(own, today, true)
		if err != nil {
			return nil, nil, err
		}
		rows[i] = row{ID: api.NewID(), SaidToday: in.Today, SaidNextDay: in.NextDay}
		if n.Text.Name != "" {
			rows[i].Texts = map[string]wordings{}
			for lang := range catalogues {
				if lang == own {
					continue
				}
				if rows[i].Texts[lang], err = n.inWords(lang, today, in.Today != ""); err != nil {
					return nil, nil, err
				}
			}
		}
		n.Title, n.Body, n.Teaser = in.Title, in.Body, in.Teaser
		rows[i].Notice = n
		if due[n.DueAt] == nil {
			moments = append(moments, n.DueAt)
		}
		due[n.DueAt] = append(due[n.DueAt], rows[i].ID)
	}
	body, err := json.Marshal(rows)
	if err != nil {
		return nil, nil, fmt.Errorf("writing notices: %w", err)
	}
	sql := insert
	if due[now] != nil {
		sql = insertTold
	}
	out = []tenancy.Query{{SQL: sql, Args: []any{string(body), now, school.TimeZone}, ForceGenericPlan: true}}
	for _, at := range moments {
		for ids := range slices.Chunk(due[at], maxIDs) {
			facts = append(facts, events.Fact{Kind: Due, Data: DueIDs{IDs: ids}, DueAt: at})
		}
	}
	return out, facts, nil
}

const insert = `insert into notice (id, type, key, record_id, student_id, user_id, title, body, teaser, due_at, urgent, alarm, detail,
	until, batch_id,
	said_today, said_next_day, texts, silent, told_at, created_at)
	select n.id, type, key, nullif(record_id, '00000000-0000-0000-0000-000000000000'), student_id, user_id, title, body, teaser, due_at,
	urgent, alarm, detail, until, batch_id, said_today, said_next_day,
		(select jsonb_object_agg(l.key, l.value) from jsonb_each(texts) l where l.key = any(spoken.languages)), silent
		or coalesce(day < ($2::timestamptz at time zone $3)::date - s.notice_past_days, false), case when due_at <= $2 then $2 end, $2
	from jsonb_to_recordset($1::jsonb) as n (id uuid, type text, key text, record_id uuid, student_id uuid, user_id uuid, title text,
	body text, teaser text, due_at timestamptz, day date, silent boolean, urgent boolean, alarm boolean, detail boolean, until timestamptz,
		batch_id uuid, said_today text, said_next_day text, texts jsonb), school_setting s,
		(select array(select l from unnest(array['en', 'hi', 'ar', 'sw']) l where exists (select from app_user where language = l))
			as languages) spoken
	on conflict (key) do nothing`

// insertTold is insert, and the log of those that are due at once.
const insertTold = `with written as (` + insert + ` returning *), told as (select * from written where told_at is not null) ` + log

// RecipientMayView is the condition, with a notice as t and one of its recipients as u, that a
// parent who gets a notice about a child may see the child's data now.
const RecipientMayView = `(t.user_id is null or t.student_id is null
		or exists (select from role r where r.id = u.role_id and r.type <> 'PARENT')
		or exists (select from student_guardian l join guardian p on p.id = l.guardian_id where l.student_id = t.student_id and p.user_id = u.id
		and l.can_view_data))`

// InsertLog writes the log of notices that are due, once: ids and now are its arguments.
// A student's guardians are recipients if they may see the student's data.
const InsertLog = `with told as (
		update notice set told_at = $2 where id = any($1) and told_at is null and due_at <= $2 returning *) ` + log

// log is the log of the notices that are told. Guardians and users are looked up one by one: a plan that was made while the school
// was empty, or for as many notices as Postgres guesses, would read all of them for each notice.
const log = `insert into notification (id, user_id, dedupe_key, type, title, body, record_id, student_id, batch_id, created_at,
	read_at)
	select gen_random_uuid(), u.id, t.key, t.type, coalesce(t.texts -> u.language ->> 'title', t.title),
		coalesce(t.texts -> u.language ->> 'body', t.body), t.record_id, t.student_id, t.batch_id, $2, case when t.silent then $2 end
	from told t
	left join lateral (select p.user_id from student_guardian sg join guardian p on p.id = sg.guardian_id
		where sg.student_id = t.student_id and sg.can_view_data offset 0) g on t.user_id is null
	join lateral (select id, role_id, language from app_user where id = coalesce(t.user_id, g.user_id) and status = 'ACTIVE'
		offset 0) u on true
	where ` + RecipientMayView + `
	on conflict (user_id, dedupe_key) do nothing`
