package rbac

import (
	"context"
	"fmt"

	"homeroom/api"
	"homeroom/tenancy"
)

// loadRules reads all of a school's rules in one round trip. A change between its statements
// raises the version, and the policy is then read again.
func loadRules(ctx context.Context, db api.Databases, s *tenancy.School) (rules, error) {
	var r rules
	school, err := db.School(ctx, s, tenancy.ReadOnly)
	if err != nil {
		return r, err
	}
	err = tenancy.Pipeline(school,
		tenancy.Query{SQL: `select policy_version, evaluation_mode, evaluation_mode_reason, evaluation_mode_from,
			evaluation_mode_until, exists (select from webhook where status <> 'OFF') as has_webhooks from school_setting`,
			Scan: tenancy.Row(&r.setting)},
		tenancy.Query{SQL: `select name from module`, Scan: tenancy.Collect(&r.modules)},
		tenancy.Query{SQL: `select p.role_id, m.name as module, p.can_read, p.can_write, p.can_delete from permission p
			join module m on m.id = p.module_id`, Scan: tenancy.Collect(&r.permissions)},
		// Assignments count in the active year; one without a year always does.
		tenancy.Query{SQL: `select a.user_id, a.class_id, a.division_id, a.subject_id from teacher_assignment a
			left join academic_year y on y.id = a.academic_year_id where a.academic_year_id is null
			or y.active`, Scan: tenancy.Collect(&r.assignments)},
		tenancy.Query{SQL: `select id, class_id from division`, Scan: tenancy.Collect(&r.divisions)},
	)
	if err != nil {
		return r, fmt.Errorf("reading the rules of school %s: %w", s.ID, err)
	}
	return r, nil
}

// policyVersion reads the version, to check a cached policy.
func policyVersion(ctx context.Context, db api.Databases, s *tenancy.School) (int64, error) {
	school, err := db.School(ctx, s, tenancy.ReadOnly)
	if err != nil {
		return 0, err
	}
	var v struct{ PolicyVersion int64 }
	err = tenancy.Pipeline(school, tenancy.Query{SQL: `select policy_version from school_setting`, Scan: tenancy.Row(&v)})
	if err != nil {
		return 0, fmt.Errorf("reading the policy version of school %s: %w", s.ID, err)
	}
	return v.PolicyVersion, nil
}
