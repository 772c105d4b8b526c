package charging

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/tenancy"
)

// NextYear is the fees' part in the turn of the year.
func NextYear() []api.NextYear {
	return []api.NextYear{{Part: api.FeesPart, Permission: "fee", Carry: carryStructures, Undo: undoStructures, InUse: hasMoney}}
}

// carryStructures gives every class the structure it had, raised by a percentage, with its instalments as many months
// later. A class that has one in the new year keeps it.
func carryStructures(c api.Ctx, t api.YearTurn) (api.CarriedOver, error) {
	out := api.CarriedOver{Made: []uuid.UUID{}}
	var records []StructureRecord
	err := c.DB.Where(`academic_year_id = ? and class_id not in (select class_id from fee_structure where academic_year_id = ?)`,
		t.From.ID, t.To.ID).Order("name, id").Find(&records).Error
	if err != nil {
		return out, fmt.Errorf("reading fee structures: %w", err)
	}
	old, err := withParts(c, records)
	if err != nil {
		return out, err
	}
	unit, err := roundingUnit(c)
	if err != nil {
		return out, err
	}
	made := []uuid.UUID{}
	own := map[string]bool{}
	for _, s := range old {
		raised, err := raiseStructure(c, s, t, unit, own)
		if err != nil {
			return out, err
		}
		made = append(made, raised.ID)
		line := fmt.Sprintf("%s: %s", raised.Name, ledger.Money(c, raised.Total))
		if raised.Total != s.Total {
			line += fmt.Sprintf(" instead of %s", ledger.Money(c, s.Total))
		}
		out.Will, out.Seen = append(out.Will, line), append(out.Seen, fmt.Sprint(s.ID, s.Version))
	}
	out.Made, out.Records = made, len(made)
	if t.Choices.FeeRaisePercent != 0 {
		for _, name := range slices.Sorted(maps.Keys(own)) {
			out.Missing = append(out.Missing, name+" has amounts of its own, which are not raised: change them under fee heads")
		}
	}
	return out, addGaps(c, t, &out)
}

// addGaps says what is kept, and which classes have students and no fees.
func addGaps(c api.Ctx, t api.YearTurn, out *api.CarriedOver) error {
	var kept int
	var without []string
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select count(*)::int from fee_structure where academic_year_id = $1`, Args: []any{t.To.ID},
			Scan: tenancy.One(&kept)},
		tenancy.Query{SQL: `select k.name from class k where exists (select from enrolment e where e.class_id = k.id and e.academic_year_id = $1)
			and not exists (select from fee_structure s where s.class_id = k.id and s.academic_year_id = $1) order by k.level, k.name`,
			Args: []any{t.To.ID}, Scan: tenancy.Values(&without)})
	if err != nil {
		return fmt.Errorf("reading fee structures: %w", err)
	}
	if kept -= out.Records; kept > 0 {
		out.Will = append(out.Will, fmt.Sprintf("%d classes have a fee structure of %s already: these stay as they are", kept, t.To.Name))
	}
	if len(without) > 0 {
		out.Missing = append(out.Missing, "Without a fee structure: "+strings.Join(without, ", "))
	}
	return nil
}

func roundingUnit(c api.Ctx) (int64, error) {
	var rule proRata
	if err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: proRataSQL, Scan: tenancy.Row(&rule)}); err != nil {
		return 1, fmt.Errorf("reading how amounts are rounded: %w", err)
	}
	return max(rule.FeeRoundTo, 1), nil
}

// raiseStructure adds the structure of the new year. own gets the names of heads that have amounts of their own.
func raiseStructure(c api.Ctx, s Structure, t api.YearTurn, unit int64, own map[string]bool) (Structure, error) {
	record := s.StructureRecord
	record.Record = api.Record{ID: api.NewID(), CreatedAt: c.Now, UpdatedAt: c.Now, CreatedBy: &c.User.ID, UpdatedBy: &c.User.ID, Version: 1}
	record.AcademicYearID, record.FineSince = t.To.ID, t.To.StartDate
	record.Name = strings.ReplaceAll(s.Name, t.From.Name, t.To.Name)
	fields := StructureFields{Heads: s.Heads, Instalments: s.Instalments}
	for i, h := range fields.Heads {
		fields.Heads[i].Amount = ledger.Amount(raise(int64(h.Amount), t.Choices.FeeRaisePercent, unit))
		if h.AmountBy != "CLASS" {
			own[h.Name] = true
		}
	}
	for i, in := range fields.Instalments {
		fields.Instalments[i].DueDate = t.Day(in.DueDate)
	}
	if err := c.DB.Create(&record).Error; err != nil {
		return Structure{}, fmt.Errorf("adding a fee structure: %w", err)
	}
	return writeParts(c, record, fields)
}

// raise is an amount with a raise, rounded half up to the school's unit; what costs something goes on costing something. An
// amount that is not raised stays as it is.
func raise(amount int64, percent float64, unit int64) int64 {
	if amount == 0 || percent == 0 {
		return amount
	}
	share := whole + int64(math.Round(percent*100))
	return min(max(ledger.Part(amount, share, whole*unit)*unit, 1), MaxAmount)
}

// undoStructures removes the structures it made.
func undoStructures(c api.Ctx, _ api.YearTurn, made json.RawMessage) error {
	var ids []uuid.UUID
	if err := json.Unmarshal(made, &ids); err != nil {
		return fmt.Errorf("reading what was made: %w", err)
	}
	if err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `delete from fee_structure where id = any($1)`, Args: []any{ids}}); err != nil {
		return fmt.Errorf("taking fee structures back: %w", err)
	}
	return nil
}

// hasMoney says whether somebody paid in the new year, or was charged by a structure that was carried over.
func hasMoney(c api.Ctx, t api.YearTurn, made json.RawMessage) (string, error) {
	var ids []uuid.UUID
	if len(made) > 0 {
		if err := json.Unmarshal(made, &ids); err != nil {
			return "", fmt.Errorf("reading what was made: %w", err)
		}
	}
	var receipts, invoices []string
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select receipt_number from fee_receipt where academic_year_id = $1 order by number limit 1`, Args: []any{t.To.ID},
			Scan: tenancy.Values(&receipts)},
		tenancy.Query{SQL: `select number from fee_invoice where structure_id = any($1) order by number limit 1`, Args: []any{ids},
			Scan: tenancy.Values(&invoices)})
	switch {
	case err != nil:
		return "", fmt.Errorf("looking for payments: %w", err)
	case len(receipts) > 0:
		return fmt.Sprintf("Receipt %s is written", receipts[0]), nil
	case len(invoices) > 0:
		return fmt.Sprintf("Invoice %s is written", invoices[0]), nil
	}
	return "", nil
}
