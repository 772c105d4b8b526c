package charging

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/tenancy"
)

// StructureFields are what an administrator says of a structure.
type StructureFields struct {
	Name        string          `json:"name" validate:"name,max=100" example:"Class 5, 2026-27"`
	ProRata     *bool           `json:"proRata" doc:"Who joins during the year pays for the months, or days, that remain; true unless given"`
	Heads       []StructureHead `json:"heads" validate:"required,min=1,max=50,dive"`
	Instalments []Instalment    `json:"instalments" validate:"required,min=1,max=24,dive"`
	LateFine    LateFine        `json:"lateFine"`
}

type structureIn struct {
	AcademicYearID *uuid.UUID `json:"academicYearId" doc:"The active year unless given"`
	ClassID        uuid.UUID  `json:"classId" validate:"required"`
	StructureFields
}

type structureChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[StructureFields]
}

func createStructure(c api.Ctx, r structureIn) (Structure, error) {
	if err := r.check(); err != nil {
		return Structure{}, err
	}
	if r.AcademicYearID == nil {
		year, err := ledger.CurrentYear(c)
		if err != nil {
			return Structure{}, err
		}
		r.AcademicYearID = &year.ID
	}
	if r.LateFine == (LateFine{}) {
		rule, err := schoolsFine(c)
		if err != nil {
			return Structure{}, err
		}
		r.LateFine = rule
	}
	record := StructureRecord{AcademicYearID: *r.AcademicYearID, ClassID: r.ClassID}
	r.lay(&record, c.Today())
	if err := api.Insert(c, "fee structure", &record); err != nil {
		return Structure{}, err
	}
	return writeParts(c, record, r.StructureFields)
}

// schoolsFine is the rule of the settings, for structures that say none.
func schoolsFine(c api.Ctx) (LateFine, error) {
	var rule LateFine
	err := c.DB.Raw(`select late_fine_type as type, late_fine_amount as amount, late_fine_grace_days as grace_days,
		late_fine_max_amount as max_amount from school_setting`).Scan(&rule).Error
	if err != nil {
		return rule, fmt.Errorf("reading the school's late fine: %w", err)
	}
	return rule, nil
}

// updateStructure changes what will be charged from now on. Invoices and the ledger keep
// what was charged; an instalment somebody was charged for keeps its share and its place.
func updateStructure(c api.Ctx, r structureChange) (Structure, error) {
	record, err := api.Lock[StructureRecord](c, "fee structure", r.ID)
	if err != nil {
		return Structure{}, err
	}
	before, err := withParts(c, []StructureRecord{record})
	if err != nil {
		return Structure{}, err
	}
	s := before[0]
	fields := StructureFields{Name: s.Name, ProRata: &s.ProRata, Heads: s.Heads, Instalments: s.Instalments, LateFine: s.LateFine}
	if err := r.Apply(&fields); err != nil {
		return Structure{}, err
	}
	if err := fields.check(); err != nil {
		return Structure{}, err
	}
	if err := keepsCharged(c, s, fields); err != nil {
		return Structure{}, err
	}
	record, err = api.Update(c, "fee structure", r.ID, func(record *StructureRecord) error {
		fields.lay(record, c.Today())
		if !reflect.DeepEqual(fields.Heads, s.Heads) || !reflect.DeepEqual(fields.Instalments, s.Instalments) {
			record.Touch()
		}
		return nil
	})
	if err != nil {
		return Structure{}, err
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `delete from fee_structure_head where structure_id = $1`, Args: []any{r.ID}},
		tenancy.Query{SQL: `delete from fee_instalment where structure_id = $1`, Args: []any{r.ID}})
	if err != nil {
		return Structure{}, fmt.Errorf("changing a fee structure: %w", err)
	}
	return writeParts(c, record, fields)
}

// lay puts the fields into the record. A late fine that is new, or another than before,
// counts from today.
func (f StructureFields) lay(record *StructureRecord, today api.Date) {
	record.Name, record.ProRata = f.Name, f.ProRata == nil || *f.ProRata
	fine := f.LateFine
	if fine.Type == "" {
		fine.Type = "NONE"
	}
	if fine != (LateFine{record.FineType, record.FineAmount, record.FineGraceDays, record.FineMaxAmount}) {
		record.FineSince = today
	}
	record.FineType, record.FineAmount, record.FineGraceDays, record.FineMaxAmount = fine.Type, fine.Amount, fine.GraceDays, fine.MaxAmount
}

