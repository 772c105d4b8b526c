package auth

import (
	"context"
	"time"

	"homeroom/api"
)

// A known phone or e-mail costs a few milliseconds more than an unknown one: a row in the
// audit, a message, a link. So answers that must not tell leave at fixed moments after the
// call came, the next one after the work is done. Where load spreads the calls, the
// difference shows in as few of them as it is a part of the step.
const (
	lookUpStep = 50 * time.Millisecond
	// hashStep is for what hashes: longer than a hash takes, several if need be.
	hashStep = 250 * time.Millisecond
)

// delayAnswers has every answer leave at the next step.
func delayAnswers[Req, Resp any](step time.Duration, f func(api.OpenCtx, Req) (Resp, error)) func(api.OpenCtx, Req) (Resp, error) {
	return func(c api.OpenCtx, r Req) (Resp, error) {
		began := time.Now()
		resp, err := f(c, r)
		waitForStep(c, began, step)
		return resp, err
	}
}

// delayRefusals has every refusal leave at the next step. A success tells by itself.
func delayRefusals[Req, Resp any](step time.Duration, f func(api.OpenCtx, Req) (Resp, error)) func(api.OpenCtx, Req) (Resp, error) {
	return func(c api.OpenCtx, r Req) (Resp, error) {
		began := time.Now()
		resp, err := f(c, r)
		if err != nil {
			waitForStep(c, began, step)
		}
		return resp, err
	}
}

func waitForStep(ctx context.Context, began time.Time, step time.Duration) {
	timer := time.NewTimer(step - time.Since(began)%step)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
