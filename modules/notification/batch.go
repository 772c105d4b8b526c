package notification

import (
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// NoticeBatch is what one act of the office told many people, each of a record of their own.
type NoticeBatch struct {
	ID         uuid.UUID `json:"id"`
	Kind       string    `json:"kind" enum:"FEE_REMINDER,FEE_CHARGE,OVERDUE_BOOKS"`
	SentAt     time.Time `json:"sentAt"`
	SentByName string    `json:"sentByName" doc:"Who sent it; empty: their record is erased, or the service did"`
	People     int       `json:"people" doc:"How many it told of something"`
}

var batchListing = api.Listing{
	Sorts:   map[string]string{"sentAt": "sent_at"},
	Default: "-sentAt",
	Filters: map[string]api.Filter{"kind": api.ByEnum("kind", "FEE_REMINDER", "FEE_CHARGE", "OVERDUE_BOOKS")},
}

// TableName is the record's table.
func (NoticeBatch) TableName() string { return "notice_batch" }

const batchColumns = `id, kind, sent_at,
	coalesce((select trim(u.first_name || ' ' || u.last_name) from app_user u where u.id = notice_batch.sent_by), '') as sent_by_name,
	(select count(distinct n.user_id)::int from notification n where n.batch_id = notice_batch.id) as people`

func listBatches(c api.Ctx, l api.ListRequest) (api.Page[NoticeBatch], error) {
	return api.Fetch[NoticeBatch](c.DB.Model(&NoticeBatch{}).Select(batchColumns), l)
}

func getBatch(c api.Ctx, r batchByID) (NoticeBatch, error) {
	return api.Find[NoticeBatch](c, "batch", c.DB.Model(&NoticeBatch{}).Select(batchColumns), r.ID)
}

type batchByID struct {
	ID uuid.UUID `path:"id"`
}
