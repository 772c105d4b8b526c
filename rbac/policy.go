// Package rbac decides what a user may do: one Casbin policy per school, built from the
// school's own permission and assignment records, and cached until they change. It never
// decides who a caller is; that is auth's.
package rbac

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"
	"github.com/google/uuid"

	"homeroom/api"
)

// A request needs the role's permission and, where it is about a division or a subject
// there, the user's assignment to it. The school is not part of the
// model: each school has an enforcer of its own, so no rule of one can match another.
//
// g is what a user is assigned to: a class leads to its divisions, a division
// without a subject to every subject there.
const modelText = `
[request_definition]
r = user, role, module, action, target, wide
[policy_definition]
p = role, module, action
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.role == p.role && r.module == p.module && r.action == p.action && ` +
	`(r.target == "" || g(r.user, r.target) || (r.wide != "" && g(r.user, r.wide)))
`

// policy is one school's rules at one version, with a cache of decisions.
type policy struct {
	version       int64
	evaluation    setting
	empty         bool
	enforcer      *casbin.SyncedEnforcer
	divisions     map[uuid.UUID]bool // those that exist
	subjects      map[uuid.UUID]bool // those with an assignment
	modules       map[string]bool    // those with permissions
	decisions     sync.Map           // question → bool
	decisionCount atomic.Int64       // of them
}

// maxDecisions bounds the cache of a policy: ids and modules that callers invent are questions too.
const maxDecisions = 20_000

// question is the key of a cached decision: the user is part of it only where there is a
// target, which assignments decide.
type question struct {
	user, role uuid.UUID
	module     string
	action     api.Action
	target     api.Target
}

// rules are the records of a school that decisions need.
type rules struct {
	setting     setting
	modules     []module
	permissions []permission
	assignments []assignment
	divisions   []division
}

type setting struct {
	PolicyVersion        int64
	EvaluationMode       bool
	EvaluationModeReason string
	EvaluationModeFrom   *time.Time
	EvaluationModeUntil  *time.Time
	HasWebhooks          bool
}

// evaluationModeOn reports whether evaluation mode is on at a moment. Its window opens and
// closes by the clock, without a change of the setting.
func (s setting) evaluationModeOn(now time.Time) bool {
	return s.EvaluationMode && (s.EvaluationModeFrom == nil || !now.Before(*s.EvaluationModeFrom)) &&
		(s.EvaluationModeUntil == nil || now.Before(*s.EvaluationModeUntil))
}

type module struct{ Name string }

// missing are the permissions of a catalogue that the school does not have. Those it has
// and the catalogue has not are of another version, which may run beside this one: they stay.
func (r rules) missing(catalogue api.Catalogue) api.Catalogue {
	return slices.DeleteFunc(slices.Clone(catalogue), func(p api.Permission) bool { return slices.Contains(r.modules, module{p.Key}) })
}

type permission struct {
	RoleID    uuid.UUID
	Module    string
	CanRead   bool
	CanWrite  bool
	CanDelete bool
}

type assignment struct {
	UserID     uuid.UUID
	ClassID    uuid.UUID
	DivisionID *uuid.UUID
	SubjectID  *uuid.UUID
}

type division struct {
	ID      uuid.UUID
	ClassID uuid.UUID
}

func newPolicy(r rules) (*policy, error) {
	m, err := model.NewModelFromString(modelText)
	if err != nil {
		return nil, fmt.Errorf("reading the permission model: %w", err)
	}
	enforcer, err := casbin.NewSyncedEnforcer(m)
	if err != nil {
		return nil, fmt.Errorf("making an enforcer: %w", err)
	}
	granted, assigned := r.policyLines(), r.groupLines()
	if len(granted) > 0 {
		if _, err := enforcer.AddPolicies(granted); err != nil {
			return nil, fmt.Errorf("loading permissions: %w", err)
		}
	}
	if len(assigned) > 0 {
		if _, err := enforcer.AddGroupingPolicies(assigned); err != nil {
			return nil, fmt.Errorf("loading assignments: %w", err)
		}
	}
	there := make(map[uuid.UUID]bool, len(r.divisions))
	for _, d := range r.divisions {
		there[d.ID] = true
	}
	subjects := map[uuid.UUID]bool{}
	for _, a := range r.assignments {
		if a.SubjectID != nil {
			subjects[*a.SubjectID] = true
		}
	}
	modules := map[string]bool{}
	for _, p := range r.permissions {
		modules[p.Module] = true
	}
	return &policy{divisions: there, subjects: subjects, modules: modules, version: r.setting.PolicyVersion, evaluation: r.setting,
		empty: len(granted) == 0, enforcer: enforcer}, nil
}

