package roster

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// Class is a grade: "5", "Nursery". Its pupils sit in divisions.
type Class struct {
	api.Record
	ClassFields
}

// ClassFields are what an administrator says of a class.
type ClassFields struct {
	Name        string     `json:"name" validate:"name,max=60" example:"Class 5"`
	Code        string     `json:"code" validate:"max=20" example:"5"`
	Level       int        `json:"level" validate:"min=0,max=100" doc:"Orders the classes, lowest first"`
	NextClassID *uuid.UUID `json:"nextClassId" doc:"Where its pupils go at the turn of the year"`
	// GradeScaleID is read by exams.
	GradeScaleID *uuid.UUID `json:"gradeScaleId" doc:"How its results are graded; by the school's default scale unless given"`
}

type classChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[ClassFields]
}

var classListing = api.Listing{
	Sorts:   map[string]string{"level": "level", "name": "name", "createdAt": "created_at"},
	Default: "level",
	Filters: map[string]api.Filter{"search": api.Search("name", "code"), "level": api.ByInt("level")},
}

func createClass(c api.Ctx, r ClassFields) (Class, error) {
	class := Class{ClassFields: r}
	return class, api.Insert(c, "class", &class)
}

func listClasses(c api.Ctx, l api.ListRequest) (api.Page[Class], error) {
	return api.Fetch[Class](c.DB.Model(&Class{}), l)
}

func getClass(c api.Ctx, r byID) (Class, error) {
	return api.Find[Class](c, "class", c.DB, r.ID)
}

func updateClass(c api.Ctx, r classChange) (Class, error) {
	return api.Update(c, "class", r.ID, func(class *Class) error { return r.Apply(&class.ClassFields) })
}

func deleteClass(c api.Ctx, r byID) error {
	return api.Erase[Class](c, "class", r.ID)
}
