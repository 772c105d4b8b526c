package announcement

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

// States of an announcement. One that has expired is PUBLISHED and shown to nobody.
const (
	draft     = "DRAFT"
	scheduled = "SCHEDULED"
	published = "PUBLISHED"
	withdrawn = "WITHDRAWN"
)

// Announcement is the record.
type Announcement struct {
	api.Record
	Text
	Status      string
	PublishedAt *time.Time
	ToldAt      *time.Time
}

// Text is what is said, to which kind of people and when.
type Text struct {
	Title          string     `json:"title" validate:"notblank,max=200"`
	Body           string     `json:"body" validate:"notblank,max=10000"`
	TargetAudience string     `json:"targetAudience" validate:"omitempty,oneof=ALL PARENTS TEACHERS" doc:"ALL unless given; classIds and divisionIds narrow it to their parents and teachers"`
	PublishAt      *time.Time `json:"publishAt" doc:"When it is published by itself"`
	ExpiresAt      *time.Time `json:"expiresAt" doc:"From then on nobody is shown it"`
	Urgent         bool       `json:"urgent" doc:"It is sent at once, in quiet hours too: the school is closed, somebody had an accident"`
}

// Fields are what is said of an announcement, its targets and files included.
type Fields struct {
	Text
	ClassIDs          []uuid.UUID `json:"classIds" validate:"max=200,unique"`
	DivisionIDs       []uuid.UUID `json:"divisionIds" validate:"max=500,unique"`
	AttachmentFileIDs []uuid.UUID `json:"attachmentFileIds" validate:"max=20,unique"`
}