// check says what the tags cannot: that the parts fit each other.
func (f StructureFields) check() error {
	var bad []api.Detail
	fail := func(field, format string, args ...any) {
		bad = append(bad, api.Detail{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	heads := map[uuid.UUID]bool{}
	for i, h := range f.Heads {
		if heads[h.FeeHeadID] {
			fail(fmt.Sprintf("heads[%d].feeHeadId", i), "This head is in the list twice")
		}
		heads[h.FeeHeadID] = true
	}
	names, sum := map[string]bool{}, 0
	for i, in := range f.Instalments {
		if name := strings.ToLower(strings.TrimSpace(in.Name)); names[name] {
			fail(fmt.Sprintf("instalments[%d].name", i), "This name is in the list twice")
		} else {
			names[name] = true
		}
		hundredths := hundredths(in.Percent)
		if math.Abs(in.Percent*100-float64(hundredths)) > 1e-6 {
			fail(fmt.Sprintf("instalments[%d].percent", i), "percent must have at most two decimals")
		}
		sum += hundredths
	}
	if sum != whole {
		fail("instalments", "The percents must sum to 100, not %g", float64(sum)/100)
	}
	if (f.LateFine.Type == "FIXED" || f.LateFine.Type == "PER_DAY") && f.LateFine.Amount == 0 {
		fail("lateFine.amount", "amount is required for a fine")
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return nil
}

// keepsCharged refuses to take an instalment away, or another share for it, once
// somebody was charged for it: the others of the class must pay by the same measure.
func keepsCharged(c api.Ctx, s Structure, after StructureFields) error {
	var charged []int
	if err := c.DB.Raw(`select distinct instalment from fee_invoice where structure_id = ? order by 1`,
		s.ID).Scan(&charged).Error; err != nil {
		return fmt.Errorf("reading what was charged: %w", err)
	}
	for _, n := range charged {
		if n > len(s.Instalments) {
			continue
		}
		was := s.Instalments[n-1]
		if n > len(after.Instalments) || hundredths(after.Instalments[n-1].Percent) != hundredths(was.Percent) {
			return api.Conflict("Instalment %d (%s) was charged already: it stays at its place with %g percent", n, was.Name, was.Percent)
		}
	}
	return nil
}

// writeParts adds heads and instalments, and reads the whole.
func writeParts(c api.Ctx, record StructureRecord, f StructureFields) (Structure, error) {
	var heads []uuid.UUID
	var amounts []int64
	for _, h := range f.Heads {
		heads, amounts = append(heads, h.FeeHeadID), append(amounts, int64(h.Amount))
	}
	var names, dues []string
	var percents []float64
	for _, in := range f.Instalments {
		names, dues, percents = append(names, strings.TrimSpace(in.Name)), append(dues, in.DueDate.String()),
			append(percents, float64(hundredths(in.Percent))/100)
	}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `insert into fee_structure_head (structure_id, fee_head_id, position, amount)
			select $1, h, n, a from unnest($2::uuid[], $3::bigint[]) with ordinality as p (h, a, n)`, Args: []any{record.ID, heads, amounts}},
		tenancy.Query{SQL: `insert into fee_instalment (structure_id, number, name, due_date, percent)
			select $1, n, name, due::date, percent from unnest($2::text[], $3::text[], $4::float8[]) with ordinality as p (name, due, percent, n)`,
			Args: []any{record.ID, names, dues, percents}})
	if err != nil {
		return Structure{}, fmt.Errorf("writing a fee structure: %w", err)
	}
	made, err := withParts(c, []StructureRecord{record})
	if err != nil {
		return Structure{}, err
	}
	for i, h := range made[0].Heads {
		if h.Amount == 0 && h.AmountBy == "CLASS" {
			return Structure{}, api.InvalidField(fmt.Sprintf("heads[%d].amount", i), "Enter an amount: this fee head has none of its own")
		}
	}
	return made[0], nil
}
