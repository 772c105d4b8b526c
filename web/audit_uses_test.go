package web_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

var useWords = regexp.MustCompile(`(?m)^  '?([\w/-]+)'?: t\(`)

// TestAudit_WhatWasUsed_HasWords: a call that left no record behind, such as a dry run, is in the audit by its address, for which
// the page has words. What is made, changed or deleted by its id leaves a record.
func TestAudit_WhatWasUsed_HasWords(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("src/pages/school/audit-uses.ts")
	if err != nil {
		t.Fatal(err)
	}
	unused := map[string]bool{}
	for _, m := range useWords.FindAllStringSubmatch(string(source), -1) {
		unused[m[1]] = true
	}
	rows, made := testkit.Shared(t).Service.Kernel.Rows, map[string]bool{}
	for _, r := range rows {
		if base, is := strings.CutSuffix(r.Path, "/create"); is {
			made[base] = true
		}
	}
	said := map[string]bool{}
	for _, r := range rows {
		base, ofOne := strings.CutSuffix(r.Path, "/:id")
		switch {
		case r.Kind() != api.KindSchool || r.Action == api.Read || r.Method == "GET" || r.NoAudit || r.Unlisted,
			slices.Equal(r.Roles, []api.RoleType{api.Parent}), made[base] && ofOne, strings.HasSuffix(r.Path, "/create"):
			continue
		}
		parts := slices.DeleteFunc(strings.Split(r.Path, "/")[1:], func(part string) bool { return strings.HasPrefix(part, ":") })
		address := strings.Join(parts[1:], "/")
		if parts[0] == "bus-tracking" || parts[1] == "bus-tracking" {
			address = "bus-tracking/" + strings.TrimPrefix(address, "bus-tracking/")
		}
		if said[address] = true; !unused[address] {
			t.Errorf("%s %s: audit-uses.ts has no words for %s", r.Method, r.Path, address)
		}
	}
	for address := range unused {
		if !said[address] {
			t.Errorf("audit-uses.ts has words for %s, which no call leaves behind", address)
		}
	}
}

func TestAudit_InHindi_SaysWhatWasUsed(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, clerk, stage := office(t, app, lifecycle.NewSchool{})
	err := s.DB(t).Exec(`insert into audit_event (id, actor_id, actor_role, action, entity, entity_id, occurred_at)
		select gen_random_uuid(), ?, 'SCHOOL_ADMIN', action, 'fee', '', now()
		from unnest(array['POST /school-admin/fee/charge', 'POST /school-admin/fee/gone-since']) action`, clerk.UserID).Error
	if err != nil {
		t.Fatal(err)
	}
	browse(t, app, "audit-words", stage)
}
