package message

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

type sendRequest struct {
	ThreadID          *uuid.UUID  `json:"threadId" doc:"Answers in this thread; without it a new one begins"`
	RecipientIDs      []uuid.UUID `json:"recipientIds" validate:"max=20,unique" doc:"User ids, for a new thread; see contacts"`
	ToOffice          bool        `json:"toOffice" doc:"A new thread of a parent with the school's office instead of recipients: anybody there may answer"`
	StudentID         *uuid.UUID  `json:"studentId" doc:"Whom a new thread is about; needed between guardians and teachers"`
	Subject           string      `json:"subject" validate:"max=200"`
	Body              string      `json:"body" validate:"notblank,max=5000"`
	AttachmentFileIDs []uuid.UUID `json:"attachmentFileIds" validate:"max=10,unique"`
}

// Message is one message of a thread.
type Message struct {
	ID                uuid.UUID   `json:"id"`
	ThreadID          uuid.UUID   `json:"threadId"`
	SenderID          uuid.UUID   `json:"senderId" doc:"To a parent the office is 00000000-0000-0000-0000-000000000000, no matter who there wrote"`
	SenderName        string      `json:"senderName"`
	Body              string      `json:"body"`
	AttachmentFileIDs []uuid.UUID `json:"attachmentFileIds" gorm:"-"`
	SentAt            time.Time   `json:"sentAt"`
	ReadBy            []uuid.UUID `json:"readBy" gorm:"-" doc:"Who else has read it"`
}

// thread is the record.
type thread struct {
	ID            uuid.UUID
	Subject       string
	StudentID     *uuid.UUID
	LastMessageAt time.Time
	CreatedBy     uuid.UUID
	CreatedAt     time.Time
	Office        bool
	OfficeReadAt  *time.Time
}

// TableName is the record's table.
func (thread) TableName() string { return "thread" }

// send writes a message, and tells the others of the thread.
func (m *Module) send(c api.Ctx, r sendRequest) (Message, error) {
	t, err := m.threadFor(c, r)
	if err != nil {
		return Message{}, err
	}
	msg := Message{ID: api.NewID(), ThreadID: t.ID, SenderID: c.User.ID, Body: r.Body, SentAt: c.Now, AttachmentFileIDs: []uuid.UUID{},
		ReadBy: []uuid.UUID{}}
	var told []uuid.UUID
	listen := tenancy.Query{SQL: others, Args: []any{pgx.NamedArgs{"thread": t.ID, "user": c.User.ID, "today": c.Today()}},
		Scan: tenancy.Values(&told)}
	if t.Office && !t.inOffice(c) {
		listen = tenancy.Query{SQL: officeReaders, Scan: tenancy.Values(&told)}
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `insert into message (id, thread_id, sender_id, body, sent_at) values ($1, $2, $3, $4, $5)`,
			Args: []any{msg.ID, t.ID, c.User.ID, r.Body, c.Now}},
		tenancy.Query{SQL: `update thread set last_message_at = greatest(last_message_at, $2),
			office_read_at = case when $3 then greatest(office_read_at, $2) else office_read_at end where id = $1`,
			Args: []any{t.ID, c.Now, t.inOffice(c)}},
		tenancy.Query{SQL: `update thread_participant set read_at = greatest(read_at, $3) where thread_id = $1 and user_id = $2`,
			Args: []any{t.ID, c.User.ID, c.Now}},
		tenancy.Query{SQL: `select ` + name + ` from app_user u` + named + ` where u.id = $1`, Args: []any{c.User.ID},
			Scan: tenancy.One(&msg.SenderName)},
		listen)
	if err != nil {
		return Message{}, fmt.Errorf("writing a message: %w", err)
	}
	if err := m.Files.Attach(c, FileKind, msg.ID, "attachmentFileIds", r.AttachmentFileIDs); err != nil {
		return Message{}, err
	}
	msg.AttachmentFileIDs = append(msg.AttachmentFileIDs, r.AttachmentFileIDs...)
	sender := any(msg.SenderName)
	if t.inOffice(c) {
		sender = notice.Text{Name: "message.office"}
	}
	for _, user := range told {
		notice.Send(c, notice.Notice{
			Type: notice.Message, Key: "message/" + msg.ID.String() + "/" + user.String(), RecordID: t.ID, StudentID: t.StudentID, UserID: &user,
			Text: notice.Text{Name: "message.new", Values: notice.Values{"sender": sender}}, Body: beginning(r.Body),
		})
	}
	c.Changed("create", "message", msg.ID, nil, map[string]any{"threadId": t.ID})
	return msg, nil
}

