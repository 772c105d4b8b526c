package charging

import (
	"fmt"
	"math"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/tenancy"
)

// Rule is a concession that applies by itself when an instalment is charged.
type Rule struct {
	api.Record
	RuleFields
}

// TableName is the record's table.
func (Rule) TableName() string { return "fee_rule" }

// RuleFields are what the office says of a rule.
type RuleFields struct {
	Kind      string       `json:"kind" validate:"required,oneof=SIBLING STAFF" doc:"SIBLING: of children whose elder siblings are at the school. STAFF: of children of employees"`
	Child     int          `json:"child" validate:"min=0,max=20" doc:"Of SIBLING: from which child of the family on, from 2"`
	FeeHeadID *uuid.UUID   `json:"feeHeadId" doc:"Of one head; of all unless given"`
	Percent   ledger.Value `json:"percent" validate:"gt=0,max=100" doc:"With at most two decimals"`
}

type ruleChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[RuleFields]
}

// RuleItem is a rule in a list.
type RuleItem struct {
	Rule
	FeeHeadName string `json:"feeHeadName" doc:"Empty where it is of all heads"`
}

const ruleQuery = `select r.id, r.created_at, r.updated_at, r.created_by, r.updated_by, r.version, r.kind, r.child, r.fee_head_id,
	r.percent::float8 as percent, coalesce(h.name, '') as fee_head_name from fee_rule r left join fee_head h on h.id = r.fee_head_id`

func rules(c api.Ctx) *gorm.DB { return c.DB.Table("(?) as fee_rule", c.DB.Raw(ruleQuery)) }

var ruleListing = api.Listing{
	Sorts:   map[string]string{"kind": "kind", "child": "child", "createdAt": "created_at"},
	Default: "child",
	Filters: map[string]api.Filter{"kind": api.ByEnum("kind", "SIBLING", "STAFF"), "feeHeadId": api.ByID("fee_head_id")},
}

func (f *RuleFields) check() error {
	percent := float64(f.Percent)
	switch {
	case f.Kind == "SIBLING" && f.Child < 2:
		return api.InvalidField("child", "Say from which child on: 2 or more")
	case math.Abs(percent*100-math.Round(percent*100)) > 1e-6:
		return api.InvalidField("percent", "The percentage must have at most two decimals")
	case f.Kind == "STAFF":
		f.Child = 0
	}
	return nil
}

func createRule(c api.Ctx, r RuleFields) (RuleItem, error) {
	if err := r.check(); err != nil {
		return RuleItem{}, err
	}
	rule := Rule{RuleFields: r}
	if err := api.Insert(c, "concession rule", &rule); err != nil {
		return RuleItem{}, err
	}
	return getRule(c, byID{rule.ID})
}

func listRules(c api.Ctx, l api.ListRequest) (api.Page[RuleItem], error) {
	return api.Fetch[RuleItem](rules(c), l)
}

func getRule(c api.Ctx, r byID) (RuleItem, error) {
	return api.Find[RuleItem](c, "concession rule", rules(c), r.ID)
}

func updateRule(c api.Ctx, r ruleChange) (RuleItem, error) {
	_, err := api.Update(c, "concession rule", r.ID, func(rule *Rule) error {
		if err := r.Apply(&rule.RuleFields); err != nil {
			return err
		}
		return rule.check()
	})
	if err != nil {
		return RuleItem{}, err
	}
	return getRule(c, byID{r.ID})
}

func deleteRule(c api.Ctx, r byID) error { return api.Erase[Rule](c, "concession rule", r.ID) }

// families is what a charge must know to apply the rules.
type families struct {
	rules []Rule
	by    map[uuid.UUID]kin
}

// kin is which child of the family a student is, and whether a guardian works here.
type kin struct {
	StudentID uuid.UUID
	Nth       int
	Staff     bool
}

// kinSQL is of the students $1. Siblings share a guardian and are at the school; the eldest is
// the first, and of those without a date of birth who was admitted first. A guardian is an
// employee by the phone.
const kinSQL = `with own as materialized (
		select distinct s.id, coalesce(s.date_of_birth, 'infinity') as born, s.admission_date, g.guardian_id
		from student s left join student_guardian g on g.student_id = s.id where s.id = any($1)),
	older as (select s.id, count(distinct o.id) as n from own s join student_guardian x on x.guardian_id = s.guardian_id
		join student o on o.id = x.student_id and o.deleted_at is null and o.status = 'ACTIVE'
			and (coalesce(o.date_of_birth, 'infinity'), o.admission_date, o.id) < (s.born, s.admission_date, s.id)
		group by 1),
	staff as (select distinct s.id from own s join guardian w on w.id = s.guardian_id
		join employee e on e.phone = w.phone and e.status = 'ACTIVE')
	select s.id as student_id, 1 + coalesce(o.n, 0) as nth, w.id is not null as staff
	from (select distinct id from own) s left join older o on o.id = s.id left join staff w on w.id = s.id`

func familiesOf(c api.Ctx, students []uuid.UUID) (families, error) {
	out := families{by: map[uuid.UUID]kin{}}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select id, kind, child, fee_head_id, percent::float8 as percent from fee_rule
		order by child desc, id`, Scan: tenancy.Collect(&out.rules)})
	if err != nil || len(out.rules) == 0 {
		return out, err
	}
	var list []kin
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: kinSQL, Args: []any{students}, Scan: tenancy.Collect(&list)})
	if err != nil {
		return out, fmt.Errorf("reading the families of those who are charged: %w", err)
	}
	for _, k := range list {
		out.by[k.StudentID] = k
	}
	return out, nil
}

// waive writes on the lines what the rules take off each, and returns the postings. Of the
// rules that hold for a line the one with the highest percentage counts; the rule of the
// highest child that the student has reached is the family's.
func (f families) waive(v *ledger.Demand) (postings []ledger.Transaction, sum int64) {
	k, known := f.by[v.Student]
	if !known {
		return nil, 0
	}
	taken := map[uuid.UUID]int64{}
	for i := range v.Lines {
		line := &v.Lines[i]
		var best *Rule
		sibling := map[bool]bool{} // by whether it is of this head: the first is of the highest child
		for n := range f.rules {
			r := &f.rules[n]
			switch {
			case r.FeeHeadID != nil && *r.FeeHeadID != *line.FeeHeadID:
				continue
			case r.Kind == "STAFF" && !k.Staff:
				continue
			case r.Kind == "SIBLING" && (k.Nth < r.Child || sibling[r.FeeHeadID != nil]):
				continue
			}
			if r.Kind == "SIBLING" {
				sibling[r.FeeHeadID != nil] = true
			}
			if best == nil || r.Percent > best.Percent {
				best = r
			}
		}
		if best != nil {
			line.Waived, line.Rule = ledger.Part(line.Amount, int64(hundredths(float64(best.Percent))), whole), best.words(k)
			taken[best.ID] += line.Waived
		}
	}
	for i := range f.rules {
		if r := &f.rules[i]; taken[r.ID] > 0 {
			g := Concession{Record: api.Record{ID: r.ID}, ConcessionFields: ConcessionFields{Reason: r.words(k)}}
			postings, sum = append(postings, g.posting(v, taken[r.ID])), sum+taken[r.ID]
		}
	}
	return postings, sum
}

// words say on papers why it is waived.
func (r Rule) words(k kin) string {
	if r.Kind == "STAFF" {
		return fmt.Sprintf("child of an employee, %g %%", float64(r.Percent))
	}
	return fmt.Sprintf("child %d of the family, %g %%", k.Nth, float64(r.Percent))
}
