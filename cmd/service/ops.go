package service

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"homeroom/cmd/service/metrics"
	"homeroom/tenancy/lifecycle"
)

func newMetrics() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// showMetrics has the parts say how they stand when somebody asks.
func (s *Service) showMetrics() {
	metrics.Show(s.Metrics, metrics.Sources{
		Cluster: s.Cluster, Redis: s.Redis, Limits: s.limits, Relay: s.Relay, Hints: s.Hints, Sender: s.Sender,
		Hasher: s.Auth.Hasher, Tracker: s.Tracker, Hub: s.Hub, Clock: s.now,
	})
}

// Ops are the endpoints operators and their machines ask: alive, ready, metrics.
func (s *Service) Ops() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		checks, ready := s.ready(r.Context())
		status := http.StatusOK
		if !ready {
			status = http.StatusServiceUnavailable
		}
		writeJSON(w, status, checks)
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.Metrics, promhttp.HandlerOpts{}))
	return mux
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// ready asks each thing the service leans on. Redis away, or a node besides main that
// refuses a login, is said but does not make an instance unready: most of the service
// goes on without it, and taking every instance out at once would not. Neither does a database that a newer binary has
// migrated: migrations only add, what they take away a release later nobody of the
// release before asks for, and a rolling upgrade begins with that migration.
func (s *Service) ready(ctx context.Context) (map[string]string, bool) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	checks, ready := map[string]string{}, true
	check := func(name string, needed bool, err error) {
		checks[name] = "ok"
		if err != nil {
			checks[name] = err.Error()
			ready = ready && !needed
		}
	}
	select {
	case <-s.stopping:
		check("service", true, fmt.Errorf("stopping"))
	default:
		check("service", true, nil)
	}
	check("postgres", true, s.Cluster.PlatformPool().Ping(ctx))
	check("connections", true, s.Cluster.OpenEachKind(ctx))
	logins, nodeLogins := s.Cluster.CheckLogins(ctx)
	check("logins", true, logins)
	check("nodeLogins", false, nodeLogins)
	check("migrations", false, lifecycle.CheckNotAhead(ctx, s.Cluster))
	check("redis", false, s.Redis.Ping(ctx).Err())
	return checks, ready
}
