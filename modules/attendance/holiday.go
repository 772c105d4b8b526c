package attendance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

// Holiday is a span of days off, of the whole school or of some classes.
type Holiday struct {
	api.Record
	HolidayFields
	AllClasses bool `json:"allClasses"`
}

// HolidayFields are what an administrator says of a day off.
type HolidayFields struct {
	Name      string      `json:"name" validate:"name,max=100" example:"Diwali"`
	StartDate api.Date    `json:"startDate" validate:"required"`
	EndDate   api.Date    `json:"endDate" doc:"The start unless given"`
	ClassIDs  []uuid.UUID `json:"classIds" gorm:"-" validate:"max=200" doc:"Whose day off it is; everybody's unless classes or divisions are given"`
	// DivisionIDs are beside the classes.
	DivisionIDs []uuid.UUID `json:"divisionIds" gorm:"-" validate:"max=500" doc:"Divisions that have the day off without the rest of their class"`
}

type holidayChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[HolidayFields]
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

// longestHoliday is more than any school has, and less than a mistyped year.
const longestHoliday = 366

var holidayListing = api.Listing{
	Sorts:   map[string]string{"startDate": "start_date", "name": "name", "createdAt": "created_at"},
	Default: "startDate",
	Filters: map[string]api.Filter{
		"search": api.Search("name"), "from": api.ByDate("end_date", ">="), "to": api.ByDate("start_date", "<="),
		"classId": api.ByID("id").Where("(all_classes or id in (select x.holiday_id from holiday_class x where x.class_id = @v union select " +
			"x.holiday_id from holiday_division x join division d on d.id = x.division_id where d.class_id = @v))"),
	},
}

func createHoliday(c api.Ctx, r HolidayFields) (Holiday, error) {
	h := Holiday{HolidayFields: r}
	if err := h.normalize(); err != nil {
		return h, err
	}
	if err := api.Insert(c, "holiday", &h); err != nil {
		return h, err
	}
	if err := h.keepClasses(c); err != nil {
		return h, err
	}
	return h, tellHoliday(c, nil, &h)
}

func listHolidays(c api.Ctx, l api.ListRequest) (api.Page[Holiday], error) {
	page, err := api.Fetch[Holiday](c.DB.Model(&Holiday{}), l)
	if err != nil {
		return page, err
	}
	return page, nameClasses(c.DB, page.Items)
}

func getHoliday(c api.Ctx, r byID) (Holiday, error) {
	h, err := api.Find[Holiday](c, "holiday", c.DB, r.ID)
	if err != nil {
		return h, err
	}
	found := []Holiday{h}
	err = nameClasses(c.DB, found)
	return found[0], err
}

func updateHoliday(c api.Ctx, r holidayChange) (Holiday, error) {
	h, err := api.Lock[Holiday](c, "holiday", r.ID)
	if err != nil {
		return h, err
	}
	found := []Holiday{h}
	if err := nameClasses(c.DB, found); err != nil {
		return h, err
	}
	before := found[0]
	h, err = api.UpdateLocked(c, "holiday", before, func(h *Holiday) error {
		if err := r.Apply(&h.HolidayFields); err != nil {
			return err
		}
		return h.normalize()
	})
	if err != nil {
		return h, err
	}
	if err := h.keepClasses(c); err != nil {
		return h, err
	}
	return h, tellHoliday(c, &before, &h)
}

func deleteHoliday(c api.Ctx, r byID) error {
	before, err := getHoliday(c, r)
	if err != nil {
		return err
	}
	if err := tellHoliday(c, &before, nil); err != nil {
		return err
	}
	if err := api.Erase[Holiday](c, "holiday", r.ID); err != nil {
		return err
	}
	c.Tell(events.Fact{Kind: "holiday.changed", Data: map[string]any{"holidayId": r.ID}})
	return nil
}

