package service

import (
	"homeroom/api"
	"homeroom/delivery"
	"homeroom/modules/integration"
)

// webhooks is what is sent to other programs, by the tables that send it.
func webhooks() *api.Webhooks {
	w := &api.Webhooks{Event: delivery.HookEvent{}, Timeout: delivery.HookTimeout, FirstRetry: delivery.FirstHookRetry,
		LastRetry: delivery.LastHookRetry, Patience: delivery.HookPatience, Kept: integration.KeepFor}
	for _, k := range integration.FactKinds() {
		w.Facts = append(w.Facts, api.WebhookFact{Kind: k.Kind, Title: k.Title, Module: k.Module, Record: k.Record})
	}
	for _, h := range delivery.HookHeaders {
		w.Headers = append(w.Headers, api.WebhookHeader(h))
	}
	return w
}
