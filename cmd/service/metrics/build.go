package metrics

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"homeroom/version"
)

// build says what runs here.
func build(schema int) prometheus.Collector {
	v := version.Get()
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "homeroom_build_info", Help: "1; which release and revision this is, and the version of schools it expects.",
		ConstLabels: prometheus.Labels{"version": v.Version, "revision": v.Revision, "go": v.Go, "schema": fmt.Sprint(schema)},
	}, func() float64 { return 1 })
}
