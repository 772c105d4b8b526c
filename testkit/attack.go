package testkit

import (
	"os"
	"testing"
)

// Attack reports whether the long form of the attacks runs (`make attack`); the suite runs a short one.
func Attack() bool { return os.Getenv("HOMEROOM_ATTACK") != "" }

// Attacked notes how many cases of an attack a test tries. `make attack` adds them up.
func Attacked(t testing.TB, kind string, cases int) {
	t.Helper()
	t.Logf("attack: %s: %d cases", kind, cases)
}
