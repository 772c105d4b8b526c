package notification

import (
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// DeadLetter is a message that no provider took.
type DeadLetter struct {
	ID         uuid.UUID  `json:"id"`
	SchoolID   *uuid.UUID `json:"schoolId" doc:"null for codes and links of the platform itself"`
	SchoolName string     `json:"schoolName" doc:"As it is called now; empty for the platform"`
	Channel    string     `json:"channel" enum:"PUSH,SMS,EMAIL,WHATSAPP" example:"SMS"`
	Recipient  string     `json:"to"`
	Type       string     `json:"type" enum:"ANNOUNCEMENT,ATTENDANCE,RESULT,FEE,LEAVE_REQUEST,MESSAGE,TRANSPORT,LIBRARY,TIMETABLE,EXAM,EVENT,''" doc:"What it was about; empty for what an office sent"`
	Attempts   int        `json:"attempts"`
	LastError  string     `json:"lastError"`
	CreatedAt  time.Time  `json:"createdAt"`
	FailedAt   time.Time  `json:"failedAt"`
}

var deadListing = api.Listing{
	Sorts:   map[string]string{"failedAt": "failed_at", "createdAt": "created_at"},
	Default: "-failedAt",
	Filters: map[string]api.Filter{
		"schoolId": api.ByID("school_id"), "channel": api.ByEnum("channel", "PUSH", "SMS", "EMAIL", "WHATSAPP"), "type": api.ByText("type"),
		"search": api.Search("recipient", "last_error"),
	},
}

// deadColumns name the school by a subquery: it runs for the page's rows alone.
const deadColumns = `dead_letter.*, coalesce((select s.name from school s where s.id = dead_letter.school_id), '') as school_name`

func listDead(c api.PlatformCtx, l api.ListRequest) (api.Page[DeadLetter], error) {
	return api.Fetch[DeadLetter](c.DB.Table("dead_letter").Select(deadColumns), l)
}

type retryRequest struct {
	IDs []uuid.UUID `json:"ids" validate:"required,min=1,max=1000"`
}

// Retried says how many messages are on their way again.
type Retried struct {
	Queued  int `json:"queued"`
	Skipped int `json:"skipped" doc:"Of schools that are not served at present: they stay in the list"`
}

func (m *Module) retryDead(c api.PlatformCtx, r retryRequest) (Retried, error) {
	queued, skipped, err := m.Queue.Retry(c, r.IDs)
	if err == nil && queued+skipped == 0 {
		err = api.NotFound("message")
	}
	return Retried{queued, skipped}, err
}
