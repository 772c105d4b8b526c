package service

import (
	"os"
	"runtime/debug"
)

// gcPercent lets garbage grow to three times of what is alive before it is
// collected. An instance holds little (a few MB, and some 50 kB for every school it
// serves) and a request leaves nothing behind: with Go's own 100 it would spend a
// seventh of its time collecting.
const gcPercent = 300

// collectLess sets it, unless the operator has an opinion of their own.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
