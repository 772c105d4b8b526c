// Package version is the release of this binary and the commit it was built from, for metrics, traces and `homeroom version`.
// It reads no file and calls no server.
package version

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// Set by the linker: scripts/version --flags prints the flags, and nothing else writes them.
var (
	version  string
	revision string
	date     string
)

// Info describes a binary.
type Info struct {
	Version  string `json:"version"`  // a tag (v1.2.0), one and the commits since (v1.2.0-14-gabc1234), a short hash without any tag, or "dev"
	Revision string `json:"revision"` // the commit, with "+changes" if files differed from it; or "unknown"
	Date     string `json:"date"`     // when that commit was made, in UTC; or "unknown"
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// Get describes this binary. Values that the linker was not given come from Go's build info, as with a plain `go build`.
func Get() Info {
	recorded, _ := debug.ReadBuildInfo()
	return describe(Info{Version: version, Revision: revision, Date: date}, recorded)
}

// describe fills in what is missing in given; recorded may be nil.
func describe(given Info, recorded *debug.BuildInfo) Info {
	settings := map[string]string{}
	module := ""
	if recorded != nil {
		module = recorded.Main.Version
		for _, s := range recorded.Settings {
			settings[s.Key] = s.Value
		}
	}
	if module == "(devel)" {
		module = ""
	}
	commit := settings["vcs.revision"]
	if commit != "" && settings["vcs.modified"] == "true" {
		commit += "+changes"
	}
	return Info{
		Version: cmp.Or(given.Version, module, "dev"), Revision: cmp.Or(given.Revision, commit, "unknown"),
		Date: cmp.Or(given.Date, settings["vcs.time"], "unknown"),
		Go:   runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
	}
}
