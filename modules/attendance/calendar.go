package attendance

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// calendar says which days the school is shut, between the days it was read for.
type calendar struct {
	weekend []int16 // 0 is Sunday; of days before any in off
	days    []dayOff
}

// dayOff is a holiday, or which days of the week are off from its first day on.
type dayOff struct {
	Name       string
	StartDate  api.Date
	EndDate    api.Date
	AllClasses bool
	ClassIDs   []uuid.UUID
	Divisions  []uuid.UUID
	Weekend    []int16
}

const selectHolidays = `select h.name, h.start_date, h.end_date, h.all_classes,
		array(select x.class_id from holiday_class x where x.holiday_id = h.id) as class_ids,
		array(select x.division_id from holiday_division x where x.holiday_id = h.id) as divisions, null::smallint[] as weekend
	from holiday h where h.start_date <= $2 and h.end_date >= $1`

const selectDaysOff = selectHolidays + `
	union all
	select '', w.from_date, w.from_date, false, '{}', '{}', w.days from weekend w where w.from_date <= $2
	order by start_date, name`

// reading is a calendar of the days from one to another, and the query that fills it.
func reading(c api.Ctx, from, to api.Date) (*calendar, tenancy.Query) {
	k := &calendar{weekend: c.School.WeekendDays}
	return k, tenancy.Query{SQL: selectDaysOff, Args: []any{from, to}, Scan: tenancy.Collect(&k.days)}
}

// off is what keeps a division of a class at home on a day; nothing on a school day. Zero
// ids stand for those who belong to none: only what shuts the whole school counts.
func (k *calendar) off(class, division uuid.UUID, day api.Date) string {
	weekend := k.weekend
	for _, h := range k.days { // in the order of their first days: the last weekend that has begun counts
		switch {
		case day.Before(h.StartDate):
		case h.Weekend != nil:
			weekend = h.Weekend
		case !h.EndDate.Before(day) && (h.AllClasses || slices.Contains(h.ClassIDs, class) || slices.Contains(h.Divisions, division)):
			return h.Name
		}
	}
	if slices.Contains(weekend, int16(day.In(time.UTC).Weekday())) {
		return "Weekend"
	}
	return ""
}

// openDays is how many school days a division of a class has from one day to another.
func (k *calendar) openDays(class, division uuid.UUID, from, to api.Date) int {
	n := 0
	for day := from; !to.Before(day); day = day.AddDays(1) {
		if k.off(class, division, day) == "" {
			n++
		}
	}
	return n
}

// DaysOff reads the holidays between two days for those who keep no attendance: the one that a
// division has on a day. Weekends are not among them.
func (*Module) DaysOff(db *gorm.DB, from, until api.Date) (func(class, division uuid.UUID, day api.Date) string, error) {
	k := &calendar{}
	err := tenancy.Pipeline(db, tenancy.Query{SQL: selectHolidays + ` order by start_date, name`, Args: []any{from, until},
		Scan: tenancy.Collect(&k.days)})
	if err != nil {
		return nil, fmt.Errorf("reading the holidays: %w", err)
	}
	return k.off, nil
}

// isOpen is the condition that a division has school on a day, in SQL: day, class and division
// are expressions, weekend the parameter that holds the school's weekend days of today. What
// was marked before a day was declared off does not count; what was marked under an older
// weekend does. Since when today's holds is looked up once, and the older ones only for
// days before.
func isOpen(day, class, division, weekend string) string {
	return `case when ` + day + ` >= coalesce((select max(w.from_date) from weekend w), '-infinity'::date) then extract(dow from ` + day +
		`)::int <> all(` + weekend + `::int[])
			else extract(dow from ` + day + `)::int <> all((select w.days from weekend w where w.from_date <= ` + day +
		` order by w.from_date desc limit 1)::smallint[]) end
		and not exists (select from holiday h where h.start_date <= ` + day + ` and h.end_date >= ` + day + `
			and (h.all_classes or exists (select from holiday_class x where x.holiday_id = h.id and x.class_id = ` + class + `)
				or exists (select from holiday_division x where x.holiday_id = h.id and x.division_id = ` + division + `)))`
}

// weekend is the parameter for isOpen.
func weekend(c api.Ctx) []int32 {
	days := make([]int32, len(c.School.WeekendDays))
	for i, d := range c.School.WeekendDays {
		days[i] = int32(d)
	}
	return days
}
