package api

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"
)

// permission is a row's x-permission.
type permission struct {
	Module string     `json:"module,omitempty"`
	Action Action     `json:"action"`
	Roles  []RoleType `json:"roles"`
}

// clientOf is the place of the row's client among clients; rows without a prefix
// of their own come last.
func clientOf(row *Row) int {
	prefix := firstSegment(row.Path)
	if row.Version > 1 {
		prefix = firstSegment(strings.TrimPrefix(row.Path, "/"+prefix))
	}
	for i, c := range clients {
		if c.prefix == prefix {
			return i
		}
	}
	return len(clients)
}

func clientName(i int) string {
	if i < len(clients) {
		return clients[i].name
	}
	return "Everyone"
}

// tag files the row under its client and module, in people's words.
func (d *document) tag(row *Row) string {
	client := clientOf(row)
	module, order := d.catalogue.titleOf(row)
	name := clientName(client) + " · " + module
	if row.callOpen != nil {
		client = -1 // signing in comes first
	}
	d.tags[fmt.Sprintf("%02d %03d %s", client+1, order, name)] = openapi31.Tag{Name: name}
	return name
}

// titleOf is what people call the row's module, and its place among them.
func (c Catalogue) titleOf(row *Row) (title string, order int) {
	if row.callOpen != nil && row.Produces != "" {
		return "Calendars", 0
	}
	if row.callOpen != nil {
		return "Signing in", 0
	}
	if i := c.find(row.Module); i >= 0 {
		return c[i].Title, i
	}
	// The platform's rows belong to no module: their resource's name does.
	parts := strings.Split(strings.Trim(row.Path, "/"), "/")
	resource := strings.ReplaceAll(parts[min(1, len(parts)-1)], "-", " ")
	return strings.ToUpper(resource[:1]) + resource[1:], len(c)
}

// whoMay says in a line who may call the row, how often, and what is special about it.
func (d *document) whoMay(row *Row) string {
	var out []string
	switch {
	case row.callSchool != nil:
		module, _ := d.catalogue.titleOf(row)
		out = append(out, fmt.Sprintf("For %s with **%s** on **%s**.", roleNames(row.Roles), row.permission(), module))
	case row.platform:
		out = append(out, fmt.Sprintf("For %s.", roleNames(row.Roles)))
	case row.Console:
		out = append(out, "For the console's own pages. The refresh token is a cookie that scripts cannot read.")
	case row.Bearer:
		out = append(out, "For anyone signed in.")
	default:
		out = append(out, "Needs no token.")
	}
	if closedInEvaluation(row) {
		out = append(out, "Closed to teachers in evaluation mode.")
	}
	if row.Fresh {
		out = append(out, "Needs a proof of identity from the last 10 minutes: a sign-in, or `POST /auth/reauthenticate`.")
	}
	if row.SometimesFresh != "" {
		out = append(out, row.SometimesFresh+" needs a proof of identity from the last 10 minutes: a sign-in, or `POST /auth/reauthenticate`.")
	}
	if row.Twin {
		out = append(out, "The same list as the GET, for clients that ask by POST.")
	}
	if row.Version > 1 {
		out = append(out, fmt.Sprintf("Version %d.", row.Version))
	}
	out = append(out, fmt.Sprintf("Counts as `%s` (%s, %s).", row.Class, limitWords[row.Class], countsPer(row)))
	return strings.Join(out, " ")
}

// countsPer says for whom a call of the row counts.
func countsPer(row *Row) string {
	switch {
	case row.Bearer:
		return "per user"
	case row.countsFor != nil:
		return "per session"
	}
	return "per address"
}

func roleNames(roles []RoleType) string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = "`" + string(r) + "`"
	}
	return strings.Join(names, ", ")
}

// accessTable is who may call what: a line for each client and module.
func accessTable(rows []*Row, catalogue Catalogue) string {
	type line struct {
		client, order int
		module        string
	}
	cells := map[line]map[Action][]RoleType{}
	for _, row := range rows {
		if row.callOpen != nil {
			continue
		}
		module, order := catalogue.titleOf(row)
		at := line{clientOf(row), order, module}
		if cells[at] == nil {
			cells[at] = map[Action][]RoleType{}
		}
		holders, known := cells[at][row.permission()]
		if !known {
			holders = []RoleType{}
		}
		for _, role := range row.Roles {
			if !slices.Contains(holders, role) && (row.platform || catalogue[order].Granted(role, row.permission())) {
				holders = append(holders, role)
			}
		}
		cells[at][row.permission()] = holders
	}
	lines := make([]line, 0, len(cells))
	for at := range cells {
		lines = append(lines, at)
	}
	slices.SortFunc(lines, func(a, b line) int {
		return strings.Compare(fmt.Sprintf("%02d %03d %s", a.client, a.order, a.module), fmt.Sprintf("%02d %03d %s", b.client, b.order, b.module))
	})
	var out strings.Builder
	out.WriteString("| Client | Module | read | write | delete |\n|---|---|---|---|---|\n")
	for _, at := range lines {
		fmt.Fprintf(&out, "| %s | %s |", clientName(at.client), at.module)
		for _, action := range []Action{Read, Write, Delete} {
			fmt.Fprintf(&out, " %s |", holdersCell(cells[at][action]))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// holdersCell is – where there is no such call, and says when a call has to be granted first.
func holdersCell(holders []RoleType) string {
	if holders == nil {
		return "–"
	}
	if len(holders) == 0 {
		return "once granted"
	}
	slices.Sort(holders)
	return roleNames(holders)
}
