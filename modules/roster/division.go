package roster

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// Division is one group of a class that is taught together: 5-A.
type Division struct {
	api.Record
	DivisionFields
}

// DivisionFields are what an administrator says of a division.
type DivisionFields struct {
	ClassID  uuid.UUID `json:"classId" validate:"required"`
	Name     string    `json:"name" validate:"notblank,max=30" example:"A"`
	Capacity *int      `json:"capacity" validate:"omitempty,min=1,max=1000"`
	Room     string    `json:"room" validate:"max=30"`
}

type divisionChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[DivisionFields]
}

var divisionListing = api.Listing{
	Sorts:   map[string]string{"name": "name", "createdAt": "created_at"},
	Default: "name",
	Filters: map[string]api.Filter{"classId": api.ByID("class_id"), "search": api.Search("name", "room")},
}

func createDivision(c api.Ctx, r DivisionFields) (Division, error) {
	d := Division{DivisionFields: r}
	c.RightsChanged() // a teacher of the whole class has this division too
	return d, api.Insert(c, "division", &d)
}

func listDivisions(c api.Ctx, l api.ListRequest) (api.Page[Division], error) {
	return api.Fetch[Division](c.DB.Model(&Division{}), l)
}

func getDivision(c api.Ctx, r byID) (Division, error) {
	return api.Find[Division](c, "division", c.DB, r.ID)
}

func updateDivision(c api.Ctx, r divisionChange) (Division, error) {
	if r.Names("classId") {
		c.RightsChanged()
	}
	return api.Update(c, "division", r.ID, func(d *Division) error { return r.Apply(&d.DivisionFields) })
}

func deleteDivision(c api.Ctx, r byID) error {
	return api.Erase[Division](c, "division", r.ID)
}
