package openapi

import (
	_ "embed"
	"fmt"
	"strings"

	"homeroom/api"
)

//go:embed page/guide.md
var guideText string

// guide is the page an app's developer reads first: what all rows have in common,
// the codes, and who may call what.
func guide(rows []*api.Row, k *api.Kernel) string {
	var codes strings.Builder
	for _, c := range errorCodes {
		fmt.Fprintf(&codes, "| `%s` | %d | %s |\n", c.code, c.status, c.when)
	}
	return strings.NewReplacer(append(webhookWords(k.Webhooks),
		"{{codes}}\n", codes.String(),
		"{{access}}\n", accessTable(rows, k.Catalogue),
		"{{limit}}", fmt.Sprint(api.DefaultLimit),
		"{{syncDays}}", fmt.Sprint(api.SyncDays),
		"{{maxLimit}}", fmt.Sprint(api.MaxLimit),
	)...).Replace(guideText)
}
