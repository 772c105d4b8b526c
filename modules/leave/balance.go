package leave

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// Entitlements are how many days of each type an employee has in an academic year. A
// type that is not named is not counted.
type Entitlements struct {
	Entitlements []Entitlement `json:"entitlements" validate:"required,max=3,dive"`
}

// Entitlement is one type's.
type Entitlement struct {
	LeaveType   string  `json:"leaveType" validate:"required,oneof=SICK CASUAL EMERGENCY"`
	DaysPerYear float64 `json:"daysPerYear" validate:"min=0,max=366" doc:"Whole or half days" example:"12"`
}

// Balance is what an employee has of one type in the active academic year. A leave
// counts in the year it begins in.
type Balance struct {
	ID           uuid.UUID `json:"-"` // of the employee and the type together: what a list needs to have a total order
	EmployeeID   uuid.UUID `json:"employeeId"`
	EmployeeName string    `json:"employeeName"`
	LeaveType    string    `json:"leaveType" enum:"SICK,CASUAL,EMERGENCY"`
	DaysPerYear  *float64  `json:"daysPerYear" doc:"Null where the school counts none"`
	Taken        float64   `json:"taken" doc:"Days approved"`
	Pending      float64   `json:"pending" doc:"Days asked for and not decided"`
	Remaining    *float64  `json:"remaining" doc:"Without those pending; null where the school counts none"`
}

var balanceListing = api.Listing{
	Sorts:   map[string]string{"employeeName": "employee_name, leave_type", "remaining": "remaining"},
	Default: "employeeName",
	Filters: map[string]api.Filter{
		"employeeId": api.ByID("employee_id"), "leaveType": api.ByEnum("leave_type", "SICK", "CASUAL", "EMERGENCY"),
		"search": api.Search("employee_name"),
	},
}

func getEntitlements(c api.Ctx, _ api.Nothing) (Entitlements, error) {
	out := Entitlements{}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select leave_type, days_per_year from leave_entitlement order by leave_type`,
		Scan: tenancy.Collect(&out.Entitlements)})
	if err != nil {
		return out, fmt.Errorf("reading entitlements: %w", err)
	}
	return out, nil
}

// putEntitlements sets all of them at once; what is not named is no longer counted.
func putEntitlements(c api.Ctx, r Entitlements) (Entitlements, error) {
	types, days := []string{}, []float64{}
	var bad []api.Detail
	for i, e := range r.Entitlements {
		if slices.Contains(types, e.LeaveType) {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("entitlements[%d].leaveType", i), Message: e.LeaveType + " is named twice"})
		}
		if half := e.DaysPerYear * 2; half != float64(int(half)) {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("entitlements[%d].daysPerYear", i), Message: "daysPerYear must be whole or half days"})
		}
		types, days = append(types, e.LeaveType), append(days, e.DaysPerYear)
	}
	if bad != nil {
		return r, api.Invalid(bad...)
	}
	before, err := getEntitlements(c, api.Nothing{})
	if err != nil {
		return r, err
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `delete from leave_entitlement where leave_type <> all($1::text[])`, Args: []any{types}},
		tenancy.Query{SQL: `insert into leave_entitlement (leave_type, days_per_year, updated_by, updated_at)
			select u.leave_type, u.days, $3, $4 from unnest($1::text[], $2::float8[]) as u (leave_type, days) order by u.leave_type
			on conflict (leave_type) do update
			set days_per_year = excluded.days_per_year, updated_by = excluded.updated_by, updated_at = excluded.updated_at
			where leave_entitlement.days_per_year <> excluded.days_per_year`,
			Args: []any{types, days, c.User.ID, c.Now}},
	)
	if err != nil {
		return r, fmt.Errorf("writing entitlements: %w", err)
	}
	after, err := getEntitlements(c, api.Nothing{})
	c.Changed("update", "leave entitlement", c.School.ID, before, after)
	return after, err
}

func listBalances(c api.Ctx, r api.ListRequest) (api.Page[Balance], error) {
	return api.Fetch[Balance](balances(c, "p.status = 'ACTIVE'"), r)
}

func myBalances(c api.Ctx, r api.ListRequest) (api.Page[Balance], error) {
	return api.Fetch[Balance](balances(c, "p.user_id = ?", c.User.ID), r)
}

// balances is a table of the employees p that a condition holds for, by leave types.
func balances(c api.Ctx, where string, args ...any) *gorm.DB {
	return c.DB.Table(`(?) as balance`, c.DB.Raw(`select md5(p.id || t.leave_type)::uuid as id, p.id as employee_id,
		trim(p.first_name || ' ' || p.last_name) as employee_name, t.leave_type, n.days_per_year,
			u.taken, u.pending, n.days_per_year - u.taken as remaining
		from employee p cross join unnest(array['CASUAL', 'EMERGENCY', 'SICK']) as t (leave_type)
		left join leave_entitlement n on n.leave_type = t.leave_type
		left join lateral (select coalesce(sum(l.days) filter (where l.status = 'APPROVED'), 0) as taken, coalesce(sum(l.days)
		filter (where l.status = 'PENDING'), 0) as pending
			from leave l join academic_year y on y.active and l.from_date between y.start_date and y.end_date
			where l.employee_id = p.id and l.leave_type = t.leave_type) u on true
		where `+where, args...)).Select("id, employee_id, employee_name, leave_type, days_per_year, taken, pending, remaining")
}

// refuseOverdraft refuses an employee's leave that is more than they have left in the
// year it begins in, counting their leave in the given states. The employee is locked.
func refuseOverdraft(c api.Ctx, l Leave, states ...string) error {
	var found []struct {
		DaysPerYear float64
		Used        float64
	}
	err := c.DB.Raw(`select n.days_per_year, coalesce((select sum(o.days) from leave o
			where o.employee_id = @employee and o.leave_type = @type and o.status in @states and o.id <> @id
			and (o.from_date between y.start_date and y.end_date)), 0) as used
		from leave_entitlement n, academic_year y
		where n.leave_type = @type and @from between y.start_date and y.end_date`,
		map[string]any{"employee": *l.EmployeeID, "type": l.LeaveType, "states": states, "id": l.ID, "from": l.FromDate}).Scan(&found).Error
	if err != nil {
		return fmt.Errorf("counting an employee's leave: %w", err)
	}
	for _, f := range found {
		if left := f.DaysPerYear - f.Used; l.Days > left {
			return api.Conflict("This is %g days of %s leave, of which %g are left this year", l.Days, l.LeaveType, max(0, left))
		}
	}
	return nil
}
