package roster

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"homeroom/api"
)

// Demo gives a school a year, three classes and their divisions to try things on.
// Ids follow from names, so running it again adds nothing.
func Demo(db *gorm.DB, school uuid.UUID, startYear int) error {
	var years int64
	if err := db.Model(&AcademicYear{}).Where("id <> ?", FirstYearID(school)).Count(&years).Error; err != nil {
		return fmt.Errorf("looking for demo data: %w", err)
	}
	if years > 0 {
		return nil // somebody works here
	}
	year := AcademicYear{Record: demoRecord("year"), Active: true, YearFields: YearFields{
		Name:      fmt.Sprintf("%d-%02d", startYear, (startYear+1)%100),
		StartDate: api.Date{Year: startYear, Month: time.June, Day: 1},
		EndDate:   api.Date{Year: startYear + 1, Month: time.April, Day: 30},
	}}
	var classes []Class
	var divisions []Division
	for level := 7; level >= 5; level-- {
		class := Class{Record: demoRecord(fmt.Sprint("class ", level)),
			ClassFields: ClassFields{Name: fmt.Sprint("Class ", level), Code: fmt.Sprint(level), Level: level}}
		if len(classes) > 0 {
			class.NextClassID = &classes[len(classes)-1].ID
		}
		classes = append(classes, class)
		for _, name := range []string{"A", "B"} {
			capacity := 40
			divisions = append(divisions, Division{
				Record:         demoRecord(fmt.Sprint("division ", level, name)),
				DivisionFields: DivisionFields{ClassID: class.ID, Name: name, Capacity: &capacity, Room: fmt.Sprint(level, "0", name)},
			})
		}
	}
	return db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec(`delete from academic_year where id = ?`, FirstYearID(school)).Error; err != nil {
			return fmt.Errorf("making room for the demo's year: %w", err)
		}
		once := clause.OnConflict{DoNothing: true}
		for _, rows := range []any{&year, &classes, &divisions} {
			if err := tx.Clauses(once).Create(rows).Error; err != nil {
				return fmt.Errorf("adding demo data: %w", err)
			}
		}
		return nil
	})
}

func demoRecord(name string) api.Record {
	return api.Record{ID: uuid.NewSHA1(uuid.NameSpaceOID, []byte("homeroom demo "+name)), Version: 1}
}
