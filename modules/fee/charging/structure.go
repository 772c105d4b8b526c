package charging

import (
	"errors"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/tenancy"
)

// MaxAmount is the most that one amount may be, in minor units. With it, no share of an
// amount leaves 64 bits while it is worked out.
const MaxAmount = 1_000_000_000_000

// Structure is what a class pays in a year, for what and when.
type Structure struct {
	StructureRecord
	Heads       []StructureHead `json:"heads"`
	Instalments []Instalment    `json:"instalments" doc:"Numbered from 1 in this order"`
	LateFine    LateFine        `json:"lateFine"`
	Total       int64           `json:"total" doc:"Of all heads that everybody pays, for the whole year"`
}

// StructureRecord is the structure's own part.
type StructureRecord struct {
	api.Record
	AcademicYearID uuid.UUID     `json:"academicYearId"`
	ClassID        uuid.UUID     `json:"classId"`
	Name           string        `json:"name"`
	ProRata        bool          `json:"proRata" doc:"Who joins during the year pays for the months, or days, that remain"`
	FineType       string        `json:"-"`
	FineAmount     ledger.Amount `json:"-"`
	FineGraceDays  int           `json:"-"`
	FineMaxAmount  ledger.Amount `json:"-"`
	FineSince      api.Date      `json:"-"`
}

// TableName is the record's table.
func (StructureRecord) TableName() string { return "fee_structure" }

// StructureHead is what the year costs under one head.
type StructureHead struct {
	FeeHeadID uuid.UUID     `json:"feeHeadId" validate:"required"`
	Name      string        `json:"name" validate:"omitempty,name,max=60" doc:"The head's; what is sent is ignored"`
	Amount    ledger.Amount `json:"amount" validate:"min=0,max=1000000000000" doc:"For the whole year, in minor units. May be 0 where the head has amounts of its own; then it is for who rides nowhere that has one"`
	Optional  bool          `json:"optional" doc:"The head's; what is sent is ignored"`
	AmountBy  string        `json:"amountBy" enum:"CLASS,OPTION,ROUTE,STOP,''" validate:"max=10" doc:"The head's; what is sent is ignored"`

	amounts []HeadAmount
}

// Instalment is a part of the year's fees and the day it is due.
type Instalment struct {
	Number  int      `json:"number" doc:"Its place in the list; what is sent is ignored"`
	Name    string   `json:"name" validate:"name,max=60" example:"Term 1"`
	DueDate api.Date `json:"dueDate" validate:"required"`
	Percent float64  `json:"percent" validate:"gt=0,max=100" doc:"Of every head, with at most two decimals; together they are 100" example:"50"`
}

// LateFine says what being late costs. A fine is taken while an invoice is open and
// graceDays have passed since its due date, or since it was charged or the rule was made
// if that was later: FIXED once, PER_DAY for every further day, until maxAmount is reached.
type LateFine struct {
	Type      string        `json:"type" validate:"omitempty,oneof=NONE FIXED PER_DAY" doc:"As the school's settings say unless given"`
	Amount    ledger.Amount `json:"amount" validate:"min=0,max=1000000000000"`
	GraceDays int           `json:"graceDays" validate:"min=0,max=366"`
	MaxAmount ledger.Amount `json:"maxAmount" validate:"min=0,max=1000000000000" doc:"The most for one invoice; 0 is no limit"`
}

var structureListing = api.Listing{
	Sorts:   map[string]string{"name": "name", "createdAt": "created_at"},
	Default: "-createdAt",
	Filters: map[string]api.Filter{"search": api.Search("name"), "classId": api.ByID("class_id"),
		"academicYearId": api.ByID("academic_year_id")},
}

type structureOf struct {
	ID             uuid.UUID  `path:"id" doc:"The class's; a structure's own is taken too"`
	AcademicYearID *uuid.UUID `json:"academicYearId" doc:"The active year unless given"`
}

// getStructure is what a class pays. The path has one place for an id, and PUT has the
// structure's there: both are understood.
func getStructure(c api.Ctx, r structureOf) (Structure, error) {
	if r.AcademicYearID == nil {
		year, err := ledger.CurrentYear(c)
		if errors.Is(err, ledger.NoYear) {
			return Structure{}, api.NotFound("fee structure")
		}
		if err != nil {
			return Structure{}, err
		}
		r.AcademicYearID = &year.ID
	}
	var found []StructureRecord
	if err := c.DB.Where("(class_id = ? and academic_year_id = ?) or id = ?", r.ID, *r.AcademicYearID, r.ID).Find(&found).Error; err != nil {
		return Structure{}, fmt.Errorf("reading a fee structure: %w", err)
	}
	if len(found) == 0 {
		return Structure{}, api.NotFound("fee structure")
	}
	whole, err := withParts(c, found)
	if err != nil {
		return Structure{}, err
	}
	return whole[0], nil
}

func listStructures(c api.Ctx, l api.ListRequest) (api.Page[Structure], error) {
	page, err := api.Fetch[StructureRecord](c.DB.Model(&StructureRecord{}), l)
	if err != nil {
		return api.Page[Structure]{}, err
	}
	out := api.MapPage(page, func(r StructureRecord) Structure { return Structure{StructureRecord: r} })
	out.Items, err = withParts(c, page.Items)
	return out, err
}

// withParts reads the heads and instalments of structures.
func withParts(c api.Ctx, records []StructureRecord) ([]Structure, error) {
	type head struct {
		StructureID uuid.UUID
		StructureHead
		Amounts []HeadAmount
	}
	type instalment struct {
		StructureID uuid.UUID
		Instalment
	}
	out := make([]Structure, len(records))
	at := map[uuid.UUID]*Structure{}
	ids := make([]uuid.UUID, len(records))
	for i, r := range records {
		out[i] = Structure{StructureRecord: r, Heads: []StructureHead{}, Instalments: []Instalment{},
			LateFine: LateFine{Type: r.FineType, Amount: r.FineAmount, GraceDays: r.FineGraceDays, MaxAmount: r.FineMaxAmount}}
		at[r.ID], ids[i] = &out[i], r.ID
	}
	var heads []head
	var instalments []instalment
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select s.structure_id, s.fee_head_id, h.name, s.amount, h.optional, h.amount_by, h.amounts
			from fee_structure_head s
			join fee_head h on h.id = s.fee_head_id
			where s.structure_id = any($1) order by s.structure_id, s.position`, Args: []any{ids}, Scan: tenancy.Collect(&heads)},
		tenancy.Query{SQL: `select structure_id, number, name, due_date, percent::float8 as percent from fee_instalment
			where structure_id = any($1) order by structure_id, number`, Args: []any{ids}, Scan: tenancy.Collect(&instalments)})
	if err != nil {
		return nil, fmt.Errorf("reading fee structures: %w", err)
	}
	for _, h := range heads {
		s := at[h.StructureID]
		h.amounts = h.Amounts
		s.Heads = append(s.Heads, h.StructureHead)
		if !h.Optional {
			s.Total += int64(h.Amount)
		}
	}
	for _, i := range instalments {
		s := at[i.StructureID]
		s.Instalments = append(s.Instalments, i.Instalment)
	}
	return out, nil
}
