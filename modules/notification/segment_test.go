package notification_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/tenancy"
	"homeroom/testkit"
)

func TestWhatWaitsIsCountedInSegmentsAsItWillBePaid(t *testing.T) {
	t.Parallel()
	db := testkit.NewSchool(t).DB(t)
	for _, text := range []string{
		"x", "it's {here}", strings.Repeat("a", 160-3), strings.Repeat("a", 161-3), strings.Repeat("€", 79), strings.Repeat("€", 200),
		"line\nbreak\\",
		"बस चल पड़ी है", strings.Repeat("ब", 67), strings.Repeat("ब", 68), strings.Repeat("🚌", 34), strings.Repeat("🚌", 40),
		strings.Repeat("₹1 ", 33), strings.Repeat("₹", 50), strings.Repeat("KSh\u00a01 ", 23), "₦₱₪₩₴₸₺₵৳฿₫" + strings.Repeat("a", 113),
		strings.Repeat("\u2068ب\u2069", 67), strings.Repeat("é", 300), strings.Repeat("ब", 500),
	} {
		for title, want := range map[string]int{"": delivery.Segments(text), "T": delivery.Segments("T: " + text)} {
			var got int
			err := tenancy.Pipeline(db, tenancy.Query{
				SQL: `select sms.segments from (select 'SMS'::text as channel, $1::text as title, $2::text as body) m, ` +
					notification.InSegments("m.title", "m.body"),
				Args: []any{title, text}, Scan: func(rows pgx.Rows) (err error) {
					got, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
					return err
				}})
			if err != nil || got != want {
				t.Errorf("%.20q × %d: %d segments, paid are %d: %v", text, len([]rune(text)), got, want, err)
			}
		}
	}
}
