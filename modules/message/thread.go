package message

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// belongs says whether p, who is in a thread and has the role r, still has to do with it
// on the day @today: a guardian as long as they may see the student; a teacher as long as
// they teach the student, or where the office began it, or no guardian is in it.
const belongs = `(thread.student_id is null or case r.type
	when 'PARENT' then exists (select from student_guardian sg join guardian g on g.id = sg.guardian_id join student s on s.id = sg.student_id
		where g.user_id = p.user_id and sg.student_id = thread.student_id and sg.can_view_data and s.deleted_at is null)
	when 'TEACHER' then exists (select from enrolment e join teacher_assignment a on a.class_id = e.class_id and (a.division_id is null
	or a.division_id = e.division_id)
			left join academic_year y on y.id = a.academic_year_id
			where a.user_id = p.user_id and e.student_id = thread.student_id and e.start_date <= @today and (e.end_date is null
			or e.end_date >= @today)
				and (a.academic_year_id is null or y.active))
		or exists (select from app_user b join role k on k.id = b.role_id where b.id = thread.created_by and k.type = 'SCHOOL_ADMIN')
		or not exists (select from thread_participant o join app_user b on b.id = o.user_id join role k on k.id = b.role_id
		where o.thread_id = thread.id and k.type = 'PARENT')
	else true end)`

// mine is the threads the caller is part of; of the office, those with the office too.
func mine(c api.Ctx) *gorm.DB {
	if c.User.Role == api.SchoolAdmin { // who belongs to every thread they are in
		return c.DB.Table("thread").Where(`thread.id in (select p.thread_id from thread_participant p where p.user_id = ?
			union all select o.id from thread o where o.office)`, c.User.ID)
	}
	return c.DB.Table("thread").Where(`exists (select from thread_participant p join app_user u on u.id = p.user_id
		join role r on r.id = u.role_id
		where p.thread_id = thread.id and p.user_id = @user and `+belongs+`)`, map[string]any{"user": c.User.ID, "today": c.Today()})
}

// others are the participants of the thread @thread besides @user who still have to do with it on the day @today.
const others = `select p.user_id from thread join thread_participant p on p.thread_id = thread.id join app_user u on u.id = p.user_id
	join role r on r.id = u.role_id
	where thread.id = @thread and p.user_id <> @user and ` + belongs + ` order by p.user_id`

// Participant is somebody in a thread.
type Participant struct {
	UserID uuid.UUID  `json:"userId"`
	Name   string     `json:"name"`
	Role   string     `json:"role" enum:"SCHOOL_ADMIN,TEACHER,PARENT,DRIVER"`
	ReadAt *time.Time `json:"readAt" doc:"What was sent until then they have read"`
}

// Summary is a thread in a list.
type Summary struct {
	ID            uuid.UUID  `json:"id"`
	Subject       string     `json:"subject"`
	StudentID     *uuid.UUID `json:"studentId"`
	LastMessageAt time.Time  `json:"lastMessageAt"`
	CreatedBy     uuid.UUID  `json:"createdBy"`
	CreatedAt     time.Time  `json:"createdAt"`
	LastMessage   string     `json:"lastMessage" doc:"Its beginning"`
	UnreadCount   int        `json:"unreadCount"`
	With          string     `json:"with" doc:"The others in it, by name"`
	StudentName   string     `json:"studentName"`
	Office        bool       `json:"office" doc:"A parent's thread with the office as a whole"`
	Unanswered    bool       `json:"unanswered" doc:"Of a thread with the office: the last word is the parent's"`
}

var threadListing = api.Listing{
	Sorts:   map[string]string{"lastMessageAt": "last_message_at", "createdAt": "created_at"},
	Default: "-lastMessageAt",
	Filters: map[string]api.Filter{"studentId": api.ByID("student_id"), "search": api.Search("subject", `"with"`, "student_name"),
		"unread": api.ByBool("").Where("(unread_count > 0) = @v"), "office": api.ByBool("office"), "unanswered": api.ByBool("unanswered")},
}

func listThreads(c api.Ctx, l api.ListRequest) (api.Page[Summary], error) {
	office, err := officeName(c)
	if err != nil {
		return api.Page[Summary]{}, err
	}
	counted := mine(c).Select(`thread.id, subject, student_id, last_message_at, created_by, created_at, thread.office,
		coalesce((select left(m.body, 120) from message m where m.thread_id = thread.id order by m.sent_at desc, m.id desc
		limit 1), '') as last_message,
		`+unreadSQL+` as unread_count,
		case when thread.office and not @office then @name else
			coalesce((select string_agg(`+name+`, ', ' order by u.id) from thread_participant o join app_user u on u.id = o.user_id`+named+`
			where o.thread_id = thread.id and o.user_id <> @user), '') end as "with",
		thread.office and exists (select from thread_participant p where p.thread_id = thread.id and p.user_id =
			(select m.sender_id from message m where m.thread_id = thread.id order by m.sent_at desc, m.id desc limit 1)) as unanswered,
		coalesce((select trim(s.first_name || ' ' || s.last_name) from student s
		where s.id = thread.student_id), '') as student_name`,
		map[string]any{"user": c.User.ID, "office": c.User.Role == api.SchoolAdmin, "name": office})
	return api.Fetch[Summary](c.DB.Table("(?) as mine", counted).Select(`id, subject, student_id, last_message_at, created_by, created_at,
		last_message, unread_count, "with", student_name, office, unanswered`), l)
}

