package exam

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"homeroom/api"
)

// GradeScale says which percent is which grade. A class names its own, or goes by the
// school's default.
type GradeScale struct {
	api.Record
	ScaleFields
}

// ScaleFields are what an administrator says of a scale.
type ScaleFields struct {
	Name      string `json:"name" validate:"name,max=60" example:"A to E"`
	IsDefault bool   `json:"isDefault" doc:"For classes that name no scale; one scale is"`
	Bands     Bands  `json:"bands" validate:"required,min=1,max=30,dive" doc:"Each from its minPercent up to the next; the lowest starts at 0"`
}

// Band is one grade.
type Band struct {
	Grade      string  `json:"grade" validate:"notblank,max=10" example:"A1"`
	MinPercent float64 `json:"minPercent" validate:"min=0,max=100" example:"91"`
	GradePoint float64 `json:"gradePoint" validate:"min=0,max=100" example:"10"`
	IsPass     bool    `json:"isPass"`
}

// Bands are a scale's grades, the highest first.
type Bands []Band

// Value stores the bands as JSON.
func (b Bands) Value() (driver.Value, error) {
	raw, err := json.Marshal([]Band(b))
	return string(raw), err
}

// Scan reads the bands.
func (b *Bands) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*b = nil
		return nil
	case string:
		return json.Unmarshal([]byte(v), (*[]Band)(b))
	case []byte:
		return json.Unmarshal(v, (*[]Band)(b))
	}
	return fmt.Errorf("exam.Bands: cannot read %T", v)
}

// GormDataType tells GORM the column's type.
func (Bands) GormDataType() string { return "jsonb" }

// grade is the band a percent falls into; the zero Band is none.
func (b Bands) grade(percent *float64) Band {
	if percent == nil {
		return Band{}
	}
	for _, band := range b {
		if *percent >= band.MinPercent {
			return band
		}
	}
	return Band{}
}

type scaleChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[ScaleFields]
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

var scaleListing = api.Listing{
	Sorts:   map[string]string{"name": "name", "createdAt": "created_at"},
	Default: "name",
	Filters: map[string]api.Filter{"search": api.Search("name"), "isDefault": api.ByBool("is_default")},
}

func createScale(c api.Ctx, r ScaleFields) (GradeScale, error) {
	s := GradeScale{ScaleFields: r}
	if err := s.normalize(c, uuid.Nil); err != nil {
		return s, err
	}
	return s, api.Insert(c, "grade scale", &s)
}

func listScales(c api.Ctx, l api.ListRequest) (api.Page[GradeScale], error) {
	return api.Fetch[GradeScale](c.DB.Model(&GradeScale{}), l)
}

func getScale(c api.Ctx, r byID) (GradeScale, error) {
	return api.Find[GradeScale](c, "grade scale", c.DB, r.ID)
}

func updateScale(c api.Ctx, r scaleChange) (GradeScale, error) {
	return api.Update(c, "grade scale", r.ID, func(s *GradeScale) error {
		if err := r.Apply(&s.ScaleFields); err != nil {
			return err
		}
		return s.normalize(c, r.ID)
	})
}

func deleteScale(c api.Ctx, r byID) error { return api.Erase[GradeScale](c, "grade scale", r.ID) }

// normalize orders the bands and refuses a scale under which some percent would have no
// grade, or two. A new default takes the place of the old one.
func (s *GradeScale) normalize(c api.Ctx, id uuid.UUID) error {
	var bad []api.Detail
	grades, starts := map[string]bool{}, map[float64]bool{}
	fail := func(i int, field, message string) {
		bad = append(bad, api.Detail{Field: fmt.Sprintf("bands[%d].%s", i, field), Message: message})
	}
	for i, b := range s.Bands {
		if grades[strings.ToLower(b.Grade)] {
			fail(i, "grade", "grade is named twice")
		}
		if b.MinPercent != rounded(b.MinPercent) {
			fail(i, "minPercent", "minPercent must have at most two decimals")
		}
		if starts[b.MinPercent] {
			fail(i, "minPercent", "two grades start at the same percent")
		}
		grades[strings.ToLower(b.Grade)], starts[b.MinPercent] = true, true
	}
	if !starts[0] {
		bad = append(bad, api.Detail{Field: "bands", Message: "the lowest band must start at 0"})
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	s.Bands = slices.Clone(s.Bands)
	slices.SortFunc(s.Bands, func(a, b Band) int {
		if a.MinPercent > b.MinPercent {
			return -1
		}
		return 1
	})
	if !s.IsDefault {
		return nil
	}
	return stepBack(c, id)
}

// stepBack makes the scale that was the default an ordinary one.
func stepBack(c api.Ctx, other uuid.UUID) error {
	var was []GradeScale
	if err := c.DB.Clauses(clause.Locking{Strength: "UPDATE"}).Where("is_default and id <> ?", other).Find(&was).Error; err != nil {
		return fmt.Errorf("looking for the default scale: %w", err)
	}
	for _, before := range was { // one at the most
		after := before
		after.IsDefault = false
		if err := keepDefault(c, before, after); err != nil {
			return err
		}
	}
	return nil
}
