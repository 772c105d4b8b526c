package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"homeroom/config"
)

// traced is an error that has more to say than its message, as those of some libraries do.
type traced struct{}

func (traced) Error() string                 { return "Redis is away" }
func (traced) Format(f fmt.State, verb rune) { _, _ = fmt.Fprint(f, "Redis is away\nmain.go:17") }

func TestTheLogSaysWhatWentWrongInOneLine(t *testing.T) {
	t.Parallel()
	for _, profile := range []config.Profile{config.Local, config.Production} {
		var said bytes.Buffer
		newLog(&said, config.Config{Profile: profile, LogLevel: "info"}).Warn("limits", "error", error(traced{}))
		if line := said.String(); !strings.Contains(line, "Redis is away") || strings.Contains(line, "main.go") ||
			strings.Count(line, "\n") != 1 {
			t.Errorf("%s: %q", profile, line)
		}
	}
}
