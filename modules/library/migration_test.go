package library_test

import (
	"fmt"
	"testing"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/migrations"
	"homeroom/testkit"
)

// Parents could not read the library until their children's loans were shown to them.
func TestMigration_ParentsReadTheLibrary_UnlessTheSchoolDecided(t *testing.T) {
	t.Parallel()
	database := fmt.Sprintf("%s_loans%d", testkit.DatabaseName(), testkit.Unique())
	older := testkit.StartOn(t, testkit.Stack(t), database,
		func(_ *config.Config, o *service.Options) { o.Migrations = migrations.School()[:47] })
	undecided, decided := older.NewSchool(t), older.NewSchool(t)
	const ofLibrary = `module_id = (select id from module where name = 'library') and role_id = `
	const parents = ofLibrary + `(select id from role where system and type = 'PARENT')`
	const others = ofLibrary + `(select id from role where name = 'Neighbours')`
	versions := map[*testkit.School]int{}
	for _, s := range []*testkit.School{undecided, decided} {
		for _, sql := range []string{
			`update permission set can_read = false where module_id = (select id from module where name = 'library')`,
			`insert into role (id, name, type) values (gen_random_uuid(), 'Neighbours', 'PARENT')`,
			`insert into permission (id, role_id, module_id)
				select gen_random_uuid(), r.id, m.id from role r, module m where r.name = 'Neighbours' and m.name = 'library'`,
		} {
			if err := s.DB(t).Exec(sql).Error; err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
		versions[s] = policyVersion(t, s)
	}
	if err := decided.DB(t).Exec(`update permission set version = 2 where ` + parents).Error; err != nil {
		t.Fatal(err)
	}

	newer := testkit.StartOn(t, testkit.Stack(t), database)
	for _, s := range []*testkit.School{undecided, decided} {
		if err := newer.Service.Migrator.EnsureSchool(t.Context(), s.School); err != nil {
			t.Fatal(err)
		}
		if n := s.Count(t, "permission", others+" and can_read"); n != 0 {
			t.Error("a role that the school made itself reads the library")
		}
		if n := s.Count(t, "permission", ofLibrary+`(select id from role where system and type = 'DRIVER') and can_read`); n != 0 {
			t.Error("drivers read the library")
		}
		if was, is := versions[s], policyVersion(t, s); is <= was {
			t.Errorf("the policy's version is %d after %d: instances keep the rights of before", is, was)
		}
	}
	if n := undecided.Count(t, "permission", parents+" and can_read and version = 1"); n != 1 {
		t.Error("parents of a school that decided nothing do not read the library")
	}
	if n := decided.Count(t, "permission", parents+" and not can_read"); n != 1 {
		t.Error("parents read the library of a school that decided against it")
	}
}

func policyVersion(t *testing.T, s *testkit.School) (version int) {
	t.Helper()
	if err := s.DB(t).Raw(`select policy_version from school_setting`).Scan(&version).Error; err != nil {
		t.Fatal(err)
	}
	return version
}
