package rbac

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"homeroom/api"
	"homeroom/tenancy"
)

const (
	// maxPolicies bounds the schools whose policies an instance holds.
	maxPolicies = 4096
	// policyTTL is how long a policy is used without looking at its version, when
	// the hints between instances are cut; with them, a change counts within a second.
	policyTTL = 15 * time.Second
)

// RBAC keeps the schools' policies.
type RBAC struct {
	// Catalogue is every permission this binary knows; set it before the first question. A
	// school that was made before a permission existed gets it, with the rights of a new
	// school, when its policy is read.
	Catalogue api.Catalogue

	db            api.Databases
	publishChange func(school uuid.UUID) // the other instances
	now           func() time.Time
	schools       *lru.Cache[uuid.UUID, *schoolPolicy]
}

// schoolPolicy is a school's policy as last read. One caller reads the rules while
// those who need them wait; once read, nobody waits.
type schoolPolicy struct {
	current atomic.Pointer[cachedPolicy]
	reading sync.Mutex
}

// cachedPolicy is a policy and until when it holds unseen.
type cachedPolicy struct {
	policy *policy
	until  time.Time
}

// New starts with no policy loaded. tell passes the word of a change on to the other instances.
func New(db api.Databases, tell func(school uuid.UUID), now func() time.Time) *RBAC {
	cache, err := lru.New[uuid.UUID, *schoolPolicy](maxPolicies)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &RBAC{db: db, publishChange: tell, now: now, schools: cache}
}

// Decide answers one question by the school's policy.
func (r *RBAC) Decide(ctx context.Context, s *tenancy.School, u api.User, q api.Question) (api.Decision, error) {
	p, err := r.callPolicy(ctx, s)
	if err != nil {
		return api.Decision{}, err
	}
	if id := q.Target.DivisionID; id != uuid.Nil && !p.divisions[id] {
		return api.Decision{Unknown: true, Why: "There is no such division"}, nil
	}
	ask := question{role: u.RoleID, module: q.Module, action: q.Action, target: q.Target}
	if q.Target != (api.Target{}) {
		ask.user = u.ID
	}
	ok, err := p.allows(ask)
	if err != nil {
		return api.Decision{}, err
	}
	d := api.Decision{Allowed: ok, Evaluation: p.evaluation.evaluationModeOn(r.now()) && u.Role == api.Teacher && q.Module != "exam" && q.Module != "result"}
	if !ok {
		d.Why = r.refusalReason(p, ask)
	}
	return d, nil
}

// refusalReason says which half of a refusal it was.
func (r *RBAC) refusalReason(p *policy, q question) string {
	if q.target != (api.Target{}) {
		general := q
		general.user, general.target = uuid.Nil, api.Target{}
		if ok, err := p.allows(general); err == nil && ok {
			return "You are not assigned to this division or subject"
		}
	}
	return fmt.Sprintf("Your role may not %s in %s", q.action, q.module)
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

// callPolicy is the policy a call was judged by before, else the one that holds now.
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

// CachedDecisions is how many decisions of a school are remembered here, which what callers ask
// must not make grow without end.
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

// read returns the policy that holds now: the one believed so far if its version
// still stands.
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