func (r rules) policyLines() [][]string {
	var lines [][]string
	for _, p := range r.permissions {
		for action, allowed := range map[api.Action]bool{api.Read: p.CanRead, api.Write: p.CanWrite, api.Delete: p.CanDelete} {
			if allowed {
				lines = append(lines, []string{p.RoleID.String(), p.Module, string(action)})
			}
		}
	}
	return lines
}

// groupLines are the assignments, once each: Casbin refuses doubles.
func (r rules) groupLines() [][]string {
	seen := map[[2]string]bool{}
	var lines [][]string
	add := func(from, to string) {
		if !seen[[2]string{from, to}] {
			seen[[2]string{from, to}] = true
			lines = append(lines, []string{from, to})
		}
	}
	inClass := map[uuid.UUID][]uuid.UUID{}
	for _, d := range r.divisions {
		inClass[d.ClassID] = append(inClass[d.ClassID], d.ID)
	}
	for _, a := range r.assignments {
		divisions := inClass[a.ClassID]
		if a.DivisionID != nil {
			divisions = []uuid.UUID{*a.DivisionID}
		}
		for _, d := range divisions {
			add(a.UserID.String(), divisionName(d))
			if a.SubjectID == nil {
				add(a.UserID.String(), everySubject(d))
			} else {
				add(a.UserID.String(), subjectName(d, *a.SubjectID))
			}
		}
	}
	return lines
}

func divisionName(d uuid.UUID) string   { return "division " + d.String() }
func subjectName(d, s uuid.UUID) string { return "division " + d.String() + " subject " + s.String() }
func everySubject(d uuid.UUID) string   { return "division " + d.String() + " every subject" }

// names are a target's names in the model: itself, and the wider one that covers it.
func names(t api.Target) (target, wide string) {
	switch {
	case t.DivisionID == uuid.Nil:
		return "", ""
	case t.SubjectID == uuid.Nil:
		return divisionName(t.DivisionID), ""
	default:
		return subjectName(t.DivisionID, t.SubjectID), everySubject(t.DivisionID)
	}
}

// allows asks Casbin once per question and caches the answer. An empty policy or role is a
// refusal: Casbin would call an empty request against an empty policy allowed. The cache
// is bounded: a module that does not exist is refused, and all subjects without an assignment
// share one entry.
func (p *policy) allows(q question) (bool, error) {
	if p.empty || q.role == uuid.Nil || q.module == "" || q.action == "" {
		return false, nil
	}
	if id := q.target.SubjectID; id != uuid.Nil && !p.subjects[id] {
		q.target.SubjectID = uuid.Max
	}
	if v, ok := p.decisions.Load(q); ok {
		return v.(bool), nil
	}
	if !p.modules[q.module] {
		return false, nil
	}
	target, wide := names(q.target)
	ok, err := p.enforcer.Enforce(q.user.String(), q.role.String(), q.module, string(q.action), target, wide)
	if err != nil {
		return false, fmt.Errorf("deciding a permission: %w", err)
	}
	if p.decisionCount.Add(1) > maxDecisions {
		p.decisions.Clear()
		p.decisionCount.Store(1)
	}
	p.decisions.Store(q, ok)
	return ok, nil
}

// granted is what a role may do, module by module.
func (p *policy) granted(role uuid.UUID) (map[string]api.Granted, error) {
	out := map[string]api.Granted{}
	for module := range p.modules {
		var g api.Granted
		for action, to := range map[api.Action]*bool{api.Read: &g.CanRead, api.Write: &g.CanWrite, api.Delete: &g.CanDelete} {
			ok, err := p.allows(question{role: role, module: module, action: action})
			if err != nil {
				return nil, err
			}
			*to = ok
		}
		out[module] = g
	}
	return out, nil
}
