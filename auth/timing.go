package auth

import (
	"context"
	"time"

	"homeroom/api"
)

// A known phone or e-mail costs a few milliseconds more than an unknown one: a row in the
// audit, a message, a link. So answers that must not reveal this are sent at fixed steps after
// the call came, at the next one after the work is done. Under load, where calls take
// different times, the difference shows only in the share of them that crosses a step.
const (
	lookUpStep = 50 * time.Millisecond
	// hashStep is for calls that hash: longer than a hash takes.
	hashStep = 250 * time.Millisecond
)

// delayAnswers sends every answer at the next step.
func delayAnswers[Req, Resp any](step time.Duration, f func(api.OpenCtx, Req) (Resp, error)) func(api.OpenCtx, Req) (Resp, error) {
	return func(c api.OpenCtx, r Req) (Resp, error) {
		began := time.Now()
		resp, err := f(c, r)
		waitForStep(c, began, step)
		return resp, err
	}
}

// delayRefusals sends every refusal at the next step. A success reveals itself anyway.
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
