package rbac

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"homeroom/api"
	"homeroom/tenancy"
)

const (
	// maxPolicies bounds the schools whose policies an instance caches.
	maxPolicies = 4096
	// policyTTL is how long a policy is used without checking its version, when the hints
	// between instances are lost; with them, a change takes effect within a second.
	policyTTL = 15 * time.Second
)

// RBAC caches the schools' policies.
type RBAC struct {
	// Catalogue is every permission of this binary; set it before the first decision. A
	// school that was made before a permission existed gets it, with the rights of a new
	// school, when its policy is read.
	Catalogue api.Catalogue

	db            api.Databases
	publishChange func(school uuid.UUID) // sends the hint to the other instances
	now           func() time.Time
	schools       *lru.Cache[uuid.UUID, *schoolPolicy]
}

// schoolPolicy is a school's policy as last read. One caller reads the rules while the others
// wait for it.
type schoolPolicy struct {
	current atomic.Pointer[cachedPolicy]
	reading sync.Mutex
}

// cachedPolicy is a policy and until when it is used without checking its version.
type cachedPolicy struct {
	policy *policy
	until  time.Time
}

// New starts with no policy loaded. publishChange sends a change to the other instances.
func New(db api.Databases, publishChange func(school uuid.UUID), now func() time.Time) *RBAC {
	cache, err := lru.New[uuid.UUID, *schoolPolicy](maxPolicies)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &RBAC{db: db, publishChange: publishChange, now: now, schools: cache}
}

// Decide decides one question by the school's policy.
func (r *RBAC) Decide(ctx context.Context, s *tenancy.School, u api.User, q api.Question) (api.Decision, error) {
	p, err := r.callPolicy(ctx, s)
	if err != nil {
		return api.Decision{}, err
	}
	if id := q.Target.DivisionID; id != uuid.Nil && !p.divisions[id] {
		return api.Decision{Unknown: true, Why: api.Say("There is no such division")}, nil
	}
	ask := question{role: u.RoleID, module: q.Module, action: q.Action, target: q.Target}
	if q.Target != (api.Target{}) {
		ask.user = u.ID
	}
	ok, err := p.allows(ask)
	if ok && err == nil && u.Key != nil { // never more than who made the key may do now
		ask.role = u.Key.MakerRoleID
		ok, err = p.allows(ask)
	}
	if err != nil {
		return api.Decision{}, err
	}
	d := api.Decision{Allowed: ok, Evaluation: p.evaluation.evaluationModeOn(r.now()) && u.Role == api.Teacher}
	if d.Evaluation {
		d.EvaluationReason = p.evaluation.EvaluationModeReason
	}
	switch {
	case !ok && u.Key != nil && ask.role != u.RoleID:
		d.Why = api.Say("Who made this API key may no longer %s in %s", q.Action, q.Module)
	case !ok && u.Key != nil:
		d.Why = api.Say("This API key may not %s in %s", q.Action, q.Module)
	case !ok:
		d.Why = r.refusalReason(p, ask)
	}
	return d, nil
}

// TellsChanges reports whether the school has webhooks; it is remembered with the policy.
func (r *RBAC) TellsChanges(ctx context.Context, s *tenancy.School) (bool, error) {
	p, err := r.callPolicy(ctx, s)
	if err != nil {
		return false, err
	}
	return p.evaluation.HasWebhooks, nil
}

// refusalReason is the permission or the assignment that is missing.
func (r *RBAC) refusalReason(p *policy, q question) api.Phrase {
	if q.target != (api.Target{}) {
		general := q
		general.user, general.target = uuid.Nil, api.Target{}
		if ok, err := p.allows(general); err == nil && ok {
			return api.Say("You are not assigned to this division or subject")
		}
	}
	return api.Say("Your role may not %s in %s", q.action, q.module)
}

// Effective lists what a role may do, module by module.
func (r *RBAC) Effective(ctx context.Context, s *tenancy.School, role uuid.UUID) (map[string]api.Granted, error) {
	p, err := r.policy(ctx, s)
	if err != nil {
		return nil, err
	}
	return p.granted(role)
}

// Changed drops a school's policy here and on every other instance.
func (r *RBAC) Changed(school uuid.UUID) {
	r.Forget(school)
	r.publishChange(school)
}

// Forget drops a school's policy on this instance.
func (r *RBAC) Forget(school uuid.UUID) { r.schools.Remove(school) }

// ForgetAll drops every policy, for when hints may have been missed.
func (r *RBAC) ForgetAll() { r.schools.Purge() }

// callPolicy is the policy that earlier decisions of the same call were made by, else the current one.
func (r *RBAC) callPolicy(ctx context.Context, s *tenancy.School) (*policy, error) {
	h := api.PolicyCacheOf(ctx)
	if h == nil {
		return r.policy(ctx, s)
	}
	if p, ok := h.Rules.(*policy); ok && h.School == s.ID {
		return p, nil
	}
	p, err := r.policy(ctx, s)
	if err == nil {
		h.School, h.Rules = s.ID, p
	}
	return p, err
}

// CachedDecisions is how many decisions of a school are cached, which calls must not make grow
// without bound.
func (r *RBAC) CachedDecisions(ctx context.Context, s *tenancy.School) (n int, err error) {
	p, err := r.policy(ctx, s)
	if err != nil {
		return 0, err
	}
	p.decisions.Range(func(any, any) bool { n++; return true })
	return n, nil
}

func (r *RBAC) policy(ctx context.Context, s *tenancy.School) (*policy, error) {
	entry, ok := r.schools.Get(s.ID)
	if !ok {
		entry = &schoolPolicy{}
		if earlier, there, _ := r.schools.PeekOrAdd(s.ID, entry); there {
			entry = earlier
		}
	}
	if b := entry.current.Load(); b != nil && r.now().Before(b.until) {
		return b.policy, nil
	}
	entry.reading.Lock()
	defer entry.reading.Unlock()
	b := entry.current.Load()
	if b != nil && r.now().Before(b.until) {
		return b.policy, nil
	}
	p, err := r.read(ctx, s, b)
	if err != nil {
		return nil, err
	}
	entry.current.Store(&cachedPolicy{policy: p, until: r.now().Add(policyTTL)})
	return p, nil
}

// read returns the current policy: the cached one if its version has not changed.
func (r *RBAC) read(ctx context.Context, s *tenancy.School, b *cachedPolicy) (*policy, error) {
	if b != nil {
		version, err := policyVersion(ctx, r.db, s)
		if err != nil {
			return nil, err
		}
		if version == b.policy.version {
			return b.policy, nil
		}
	}
	rules, err := loadRules(ctx, r.db, s)
	if missing := rules.missing(r.Catalogue); err == nil && len(missing) > 0 {
		if err = Seed(ctx, r.db, s, missing); err == nil {
			rules, err = loadRules(ctx, r.db, s)
		}
	}
	if err != nil {
		return nil, err
	}
	return newPolicy(rules)
}
