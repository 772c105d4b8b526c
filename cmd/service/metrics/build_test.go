package metrics

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"homeroom/version"
)

func TestBuildInfo_HasVersionRevisionAndSchema(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	registry.MustRegister(build(7))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, label := range families[0].GetMetric()[0].GetLabel() {
		got[label.GetName()] = label.GetValue()
	}
	v := version.Get()
	for name, want := range map[string]string{"version": v.Version, "revision": v.Revision, "go": v.Go, "schema": "7"} {
		if got[name] != want {
			t.Errorf("the label %s is %q, want %q", name, got[name], want)
		}
	}
}
