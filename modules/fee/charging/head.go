package charging

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

// Head is something fees are paid for: tuition, transport. Its income has an account
// of its own, with the head's id.
type Head struct {
	api.Record
	HeadFields
}

// TableName is the record's table.
func (Head) TableName() string { return "fee_head" }

// HeadFields are what an administrator says of a head.
type HeadFields struct {
	Name string `json:"name" validate:"name,max=60" example:"Tuition"`
	Code string `json:"code" validate:"notblank,max=20" example:"TUI"`
	Type string `json:"type" validate:"required,oneof=TUITION TRANSPORT EXAM LIBRARY FINE OTHER"`

	Optional bool         `json:"optional" doc:"A charge bills it to its subscribers only"`
	AmountBy string       `json:"amountBy" validate:"omitempty,oneof=CLASS OPTION ROUTE STOP" doc:"Of an optional head. CLASS, unless given: the structure's amount. OPTION: that of the subscriber's option. ROUTE or STOP: by where they ride, each direction by itself"`
	Amounts  []HeadAmount `json:"amounts" validate:"max=500,dive" gorm:"serializer:json"`
}

type headChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[HeadFields]
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

var headListing = api.Listing{
	Sorts:   map[string]string{"name": "name", "code": "code", "createdAt": "created_at"},
	Default: "name",
	Filters: map[string]api.Filter{"search": api.Search("name", "code"),
		"type": api.ByEnum("type", "TUITION", "TRANSPORT", "EXAM", "LIBRARY", "FINE", "OTHER"), "optional": api.ByBool("optional")},
}

func (m *Endpoints) createHead(c api.Ctx, r HeadFields) (Head, error) {
	if err := r.normalize(c, m.Transport); err != nil {
		return Head{}, err
	}
	h := Head{HeadFields: r}
	if err := api.Insert(c, "fee head", &h); err != nil {
		return h, err
	}
	kind := "INCOME"
	if h.Type == "FINE" {
		kind = "FINE"
	}
	err := c.DB.Exec(`insert into ledger_account (id, code, name, type, created_at) values (?, ?, ?, ?, ?)`, h.ID, headCode(h), h.Name, kind,
		c.Now).Error
	if err != nil {
		return h, fmt.Errorf("opening the account of a fee head: %w", err)
	}
	return h, nil
}

// headCode keeps heads apart from the accounts every school has.
func headCode(h Head) string { return "HEAD " + h.ID.String() }

func listHeads(c api.Ctx, l api.ListRequest) (api.Page[Head], error) {
	return api.Fetch[Head](c.DB.Model(&Head{}), l)
}

func getHead(c api.Ctx, r byID) (Head, error) { return api.Find[Head](c, "fee head", c.DB, r.ID) }

func (m *Endpoints) updateHead(c api.Ctx, r headChange) (Head, error) {
	h, err := api.Update(c, "fee head", r.ID, func(h *Head) error {
		was := h.Type
		if err := r.Apply(&h.HeadFields); err != nil {
			return err
		}
		if (was == "FINE") != (h.Type == "FINE") {
			return api.InvalidField("type", "A head cannot become a fine or stop being one: its account stays what it is")
		}
		if err := h.normalize(c, m.Transport); err != nil {
			return err
		}
		return keepsOptions(c, *h)
	})
	if err != nil {
		return h, err
	}
	if err := c.DB.Exec(`update ledger_account set name = ? where id = ?`, h.Name, h.ID).Error; err != nil {
		return h, fmt.Errorf("naming the account of a fee head: %w", err)
	}
	return h, nil
}

// deleteHead removes a head nothing was ever charged for; the ledger keeps the others.
func deleteHead(c api.Ctx, r byID) error {
	if err := api.Erase[Head](c, "fee head", r.ID); err != nil {
		return err
	}
	if err := c.DB.Exec(`delete from ledger_account where id = ?`, r.ID).Error; err != nil {
		return fmt.Errorf("closing the account of a fee head: %w", err)
	}
	return nil
}
