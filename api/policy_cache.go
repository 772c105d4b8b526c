package api

import (
	"context"

	"github.com/google/uuid"
)

// PolicyCache caches the policy for one request, so that a transaction never needs a second
// connection: it holds one of the few of its school's pool, and would wait for another that
// requests like it are holding. The whole request is decided by one policy.
type PolicyCache struct {
	School uuid.UUID
	Rules  any
}

type policyCacheKey struct{}

func withPolicyCache(ctx context.Context) context.Context {
	return context.WithValue(ctx, policyCacheKey{}, &PolicyCache{})
}

// PolicyCacheOf returns the cache of the request that ctx belongs to; nil outside a request.
func PolicyCacheOf(ctx context.Context) *PolicyCache {
	h, _ := ctx.Value(policyCacheKey{}).(*PolicyCache)
	return h
}
