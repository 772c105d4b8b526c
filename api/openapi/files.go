package openapi

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"homeroom/api"
)

// filesPage is the columns of every CSV file that a row takes, for readers.
func filesPage(k *api.Kernel) []byte {
	var out strings.Builder
	out.WriteString(pageHead("CSV files", ""))
	out.WriteString("<p>" + inHTML("A file's first row names its columns, in any order and case; spaces, `_`, `-` and `.` do not count. "+
		"It is UTF-8 with commas, semicolons or tabs between the cells, as the field `file` of a form or as the whole body (`text/csv`). "+
		"A cell that is wrong is named by its row and column, and a file without a known column by the names there are.") + "</p>")
	for _, row := range k.Rows {
		if len(row.Columns) == 0 || row.Unlisted {
			continue
		}
		fmt.Fprintf(&out, `<h2 id="%s"><code>%s %s</code></h2><p>%s</p><table>`, strings.Trim(strings.ReplaceAll(row.Path, "/", "-"), "-"),
			row.Method, row.Path, html.EscapeString(row.Summary))
		for _, c := range row.Columns {
			also := slices.Clone(c.Also)
			for i := range also {
				also[i] = "<code>" + html.EscapeString(also[i]) + "</code>"
			}
			names := ""
			if len(also) > 0 {
				names = "also " + strings.Join(also, ", ")
			}
			fmt.Fprintf(&out, "<tr><td><code>%s</code></td><td>%s</td><td>%s</td></tr>", c.Name, html.EscapeString(c.Rule), names)
		}
		out.WriteString("</table>")
	}
	out.WriteString("</main></body></html>\n")
	return []byte(out.String())
}