// normalize fills in what was left out and refuses a span that is none.
func (h *Holiday) normalize() error {
	if h.EndDate.IsZero() {
		h.EndDate = h.StartDate
	}
	if h.EndDate.Before(h.StartDate) {
		return api.InvalidField("endDate", "endDate must not be before startDate")
	}
	if h.StartDate.AddDays(longestHoliday).Before(h.EndDate) {
		return api.InvalidField("endDate", "a holiday must not be longer than %d days", longestHoliday)
	}
	for _, ids := range []*[]uuid.UUID{&h.ClassIDs, &h.DivisionIDs} {
		slices.SortFunc(*ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
		*ids = append([]uuid.UUID{}, slices.Compact(*ids)...)
	}
	h.AllClasses = len(h.ClassIDs)+len(h.DivisionIDs) == 0
	return nil
}

// keepClasses writes whose day off it is, and tells of it.
func (h *Holiday) keepClasses(c api.Ctx) error {
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `delete from holiday_class where holiday_id = $1`, Args: []any{h.ID}},
		tenancy.Query{SQL: `insert into holiday_class (holiday_id, class_id) select $1, unnest($2::uuid[])`, Args: []any{h.ID, h.ClassIDs}},
		tenancy.Query{SQL: `delete from holiday_division where holiday_id = $1`, Args: []any{h.ID}},
		tenancy.Query{SQL: `insert into holiday_division (holiday_id, division_id) select $1, unnest($2::uuid[])`,
			Args: []any{h.ID, h.DivisionIDs}},
	)
	if err != nil {
		return fmt.Errorf("writing the classes of a holiday: %w", err)
	}
	c.Tell(events.Fact{Kind: "holiday.changed", Data: map[string]any{"holidayId": h.ID, "startDate": h.StartDate, "endDate": h.EndDate,
		"classIds": h.ClassIDs, "divisionIds": h.DivisionIDs}})
	return nil
}

// nameClasses fills in whose days off they are.
func nameClasses(db *gorm.DB, list []Holiday) error {
	at := map[uuid.UUID]*Holiday{}
	ids := make([]uuid.UUID, len(list))
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, &list[i]
		list[i].ClassIDs, list[i].DivisionIDs = []uuid.UUID{}, []uuid.UUID{}
	}
	if len(ids) == 0 {
		return nil
	}
	var found []struct {
		HolidayID           uuid.UUID
		ClassID, DivisionID *uuid.UUID
	}
	err := db.Raw(`select holiday_id, class_id, null::uuid as division_id from holiday_class where holiday_id in ?
		union all select holiday_id, null, division_id from holiday_division where holiday_id in ? order by 2, 3`, ids, ids).Scan(&found).Error
	if err != nil {
		return fmt.Errorf("reading the classes of holidays: %w", err)
	}
	for _, f := range found {
		h := at[f.HolidayID]
		if f.ClassID != nil {
			h.ClassIDs = append(h.ClassIDs, *f.ClassID)
		} else {
			h.DivisionIDs = append(h.DivisionIDs, *f.DivisionID)
		}
	}
	return nil
}

// holidayStatus is the mark that declares a day off.
const holidayStatus = "HOLIDAY"

// declareOff makes the day a day off of the division, as its marks say. Marks of that day
// stay and count nowhere; what parents were to be told of them is withdrawn.
func (s *markSheet) declareOff(c api.Ctx, r MarkFields, reason string) (Marked, error) {
	out := Marked{DivisionID: r.DivisionID, Date: r.Date, Records: make([]MarkedRecord, len(r.Records))}
	for i, record := range r.Records {
		out.Records[i] = MarkedRecord{StudentID: record.StudentID, Status: holidayStatus}
	}
	if s.off != "" {
		return out, nil
	}
	marks := make([]change, 0, len(s.marks))
	for _, m := range s.marks {
		was := m
		m.Status = holidayStatus
		marks = append(marks, change{Mark: m, was: &was})
	}
	if _, err := takeBack(c, marks); err != nil {
		return out, err
	}
	h, err := createHoliday(c, HolidayFields{Name: cmp.Or(strings.TrimSpace(r.Records[0].Remark), "Holiday"), StartDate: r.Date,
		DivisionIDs: []uuid.UUID{r.DivisionID}})
	if err != nil {
		return out, err
	}
	c.Changed("declare off", "attendance", r.DivisionID, nil, map[string]any{"date": r.Date, "holidayId": h.ID, "reason": reason})
	out.Changed = len(r.Records)
	return out, nil
}
