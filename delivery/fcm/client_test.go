package fcm

import (
	"os"
	"strings"
	"testing"
)

func TestSDKVersion_IsTheOneInGoMod(t *testing.T) {
	t.Parallel()
	modules, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "firebase.google.com/go/v4 v" + sdkVersion + "\n"; !strings.Contains(string(modules), want) {
		t.Errorf("go.mod does not require %q: change sdkVersion with it", strings.TrimSpace(want))
	}
}
