package api

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts requests by row and outcome.
type Metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	standbys *prometheus.CounterVec
}

// NewMetrics registers the kernel's measurements.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "homeroom_http_requests_total", Help: "Requests answered, by row and status.",
		}, []string{"row", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "homeroom_http_request_duration_seconds", Help: "Time to answer, by row.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"row"}),
		standbys: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "homeroom_standby_reads_total",
			Help: "Reads that a standby may answer, by who did: the standby, or the node, the standby not being fit or having refused.",
		}, []string{"answered"}),
	}
	for _, answered := range []string{"standby", "node", "refused"} {
		m.standbys.WithLabelValues(answered) // 0 is reported too
	}
	r.MustRegister(m.requests, m.seconds, m.standbys)
	return m
}

// standbyRead counts a read that a standby may answer.
func (m *Metrics) standbyRead(answered string) {
	if m != nil {
		m.standbys.WithLabelValues(answered).Inc()
	}
}

// observe counts an answer. A feed takes as long as there is something to say: it is no
// measure of time.
func (m *Metrics) observe(row string, status int, took time.Duration, fed bool) {
	m.requests.WithLabelValues(row, strconv.Itoa(status)).Inc()
	if !fed {
		m.seconds.WithLabelValues(row).Observe(took.Seconds())
	}
}
