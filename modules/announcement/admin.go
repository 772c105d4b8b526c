package announcement

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

// Counted is an announcement with how far it has come.
type Counted struct {
	View
	RecipientCount int `json:"recipientCount" doc:"How many received it"`
	ReadCount      int `json:"readCount" doc:"How many of them have read it"`
}

var adminListing = api.Listing{
	Sorts:   map[string]string{"createdAt": "created_at", "publishedAt": "published_at", "title": "title"},
	Default: "-createdAt",
	Filters: map[string]api.Filter{
		"status":         api.ByEnum("status", draft, scheduled, published, withdrawn),
		"targetAudience": api.ByEnum("target_audience", "ALL", "PARENTS", "TEACHERS"),
		"search":         api.Search("title", "body"),
		"classId": api.ByID("").Where("exists (select from announcement_target t where t.announcement_id = announcement.id and " +
			"t.class_id = @v)"),
	},
}

func (m *Module) list(c api.Ctx, l api.ListRequest) (api.Page[Counted], error) {
	page, err := api.Fetch[Announcement](c.DB.Model(&Announcement{}), l)
	if err != nil {
		return api.Page[Counted]{}, err
	}
	counted, err := m.counted(c, page.Items...)
	if err != nil {
		return api.Page[Counted]{}, err
	}
	out := api.Page[Counted]{Items: counted, Total: page.Total, Page: page.Page, Limit: page.Limit, TotalPages: page.TotalPages}
	return out, nil
}

func (m *Module) get(c api.Ctx, r byID) (Counted, error) {
	a, err := api.Find[Announcement](c, "announcement", c.DB, r.ID)
	if err != nil {
		return Counted{}, err
	}
	counted, err := m.counted(c, a)
	if err != nil {
		return Counted{}, err
	}
	return counted[0], nil
}

// counted adds how many received it and how many have read it, from the log itself.
func (m *Module) counted(c api.Ctx, records ...Announcement) ([]Counted, error) {
	views, err := m.view(c.DB, records...)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(records))
	for i, a := range records {
		ids[i] = a.ID
	}
	var counts []struct {
		RecordID   uuid.UUID
		Sent, Read int
	}
	err = c.DB.Raw(`select record_id, count(*) as sent, count(read_at) as read from notification where type = 'ANNOUNCEMENT'
		and record_id in ? group by record_id`, ids).Scan(&counts).Error
	if err != nil {
		return nil, fmt.Errorf("counting recipients: %w", err)
	}
	out := make([]Counted, len(views))
	for i, v := range views {
		out[i].View = v
		for _, n := range counts {
			if n.RecordID == v.ID {
				out[i].RecipientCount, out[i].ReadCount = n.Sent, n.Read
			}
		}
	}
	return out, nil
}
