package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"homeroom/auth"
	"homeroom/tenancy/lifecycle"
)

// Meters count what happens, when it happens. The parts are given their methods.
type Meters struct {
	facts   *prometheus.CounterVec
	late    prometheus.Histogram
	jobs    *prometheus.CounterVec
	signIns *prometheus.CounterVec
	redis   redisMeters
}

// redisMeters are of calls to Redis.
type redisMeters struct {
	seconds prometheus.Histogram
	errors  *prometheus.CounterVec
}

// New registers the counters.
func New(r prometheus.Registerer) *Meters {
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &Meters{
		facts: vec("homeroom_facts_published_total", "Facts published to their listeners, by whether all heard them.", "outcome"),
		late: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "homeroom_fact_lateness_seconds", Help: "How long after it was due a fact was published.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60, 600, 3600},
		}),
		jobs:    vec("homeroom_jobs_processed_total", "Jobs worked on by this instance, by how that ended.", "kind", "outcome"),
		signIns: vec("homeroom_sign_ins_total", "Tries to sign in, by method and how they ended.", "method", "outcome"),
		redis: redisMeters{
			seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
				Name: "homeroom_redis_call_duration_seconds", Help: "Time of a call to Redis, a pipeline being one.",
				Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .08, .25, 1},
			}),
			errors: vec("homeroom_redis_errors_total", "Calls to Redis that failed: too late, without a connection, or refused.", "kind"),
		},
	}
	// What has not happened yet is 0, not missing: a rate begins at the first.
	for _, outcome := range []string{"heard", "failed"} {
		m.facts.WithLabelValues(outcome)
	}
	for _, method := range []string{"password", "code", "pin"} {
		for _, outcome := range []string{auth.SignedIn, auth.Refused, auth.Slowed, auth.Away} {
			m.signIns.WithLabelValues(method, outcome)
		}
	}
	for _, kind := range redisErrors {
		m.redis.errors.WithLabelValues(kind)
	}
	r.MustRegister(m.facts, m.late, m.jobs, m.signIns, m.redis.seconds, m.redis.errors)
	return m
}

// Published counts a fact that was published, and how late. The metric is called
// homeroom_facts_published_total.
func (m *Meters) Published(late time.Duration, heard bool) {
	outcome := "heard"
	if !heard {
		outcome = "failed"
	}
	m.facts.WithLabelValues(outcome).Inc()
	m.late.Observe(late.Seconds())
}

// Worked counts a job that was worked on.
func (m *Meters) Worked(kind string, outcome lifecycle.JobOutcome) {
	m.jobs.WithLabelValues(kind, string(outcome)).Inc()
}

// Tried counts a try to sign in.
func (m *Meters) Tried(method, outcome string) { m.signIns.WithLabelValues(method, outcome).Inc() }
