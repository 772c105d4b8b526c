package notification

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Notification is one line of a person's log, as the specification has it.
type Notification struct {
	ID        uuid.UUID  `json:"id"`
	Title     string     `json:"title"`
	Body      string     `json:"body"`
	Type      string     `json:"type" enum:"ANNOUNCEMENT,ATTENDANCE,RESULT,FEE,LEAVE_REQUEST,MESSAGE,TRANSPORT,LIBRARY,TIMETABLE,EXAM,EVENT" example:"ANNOUNCEMENT"`
	Data      About      `json:"data" doc:"What it is about; push messages carry the same"`
	ReadAt    *time.Time `json:"readAt" doc:"null while unread"`
	CreatedAt time.Time  `json:"createdAt"`
}

// About names the record a notification is about.
type About struct {
	ID        *uuid.UUID `json:"id"`
	StudentID *uuid.UUID `json:"studentId"`
}

// Delivered is a page of the log.
type Delivered struct {
	Notifications []Notification `json:"notifications"`
	UnreadCount   int            `json:"unreadCount" doc:"Of all of them, not of this page"`
	Total         int            `json:"total"`
	Page          int            `json:"page" example:"1"`
	Limit         int            `json:"limit" example:"20"`
	TotalPages    int            `json:"totalPages"`
}

type deliveredRequest struct {
	Page   int  `json:"page" validate:"omitempty,min=1,max=1000000"`
	Limit  int  `json:"limit" validate:"omitempty,min=1,max=100" doc:"20 unless given"`
	Unread bool `json:"unread" doc:"Only what is not read yet"`
}

type line struct {
	ID        uuid.UUID
	Title     string
	Body      string
	Type      string
	RecordID  *uuid.UUID
	StudentID *uuid.UUID
	ReadAt    *time.Time
	CreatedAt time.Time
}

func (l line) view() Notification {
	return Notification{ID: l.ID, Title: l.Title, Body: l.Body, Type: l.Type, Data: About{l.RecordID, l.StudentID}, ReadAt: l.ReadAt,
		CreatedAt: l.CreatedAt}
}

// mostKept is how many of their notifications an app may keep, the newest.
const mostKept = 1000

const lineColumns = `id, title, body, type, record_id, student_id, read_at, created_at`

// visibleTo is the condition that a user may read line n of their log. A parent may read
// lines about no student and about students they may see now, so that a link that ends
// hides the lines written while it existed. Everybody else may read all of their lines.
// user is an SQL expression, $1 for example.
func visibleTo(user string) string {
	return `(n.student_id is null or n.student_id in (` + roster.LinkedIDs(user) + `)
		or exists (select from app_user o join role k on k.id = o.role_id where o.id = ` + user + ` and k.type <> 'PARENT'))`
}

// delivered is the caller's own log. Count and page travel together.
func delivered(c api.Ctx, r deliveredRequest) (Delivered, error) {
	out := Delivered{Notifications: []Notification{}, Page: max(1, r.Page), Limit: r.Limit}
	if out.Limit == 0 {
		out.Limit = 20
	}
	var lines []line
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select count(*), count(*) filter (where n.read_at is null) from notification n where n.user_id = $1 and ` +
			visibleTo("$1"), Args: []any{c.User.ID}, Scan: func(rows pgx.Rows) error {
			for rows.Next() {
				if err := rows.Scan(&out.Total, &out.UnreadCount); err != nil {
					return err
				}
			}
			return rows.Err()
		}},
		tenancy.Query{SQL: `select ` + lineColumns + ` from notification n where n.user_id = $1 and (not $2 or n.read_at is null) and ` +
			visibleTo("$1") + `
			order by n.created_at desc, n.id desc
			limit $3 offset $4`, Args: []any{c.User.ID, r.Unread, out.Limit, (out.Page - 1) * out.Limit}, Scan: tenancy.Collect(&lines)})
	if err != nil {
		return out, fmt.Errorf("reading notifications: %w", err)
	}
	if r.Unread {
		out.Total = out.UnreadCount
	}
	out.TotalPages = (out.Total + out.Limit - 1) / out.Limit
	for _, l := range lines {
		out.Notifications = append(out.Notifications, l.view())
	}
	return out, nil
}

// Unread is how much of the log is unread: the badge of an app.
type Unread struct {
	UnreadCount int `json:"unreadCount"`
}

func unreadCount(c api.Ctx, _ api.Nothing) (Unread, error) {
	var out Unread
	err := c.DB.Raw(`select count(*) as unread_count from notification n where n.user_id = @user and n.read_at is null
		and `+visibleTo("@user"),
		map[string]any{"user": c.User.ID}).Scan(&out).Error
	if err != nil {
		return out, fmt.Errorf("counting notifications: %w", err)
	}
	return out, nil
}

type readRequest struct {
	NotificationID uuid.UUID `json:"notificationId" validate:"required"`
}

// read marks one line of the caller's own as read; a second time changes nothing.
func read(c api.Ctx, r readRequest) (Notification, error) {
	var lines []line
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `update notification n set read_at = coalesce(n.read_at, $3) where n.id = $1
		and n.user_id = $2 and ` + visibleTo("$2") + ` returning ` + lineColumns,
		Args: []any{r.NotificationID, c.User.ID, c.Now}, Scan: tenancy.Collect(&lines)})
	if err != nil {
		return Notification{}, fmt.Errorf("marking a notification: %w", err)
	}
	if len(lines) == 0 {
		return Notification{}, api.NotFound("notification")
	}
	return lines[0].view(), nil
}

// ReadAll says how many were unread until now.
type ReadAll struct {
	Read int64 `json:"read"`
}

func readAll(c api.Ctx, _ api.Nothing) (ReadAll, error) {
	done := c.DB.Exec(`update notification n set read_at = @now where n.user_id = @user and n.read_at is null and `+visibleTo("@user"),
		map[string]any{"now": c.Now, "user": c.User.ID})
	if done.Error != nil {
		return ReadAll{}, fmt.Errorf("marking notifications: %w", done.Error)
	}
	return ReadAll{Read: done.RowsAffected}, nil
}
