package fleet

import (
	"testing"
	"time"
)

// patience is for a machine that is busy with other tests: nothing here takes so long.
const patience = 2 * time.Minute

// Until waits for something that another process brings about.
func Until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("did not come about: %s", what)
		}
	}
}
