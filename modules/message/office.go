package message

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/notice"
	"homeroom/tenancy"
)

// A thread with the office has the parent as its one participant. Everybody of the office who
// may read messages is part of it: who answers is the office to the parent, and what one of
// them has read the others need not.

// officeID stands for the office in what a parent sees.
var officeID = uuid.Nil

// officeReaders are those of the office who may read messages.
const officeReaders = `select u.id from app_user u join role r on r.id = u.role_id and r.type = 'SCHOOL_ADMIN'
	join permission w on w.role_id = r.id and w.can_read join module k on k.id = w.module_id and k.name = 'message'
	where u.status = 'ACTIVE' order by u.id`

// officeName is what the office is called in the school's language.
func officeName(c api.Ctx) (string, error) {
	return notice.Translate(c.School.Locale, notice.Text{Name: "message.office"})
}

// inOffice says whether the caller is of the office the thread is with.
func (t thread) inOffice(c api.Ctx) bool { return t.Office && c.User.Role == api.SchoolAdmin }

// beginWithOffice opens a parent's thread with the office, about a child of theirs or about none.
func beginWithOffice(c api.Ctx, r sendRequest) (thread, error) {
	switch {
	case c.User.Role != api.Parent:
		return thread{}, api.InvalidField("toOffice", "toOffice is for parents; write to people of the office by recipientIds")
	case len(r.RecipientIDs) > 0:
		return thread{}, api.InvalidField("recipientIds", "toOffice is given, so recipientIds cannot be")
	}
	if r.StudentID != nil {
		if err := roster.MayView(c, *r.StudentID); err != nil {
			return thread{}, err
		}
	}
	return insert(c, thread{Subject: r.Subject, StudentID: r.StudentID, Office: true}, c.User.ID)
}

// insert writes a thread that begins now, with who is in it.
func insert(c api.Ctx, t thread, people ...uuid.UUID) (thread, error) {
	t.ID, t.LastMessageAt, t.CreatedBy, t.CreatedAt = api.NewID(), c.Now, c.User.ID, c.Now
	if err := c.DB.Create(&t).Error; err != nil {
		return t, fmt.Errorf("beginning a thread: %w", err)
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `insert into thread_participant (thread_id, user_id) select $1, unnest($2::uuid[])`,
		Args: []any{t.ID, people}})
	if err != nil {
		return t, fmt.Errorf("beginning a thread: %w", err)
	}
	return t, nil
}

// hideOffice puts the office in the place of those who answer for it, and says that it is in
// the thread. Colleagues see who answered.
func (out *Thread) hideOffice(c api.Ctx, t thread) error {
	office, err := officeName(c)
	if err != nil {
		return err
	}
	family := map[uuid.UUID]bool{}
	for _, p := range out.Participants {
		family[p.UserID] = true
	}
	out.Participants = append(out.Participants, Participant{UserID: officeID, Name: office, Role: string(api.SchoolAdmin),
		ReadAt: t.OfficeReadAt})
	for i := range out.Messages {
		m := &out.Messages[i]
		switch {
		case family[m.SenderID]:
			if t.OfficeReadAt != nil && !t.OfficeReadAt.Before(m.SentAt) {
				m.ReadBy = append(m.ReadBy, officeID)
			}
		case !t.inOffice(c):
			m.SenderID, m.SenderName = officeID, office
		}
	}
	return nil
}

// unreadSQL counts the messages of a thread that the user @user, who is of the office or not
// (@office), has not read.
const unreadSQL = `case when thread.office and @office then (select count(*) from message m
		join thread_participant p on p.thread_id = m.thread_id and p.user_id = m.sender_id
		where m.thread_id = thread.id and (thread.office_read_at is null or m.sent_at > thread.office_read_at))
	else (select count(*) from message m join thread_participant p on p.thread_id = m.thread_id and p.user_id = @user
		where m.thread_id = thread.id and m.sender_id <> @user and (p.read_at is null or m.sent_at > p.read_at)) end`