// Thread is a thread as it is read.
type Thread struct {
	ID           uuid.UUID     `json:"id"`
	Subject      string        `json:"subject"`
	StudentID    *uuid.UUID    `json:"studentId"`
	Participants []Participant `json:"participants"`
	Messages     []Message     `json:"messages"`
	UnreadCount  int           `json:"unreadCount"`
	Total        int           `json:"total" doc:"Messages there are; a page has the newest first, and within it the newest last"`
	Page         int           `json:"page" example:"1"`
	Limit        int           `json:"limit" example:"50"`
	TotalPages   int           `json:"totalPages"`
}

type threadRequest struct {
	ID    uuid.UUID `path:"id"`
	Page  int       `json:"page" validate:"omitempty,min=1,max=1000000"`
	Limit int       `json:"limit" validate:"omitempty,min=1,max=100" doc:"50 unless given"`
}

// thread reads a page of messages, with who has read them.
func (m *Module) thread(c api.Ctx, r threadRequest) (Thread, error) {
	t, err := find(c, r.ID)
	if err != nil {
		return Thread{}, err
	}
	out := Thread{ID: t.ID, Subject: t.Subject, StudentID: t.StudentID, Participants: []Participant{}, Messages: []Message{},
		Page: max(1, r.Page), Limit: r.Limit}
	if out.Limit == 0 {
		out.Limit = 50
	}
	type row struct {
		ID, SenderID     uuid.UUID
		SenderName, Body string
		SentAt           time.Time
	}
	var rows []row
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select p.user_id, ` + name + ` as name, r.type as role, p.read_at from thread_participant p
			join app_user u on u.id = p.user_id join role r on r.id = u.role_id` + named + `
			where p.thread_id = $1 order by name, p.user_id`, Args: []any{t.ID}, Scan: tenancy.Collect(&out.Participants)},
		tenancy.Query{SQL: `select count(*) from message where thread_id = $1`, Args: []any{t.ID}, Scan: tenancy.One(&out.Total)},
		tenancy.Query{SQL: `select m.id, m.sender_id, ` + name + ` as sender_name, m.body, m.sent_at from (
				select id, sender_id, body, sent_at from message where thread_id = $1 order by sent_at desc, id desc limit $2 offset $3) m
			join app_user u on u.id = m.sender_id` + named + ` order by m.sent_at desc, m.id desc`,
			Args: []any{t.ID, out.Limit, (out.Page - 1) * out.Limit}, Scan: tenancy.Collect(&rows)},
		tenancy.Query{SQL: `select ` + unreadSQL + ` from thread where thread.id = @thread`,
			Args: []any{pgx.NamedArgs{"thread": t.ID, "user": c.User.ID, "office": t.inOffice(c)}}, Scan: tenancy.One(&out.UnreadCount)})
	if err != nil {
		return out, fmt.Errorf("reading a thread: %w", err)
	}
	out.TotalPages = (out.Total + out.Limit - 1) / out.Limit
	ids := make([]uuid.UUID, len(rows))
	for i, w := range rows {
		ids[i] = w.ID
	}
	files, err := m.Files.Of(c.DB, FileKind, ids...)
	if err != nil {
		return out, err
	}
	for i := len(rows) - 1; i >= 0; i-- {
		w := rows[i]
		msg := Message{ID: w.ID, ThreadID: t.ID, SenderID: w.SenderID, SenderName: w.SenderName, Body: w.Body, SentAt: w.SentAt,
			AttachmentFileIDs: []uuid.UUID{}, ReadBy: []uuid.UUID{}}
		msg.AttachmentFileIDs = append(msg.AttachmentFileIDs, files[w.ID]...)
		for _, p := range out.Participants {
			if p.UserID != w.SenderID && p.ReadAt != nil && !p.ReadAt.Before(w.SentAt) {
				msg.ReadBy = append(msg.ReadBy, p.UserID)
			}
		}
		out.Messages = append(out.Messages, msg)
	}
	if t.Office {
		err = out.hideOffice(c, t)
	}
	return out, err
}

type readRequest struct {
	ThreadID uuid.UUID `json:"threadId" validate:"required"`
}

// read marks everything in a thread as read, and the notifications of it. What one of the office
// has read of a thread with the office, all of them have.
func read(c api.Ctx, r readRequest) (api.Nothing, error) {
	t, err := find(c, r.ThreadID)
	if err != nil {
		return api.Nothing{}, err
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `update thread set office_read_at = greatest(office_read_at, $2) where id = $1 and $3`,
			Args: []any{r.ThreadID, c.Now, t.inOffice(c)}},
		tenancy.Query{SQL: `update thread_participant set read_at = greatest(read_at, $3) where thread_id = $1 and user_id = $2`,
			Args: []any{r.ThreadID, c.User.ID, c.Now}},
		tenancy.Query{SQL: `update notification set read_at = $3 where read_at is null and type = 'MESSAGE' and record_id = $1 and (user_id = $2
			or ($4 and user_id not in (select p.user_id from thread_participant p where p.thread_id = $1)))`,
			Args: []any{r.ThreadID, c.User.ID, c.Now, t.inOffice(c)}})
	if err != nil {
		return api.Nothing{}, fmt.Errorf("marking a thread: %w", err)
	}
	return api.Nothing{}, nil
}

// MayRead says whether the caller is part of the threads these messages are in.
func MayRead(c api.Ctx, messages []uuid.UUID) (bool, error) {
	var n int64
	err := mine(c).Where("id in (select thread_id from message where id in ?)", messages).Count(&n).Error
	if err != nil {
		return false, fmt.Errorf("looking for threads: %w", err)
	}
	return n > 0, nil
}