// View is an announcement as it is read.
type View struct {
	ID uuid.UUID `json:"id"`
	Fields
	Status      string     `json:"status" enum:"DRAFT,SCHEDULED,PUBLISHED,WITHDRAWN" example:"PUBLISHED"`
	PublishedAt *time.Time `json:"publishedAt"`
	CreatedBy   *uuid.UUID `json:"createdBy"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	Version     int        `json:"version"`
}

func (m *Module) view(db *gorm.DB, records ...Announcement) ([]View, error) {
	ids := make([]uuid.UUID, len(records))
	for i, a := range records {
		ids[i] = a.ID
	}
	var targets []target
	if err := db.Table("announcement_target").Where("announcement_id in ?",
		ids).Order("class_id, division_id").Find(&targets).Error; err != nil {
		return nil, fmt.Errorf("reading whom announcements are for: %w", err)
	}
	files, err := m.Files.Of(db, FileKind, ids...)
	if err != nil {
		return nil, err
	}
	out := make([]View, len(records))
	for i, a := range records {
		out[i] = View{ID: a.ID, Fields: Fields{Text: a.Text, ClassIDs: []uuid.UUID{}, DivisionIDs: []uuid.UUID{},
			AttachmentFileIDs: []uuid.UUID{}},
			Status: a.Status, PublishedAt: a.PublishedAt, CreatedBy: a.CreatedBy, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
			Version: a.Version}
		for _, t := range targets {
			switch {
			case t.AnnouncementID != a.ID:
			case t.ClassID != nil:
				out[i].ClassIDs = append(out[i].ClassIDs, *t.ClassID)
			default:
				out[i].DivisionIDs = append(out[i].DivisionIDs, *t.DivisionID)
			}
		}
		out[i].AttachmentFileIDs = append(out[i].AttachmentFileIDs, files[a.ID]...)
	}
	return out, nil
}

type target struct {
	AnnouncementID uuid.UUID
	ClassID        *uuid.UUID
	DivisionID     *uuid.UUID
}

// TableName is the record's table.
func (target) TableName() string { return "announcement_target" }

type byID struct {
	ID uuid.UUID `path:"id"`
}

// write adds an announcement in the state its times ask for.
func (m *Module) write(c api.Ctx, r Fields, now bool) (View, error) {
	a := Announcement{Text: r.Text, Status: draft}
	if a.TargetAudience == "" {
		a.TargetAudience = "ALL"
	}
	if err := a.checkTimes(c); err != nil {
		return View{}, err
	}
	switch {
	case a.PublishAt != nil:
		a.Status = scheduled
	case now:
		a.Status, a.PublishedAt = published, &c.Now
	}
	if err := api.Insert(c, "announcement", &a); err != nil {
		return View{}, err
	}
	if err := m.target(c, a.ID, r); err != nil {
		return View{}, err
	}
	tellOf(c, a)
	return m.one(c, a)
}

func (a *Announcement) checkTimes(c api.Ctx) error {
	if a.PublishAt != nil && a.PublishAt.Before(c.Now.Add(-time.Minute)) {
		return api.InvalidField("publishAt", "publishAt is over")
	}
	if a.ExpiresAt != nil && !a.ExpiresAt.After(c.Now) {
		return api.InvalidField("expiresAt", "expiresAt is over")
	}
	return nil
}

// target says whom it is for, and which files go with it.
func (m *Module) target(c api.Ctx, id uuid.UUID, r Fields) error {
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `delete from announcement_target where announcement_id = $1`, Args: []any{id}},
		tenancy.Query{SQL: `insert into announcement_target (announcement_id, class_id) select $1, unnest($2::uuid[])`,
			Args: []any{id, r.ClassIDs}},
		tenancy.Query{SQL: `insert into announcement_target (announcement_id, division_id) select $1, unnest($2::uuid[])`,
			Args: []any{id, r.DivisionIDs}})
	if err != nil {
		return fmt.Errorf("saying whom an announcement is for: %w", err)
	}
	return m.Files.Attach(c, FileKind, id, "attachmentFileIds", r.AttachmentFileIDs)
}

// Due is the fact that an announcement is to be told, now or at its time.
const Due = "announcement.due"

type dueAnnouncement struct {
	ID uuid.UUID `json:"id"`
	// Silent is of a call whose notices are kept in the log and not sent.
	Silent bool `json:"silent,omitempty"`
}

func tellOf(c api.Ctx, a Announcement) {
	switch a.Status {
	case scheduled:
		c.Tell(events.Fact{Kind: Due, Data: dueAnnouncement{a.ID, c.IsSilent()}, DueAt: *a.PublishAt})
	case published:
		c.Tell(events.Fact{Kind: Due, Data: dueAnnouncement{a.ID, c.IsSilent()}})
	}
}

func (m *Module) one(c api.Ctx, a Announcement) (View, error) {
	views, err := m.view(c.DB, a)
	if err != nil {
		return View{}, err
	}
	return views[0], nil
}

func (m *Module) create(c api.Ctx, r Fields) (View, error) { return m.write(c, r, false) }

type change struct {
	ID uuid.UUID `path:"id"`
	api.Change[Fields]
}

// update changes what nobody has been told yet.
func (m *Module) update(c api.Ctx, r change) (View, error) {
	now, err := api.Lock[Announcement](c, "announcement", r.ID)
	if err != nil {
		return View{}, err
	}
	if now.Status != draft && now.Status != scheduled {
		return View{}, api.Conflict("This announcement is %s: only a draft or a scheduled one can be changed", now.Status)
	}
	before, err := m.one(c, now)
	if err != nil {
		return View{}, err
	}
	fields := before.Fields
	if err := r.Apply(&fields); err != nil {
		return View{}, err
	}
	a, err := api.Update(c, "announcement", r.ID, func(a *Announcement) error {
		a.Text, a.Status = fields.Text, draft
		if !reflect.DeepEqual(fields, before.Fields) {
			a.Touch()
		}
		if a.TargetAudience == "" {
			a.TargetAudience = "ALL"
		}
		if a.PublishAt != nil {
			a.Status = scheduled
		}
		return a.checkTimes(c)
	})
	if err != nil {
		return View{}, err
	}
	if err := m.target(c, a.ID, fields); err != nil {
		return View{}, err
	}
	tellOf(c, a)
	return m.one(c, a)
}

// publish tells everyone addressed; a second time changes nothing.
func (m *Module) publish(c api.Ctx, r byID) (View, error) {
	var refusal *api.Error
	a, err := api.Update(c, "announcement", r.ID, func(a *Announcement) error {
		switch {
		case a.Status == published:
			refusal = api.Conflict("already")
			return refusal
		case a.Status == withdrawn:
			return api.Conflict("This announcement is WITHDRAWN")
		case a.ExpiresAt != nil && !a.ExpiresAt.After(c.Now):
			return api.InvalidField("expiresAt", "expiresAt is over")
		}
		a.Status, a.PublishedAt, a.PublishAt = published, &c.Now, nil
		return nil
	})
	if refusal != nil && errors.Is(err, refusal) {
		return m.one(c, a)
	}
	if err != nil {
		return View{}, err
	}
	tellOf(c, a)
	return m.one(c, a)
}

// withdraw takes it back: nobody is shown it any more, and its notices are removed.
func (m *Module) withdraw(c api.Ctx, r byID) (View, error) {
	a, err := api.Update(c, "announcement", r.ID, func(a *Announcement) error {
		if a.Status != published && a.Status != scheduled {
			return api.Conflict("This announcement is %s: only a published or a scheduled one can be withdrawn", a.Status)
		}
		a.Status = withdrawn
		return nil
	})
	if err != nil {
		return View{}, err
	}
	if err := m.Teller.Recall(c.DB, a.ID); err != nil {
		return View{}, err
	}
	return m.one(c, a)
}

func (m *Module) remove(c api.Ctx, r byID) error {
	a, err := api.Lock[Announcement](c, "announcement", r.ID)
	if err != nil {
		return err
	}
	if a.Status != draft && a.Status != scheduled {
		return api.Conflict("This announcement is %s: withdraw it instead", a.Status)
	}
	if err := m.Files.Attach(c, FileKind, a.ID, "attachmentFileIds", nil); err != nil {
		return err
	}
	return api.Erase[Announcement](c, "announcement", r.ID)
}
