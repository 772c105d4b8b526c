package nurse

import (
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// Visit is one visit of a student to the nurse.
type Visit struct {
	api.Record
	VisitFields
}

// TableName is the record's table.
func (Visit) TableName() string { return "nurse_visit" }

// VisitFields are what the nurse notes of a visit.
type VisitFields struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	VisitedAt time.Time `json:"visitedAt" validate:"required"`
	Complaint string    `json:"complaint" validate:"notblank,max=500" example:"Headache"`
	Given     string    `json:"given" validate:"max=500" doc:"What the student was given" example:"Rest and water"`
}

type visitChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[VisitFields]
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

var visitListing = api.Listing{
	Sorts:   map[string]string{"visitedAt": "visited_at"},
	Default: "-visitedAt",
	Filters: map[string]api.Filter{"studentId": api.ByID("student_id")},
}

func createVisit(c api.Ctx, r VisitFields) (Visit, error) {
	v := Visit{VisitFields: r}
	return v, api.Insert(c, "visit", &v)
}

func listVisits(c api.Ctx, l api.ListRequest) (api.Page[Visit], error) {
	return api.Fetch[Visit](c.DB.Model(&Visit{}), l)
}

func getVisit(c api.Ctx, r byID) (Visit, error) { return api.Find[Visit](c, "visit", c.DB, r.ID) }

func updateVisit(c api.Ctx, r visitChange) (Visit, error) {
	return api.Update(c, "visit", r.ID, func(v *Visit) error { return r.Apply(&v.VisitFields) })
}

func deleteVisit(c api.Ctx, r byID) error { return api.Erase[Visit](c, "visit", r.ID) }
