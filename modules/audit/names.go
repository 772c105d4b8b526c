package audit

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// maxNames bounds the ids that a page has named: a register of a large class has a hundred.
const maxNames = 5_000

var ids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// name says what entries are about, and what the ids in them are of, in one query.
func (m *Module) name(c api.Ctx, events []AuditEvent) error {
	var wanted []uuid.UUID
	found := map[uuid.UUID]string{}
	of := make([][]uuid.UUID, len(events)) // the ids of each
	for i, e := range events {
		for _, text := range ids.FindAllString(e.EntityID+" "+string(e.Before)+" "+string(e.After), -1) {
			id, err := uuid.Parse(text)
			if err != nil {
				continue
			}
			of[i] = append(of[i], id)
			if _, asked := found[id]; !asked && len(wanted) < maxNames {
				found[id] = ""
				wanted = append(wanted, id)
			}
		}
	}
	var rows []struct {
		ID   uuid.UUID
		Name string
	}
	if len(wanted) > 0 {
		err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select n.id, n.name from (` + m.names + `) as n (id, name) where n.id = any($1)`,
			Args: []any{wanted}, Scan: tenancy.Collect(&rows)})
		if err != nil {
			return fmt.Errorf("naming what was changed: %w", err)
		}
	}
	for _, r := range rows {
		found[r.ID] = r.Name
	}
	for i := range events {
		e := &events[i]
		e.Names = map[uuid.UUID]string{}
		for _, id := range of[i] {
			if found[id] != "" {
				e.Names[id] = found[id]
			}
		}
		if id, err := uuid.Parse(e.EntityID); err == nil {
			e.EntityName = found[id]
		}
		for _, said := range []json.RawMessage{e.After, e.Before} {
			if e.EntityName == "" {
				e.EntityName = nameIn(said)
			}
		}
	}
	return nil
}

// nameIn is what a record calls itself.
func nameIn(raw json.RawMessage) string {
	var r struct {
		FirstName, LastName, Name, Title string
	}
	if json.Unmarshal(raw, &r) != nil { // no record, or one whose name is no text
		return ""
	}
	for _, name := range []string{strings.TrimSpace(r.FirstName + " " + r.LastName), r.Name, r.Title} {
		if name != "" {
			return name
		}
	}
	return ""
}
