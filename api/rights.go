package api

import (
	"context"

	"github.com/google/uuid"
)

// Held is where a call keeps the rules it was first judged by. It is judged by the same to
// its end, and never reads them anew in its transaction: there it has one of the few
// connections of its school's pool, and would wait for another that those who wait like it
// are holding.
type Held struct {
	School uuid.UUID
	Rules  any
}

type heldKey struct{}

func holdRules(ctx context.Context) context.Context {
	return context.WithValue(ctx, heldKey{}, &Held{})
}

// HeldRules is where the call of this context keeps its rules; nil outside a call.
func HeldRules(ctx context.Context) *Held {
	h, _ := ctx.Value(heldKey{}).(*Held)
	return h
}
