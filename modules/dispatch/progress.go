package dispatch

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// Progress is a dispatch and how far it has come.
type Progress struct {
	ID         uuid.UUID  `json:"id"`
	Channel    string     `json:"channel" enum:"PUSH,SMS,EMAIL"`
	Subject    string     `json:"subject"`
	Body       string     `json:"body"`
	Recipients int        `json:"recipients"`
	Segments   int        `json:"segments"`
	Cost       int64      `json:"cost"`
	Queued     int        `json:"queued"`
	Sent       int        `json:"sent"`
	Failed     int        `json:"failed"`
	CreatedBy  *uuid.UUID `json:"createdBy"`
	CreatedAt  time.Time  `json:"createdAt"`
}

// TableName is the record's table.
func (Progress) TableName() string { return "dispatch" }

const progressColumns = `id, channel, subject, body, recipients, segments, cost, created_by, created_at,
	(select count(*) from delivery d where d.dispatch_id = dispatch.id and d.state = 'QUEUED') as queued,
	(select count(*) from delivery d where d.dispatch_id = dispatch.id and d.state = 'SENT') + cleared_sent as sent,
	(select count(*) from delivery d where d.dispatch_id = dispatch.id and d.state = 'FAILED') + cleared_failed as failed`

var listing = api.Listing{
	Sorts:   map[string]string{"createdAt": "created_at"},
	Default: "-createdAt",
	Filters: map[string]api.Filter{"channel": api.ByEnum("channel", "SMS", "EMAIL"), "search": api.Search("subject", "body")},
}

func list(c api.Ctx, l api.ListRequest) (api.Page[Progress], error) {
	return api.Fetch[Progress](c.DB.Model(&Progress{}).Select(progressColumns), l)
}

func get(c api.Ctx, r byID) (Progress, error) {
	return api.Find[Progress](c, "dispatch", c.DB.Model(&Progress{}).Select(progressColumns), r.ID)
}

// Recipient is what became of one message.
type Recipient struct {
	ID        uuid.UUID  `json:"id"`
	Recipient string     `json:"to"`
	State     string     `json:"state" enum:"QUEUED,SENT,FAILED" example:"SENT"`
	Attempts  int        `json:"attempts"`
	LastError string     `json:"lastError"`
	SentAt    *time.Time `json:"sentAt"`
}

// Recipients is a page of them.
type Recipients struct {
	Items      []Recipient `json:"items"`
	Total      int64       `json:"total"`
	Page       int         `json:"page" example:"1"`
	Limit      int         `json:"limit" example:"20"`
	TotalPages int         `json:"totalPages"`
}

type recipientsRequest struct {
	ID    uuid.UUID `path:"id"`
	State string    `json:"state" validate:"omitempty,oneof=QUEUED SENT FAILED"`
	Page  int       `json:"page" validate:"omitempty,min=1,max=1000000"`
	Limit int       `json:"limit" validate:"omitempty,min=1,max=100" doc:"20 unless given"`
}

func recipientsOf(c api.Ctx, r recipientsRequest) (Recipients, error) {
	if _, err := get(c, byID{r.ID}); err != nil {
		return Recipients{}, err
	}
	out := Recipients{Items: []Recipient{}, Page: max(1, r.Page), Limit: r.Limit}
	if out.Limit == 0 {
		out.Limit = 20
	}
	query := c.DB.Table("delivery").Where("dispatch_id = ?", r.ID)
	if r.State != "" {
		query = query.Where("state = ?", r.State)
	}
	if err := query.Count(&out.Total).Error; err != nil {
		return out, fmt.Errorf("counting recipients: %w", err)
	}
	err := query.Select("id, recipient, state, attempts, last_error, sent_at").Order("recipient, id").
		Limit(out.Limit).Offset((out.Page - 1) * out.Limit).Scan(&out.Items).Error
	if err != nil {
		return out, fmt.Errorf("reading recipients: %w", err)
	}
	out.TotalPages = (int(out.Total) + out.Limit - 1) / out.Limit
	return out, nil
}
