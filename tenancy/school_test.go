package tenancy_test

import (
	"strings"
	"testing"

	"homeroom/tenancy"
)

func TestOnlyNamesOfOursAreQuotedForSQL(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("0a9f", 8)
	for _, name := range []string{"school_" + digits, "school_template", "platform", "homeroom_0a9f0a9f_shard_07", "homeroom_move_" +
		digits} {
		if got, want := tenancy.Ident(name), `"`+name+`"`; got != want {
			t.Errorf("%s becomes %s", name, got)
		}
	}
	for _, name := range []string{
		"", "school_", "public", "pg_catalog", "platform2", "school_" + digits[1:], "school_" + digits + "0", "School_" + digits, "school_" +
			digits[1:] + "g",
		"school_" + digits[1:] + "A", "school_" + digits[1:] + `"`, "school_" + digits + `"; drop schema platform; --`, "school_" + digits[1:] +
			"\n", "school_template\n",
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was let through", name)
				}
			}()
			tenancy.Ident(name)
		}()
	}
}
