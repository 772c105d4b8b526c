package openapi

import (
	"fmt"
	"slices"
	"strings"

	"homeroom/api"
)

// permission is a row's x-permission.
type permission struct {
	Module string         `json:"module,omitempty"`
	Action api.Action     `json:"action"`
	Roles  []api.RoleType `json:"roles"`
	Or     []string       `json:"orReads,omitempty"`
}

// clientOf is the place of the row's client among clients; rows without a prefix
// of their own come last.
func clientOf(row *api.Row) int {
	path := row.Path
	if row.Version > 1 {
		path = strings.TrimPrefix(path, fmt.Sprintf("/v%d", row.Version))
	}
	prefix, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
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
func (d *document) tag(row *api.Row) string {
	client := clientOf(row)
	module, order := titleOf(row, d.catalogue)
	name := clientName(client) + " · " + module
	if row.Kind() == api.KindOpen {
		client = -1 // signing in comes first
	}
	d.tags[fmt.Sprintf("%02d %03d %s", client+1, order, name)] = tag{name}
	return name
}

// titleOf is what people call the row's module, and its place among them.
func titleOf(row *api.Row, catalogue api.Catalogue) (title string, order int) {
	if row.Kind() == api.KindOpen && row.Produces != "" {
		return "Calendars", 0
	}
	if row.Kind() == api.KindOpen && row.Form != nil {
		return row.Form.Name, 0
	}
	if row.Kind() == api.KindOpen {
		return "Signing in", 0
	}
	if i := catalogue.Find(row.Module); i >= 0 {
		return catalogue[i].Title, i
	}
	// The platform's rows belong to no module: their resource's name does.
	parts := strings.Split(strings.Trim(row.Path, "/"), "/")
	resource := strings.ReplaceAll(parts[min(1, len(parts)-1)], "-", " ")
	return strings.ToUpper(resource[:1]) + resource[1:], len(catalogue)
}

// special says in a line what is special about the row. Who may call it is x-permission and its security, whether it wants a
// fresh proof x-fresh, and its limit x-limit-class: the page has words for them.
func special(row *api.Row) string {
	var out []string
	if row.Console {
		out = append(out, "For the console's own pages. The refresh token is a cookie that scripts cannot read.")
	}
	if closedToTeachers(row) {
		out = append(out, "Closed to teachers in evaluation mode.")
	}
	if row.FreshFile {
		out = append(out, "The file needs a proof of identity from the last 10 minutes: a sign-in, or `POST /auth/reauthenticate`.")
	}
	if row.SometimesFresh != "" {
		out = append(out, row.SometimesFresh+" needs a proof of identity from the last 10 minutes: a sign-in, or `POST /auth/reauthenticate`.")
	}
	if row.Twin {
		out = append(out, "The GET's list, for clients that ask by POST.")
	}
	if row.Version > 1 {
		out = append(out, fmt.Sprintf("Version %d.", row.Version))
	}
	if row.CountsPer() == "session" {
		out = append(out, "Counts per session.")
	}
	return strings.Join(out, " ")
}

func roleNames(roles []api.RoleType) string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = "`" + string(r) + "`"
	}
	return strings.Join(names, ", ")
}

// accessTable is who may call what: a line for each client and module.
func accessTable(rows []*api.Row, catalogue api.Catalogue) string {
	type line struct {
		client, order int
		module        string
	}
	cells := map[line]map[api.Action][]api.RoleType{}
	for _, row := range rows {
		if row.Kind() == api.KindOpen {
			continue
		}
		module, order := titleOf(row, catalogue)
		at := line{clientOf(row), order, module}
		if cells[at] == nil {
			cells[at] = map[api.Action][]api.RoleType{}
		}
		holders, known := cells[at][row.Permission()]
		if !known {
			holders = []api.RoleType{}
		}
		for _, role := range row.Roles {
			if !slices.Contains(holders, role) && (row.Kind() == api.KindPlatform || catalogue[order].Granted(role, row.Permission())) {
				holders = append(holders, role)
			}
		}
		cells[at][row.Permission()] = holders
	}
	lines := make([]line, 0, len(cells))
	for at := range cells {
		lines = append(lines, at)
	}
	slices.SortFunc(lines, func(a, b line) int {
		return strings.Compare(fmt.Sprintf("%02d %03d %s", a.client, a.order, a.module),
			fmt.Sprintf("%02d %03d %s", b.client, b.order, b.module))
	})
	var out strings.Builder
	out.WriteString("| Client | Module | read | write | delete |\n|---|---|---|---|---|\n")
	for _, at := range lines {
		fmt.Fprintf(&out, "| %s | %s |", clientName(at.client), at.module)
		for _, action := range []api.Action{api.Read, api.Write, api.Delete} {
			fmt.Fprintf(&out, " %s |", holdersCell(cells[at][action]))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// holdersCell is – where there is no such call, and says when a call has to be granted first.
func holdersCell(holders []api.RoleType) string {
	if holders == nil {
		return "–"
	}
	if len(holders) == 0 {
		return "once granted"
	}
	slices.Sort(holders)
	return roleNames(holders)
}