// beginning is as much of a message as the log shows.
func beginning(body string) string {
	const most = 300
	if text := []rune(body); len(text) > most {
		return string(text[:most]) + "…"
	}
	return body
}

// threadFor is the thread a message goes into: the caller's own, or a new one.
func (m *Module) threadFor(c api.Ctx, r sendRequest) (thread, error) {
	if r.ThreadID == nil && r.ToOffice {
		return beginWithOffice(c, r)
	}
	if r.ThreadID == nil {
		return begin(c, r)
	}
	if len(r.RecipientIDs) > 0 || r.StudentID != nil || r.ToOffice {
		return thread{}, api.InvalidField("threadId", "threadId is given, so recipientIds, studentId and toOffice cannot be")
	}
	t, err := find(c, *r.ThreadID)
	if err != nil {
		return t, err
	}
	return t, mayGoOn(c, t)
}

// begin opens a thread with people the caller may write to.
func begin(c api.Ctx, r sendRequest) (thread, error) {
	if len(r.RecipientIDs) == 0 {
		return thread{}, api.InvalidField("recipientIds", "recipientIds is required for a new thread")
	}
	var roles []string
	err := c.DB.Raw(`select r.type from app_user u join role r on r.id = u.role_id where u.id in ?`, r.RecipientIDs).Scan(&roles).Error
	if err != nil {
		return thread{}, fmt.Errorf("looking for recipients: %w", err)
	}
	if len(roles) != len(r.RecipientIDs) {
		return thread{}, api.NotFound("recipient")
	}
	if r.StudentID != nil {
		var students int64
		if err := c.DB.Table("student").Where("id = ? and deleted_at is null", *r.StudentID).Count(&students).Error; err != nil {
			return thread{}, fmt.Errorf("looking for a student: %w", err)
		}
		if students == 0 {
			return thread{}, api.Coded(404, "STUDENT_NOT_FOUND", "Student not found")
		}
	} else if c.User.Role == api.Parent {
		return thread{}, api.InvalidField("studentId", "studentId is required: you write to the teachers of your child")
	} else if c.User.Role == api.Teacher && slices.Contains(roles, string(api.Parent)) {
		return thread{}, api.InvalidField("studentId", "studentId is required: you write to the parents of a student of yours")
	}
	n, err := reachable(c, r.RecipientIDs, r.StudentID)
	if err != nil {
		return thread{}, err
	}
	if n != len(r.RecipientIDs) {
		return thread{}, api.Denied("You cannot write to all of these people about this student")
	}
	return insert(c, thread{Subject: r.Subject, StudentID: r.StudentID}, append([]uuid.UUID{c.User.ID}, r.RecipientIDs...)...)
}

// find is a thread the caller is part of. A guardian who may not see the student any
// more, or a teacher who has none of their classes, is part of no thread about them.
func find(c api.Ctx, id uuid.UUID) (thread, error) {
	var found []thread
	if err := mine(c).Where("thread.id = ?", id).Find(&found).Error; err != nil {
		return thread{}, fmt.Errorf("reading a thread: %w", err)
	}
	if len(found) == 0 {
		return thread{}, api.NotFound("thread")
	}
	return found[0], nil
}

// mayGoOn: in a thread about a student, whose guardians and teachers may have changed
// since, the caller must still be one of them. The office always is.
func mayGoOn(c api.Ctx, t thread) error {
	if c.User.Role == api.SchoolAdmin || t.StudentID == nil || t.Office {
		return nil
	}
	var present []struct {
		UserID uuid.UUID
		Type   string
	}
	err := c.DB.Raw(`select p.user_id, r.type from thread_participant p join app_user u on u.id = p.user_id join role r on r.id = u.role_id
		where p.thread_id = ? and p.user_id <> ?`, t.ID, c.User.ID).Scan(&present).Error
	if err != nil {
		return fmt.Errorf("reading a thread: %w", err)
	}
	ids := make([]uuid.UUID, len(present))
	for i, o := range present {
		if ids[i] = o.UserID; o.Type == string(api.SchoolAdmin) {
			return nil
		}
	}
	n, err := reachable(c, ids, t.StudentID)
	if err == nil && n == 0 {
		err = api.Denied("You have no student in common any more")
	}
	return err
}
