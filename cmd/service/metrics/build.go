package metrics

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
)

// revision is what this binary was made of, where it was built outside of its repository
// (-ldflags "-X homeroom/cmd/service/metrics.revision=…"); else Go knows.
var revision string

// Revision is what this binary was made of, as far as it knows.
func Revision() string {
	if revision != "" {
		return revision
	}
	made, changed := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				made = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = "+changes"
			}
		}
	}
	return made + changed
}

// build says what runs here.
func build(schema int) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "homeroom_build_info", Help: "1; which revision this is, and the version of schools it expects.",
		ConstLabels: prometheus.Labels{"revision": Revision(), "go": runtime.Version(), "schema": fmt.Sprint(schema)},
	}, func() float64 { return 1 })
}
