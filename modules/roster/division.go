package roster

import (
	"fmt"

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
	Name     string    `json:"name" validate:"name,max=30" example:"A"`
	Capacity *int      `json:"capacity" validate:"omitempty,min=1,max=1000"`
	Room     string    `json:"room" validate:"max=30"`
}

// DivisionView is a division with its class teacher of the active year.
type DivisionView struct {
	Division
	ClassTeacherID   *uuid.UUID `json:"classTeacherId" gorm:"-" doc:"The employee who is its class teacher"`
	ClassTeacherName string     `json:"classTeacherName" gorm:"-"`
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

func listDivisions(c api.Ctx, l api.ListRequest) (api.Page[DivisionView], error) {
	page, err := api.Fetch[DivisionView](c.DB.Model(&Division{}), l)
	if err != nil {
		return page, err
	}
	return page, nameClassTeachers(c, page.Items)
}

func getDivision(c api.Ctx, r byID) (DivisionView, error) {
	d, err := api.Find[Division](c, "division", c.DB, r.ID)
	if err != nil {
		return DivisionView{}, err
	}
	views := []DivisionView{{Division: d}}
	err = nameClassTeachers(c, views)
	return views[0], err
}

func updateDivision(c api.Ctx, r divisionChange) (Division, error) {
	if r.Names("classId") {
		c.RightsChanged()
	}
	return api.Update(c, "division", r.ID, func(d *Division) error {
		was := d.ClassID
		if err := r.Apply(&d.DivisionFields); err != nil || d.ClassID == was {
			return err
		}
		return d.mayLeaveItsClass(c)
	})
}

// mayLeaveItsClass refuses another class once somebody sat or taught in the division:
// their records name the class it had. The division is locked, so nobody comes meanwhile.
func (d *Division) mayLeaveItsClass(c api.Ctx) error {
	var used bool
	err := c.DB.Raw(`select exists (select from enrolment where division_id = @id) or exists (select from teacher_assignment
		where division_id = @id)
		or exists (select from student_group_division where division_id = @id)`,
		map[string]any{"id": d.ID}).Scan(&used).Error
	if err != nil {
		return fmt.Errorf("looking who is in a division: %w", err)
	}
	if used {
		return api.Conflict("Students or teachers belong to this division: it stays in its class")
	}
	return nil
}

func deleteDivision(c api.Ctx, r byID) error {
	return api.Erase[Division](c, "division", r.ID)
}
