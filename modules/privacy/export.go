package privacy

import (
	"encoding/json"
	"fmt"
	"maps"

	"homeroom/api"
	"homeroom/tenancy"
)

// exportOf is the handler that gives all that is kept of somebody. That it was given is
// in the audit.
func (m *Module) exportOf(k kind) func(api.Ctx, byID) (api.File, error) {
	return func(c api.Ctx, r byID) (api.File, error) {
		p, err := k.read(c, r.ID, false)
		if err != nil {
			return api.File{}, err
		}
		t, err := p.traces(c, m.school)
		if err != nil {
			return api.File{}, err
		}
		args := t.args()
		args["school"] = c.School.ID
		var here, there string
		err = tenancy.Pipeline(c.DB, patiently, tenancy.Query{SQL: m.school.export, Args: []any{args}, Scan: tenancy.One(&here)})
		if err == nil {
			err = tenancy.Pipeline(m.Cluster.Platform(c, tenancy.ReadOnly),
				tenancy.Query{SQL: m.platform.export, Args: []any{args}, Scan: tenancy.One(&there)})
		}
		if err != nil {
			return api.File{}, fmt.Errorf("reading the data of a %s: %w", k.table, err)
		}
		data, more := map[string]json.RawMessage{}, map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(here), &data); err != nil {
			return api.File{}, err
		}
		if err := json.Unmarshal([]byte(there), &more); err != nil {
			return api.File{}, err
		}
		maps.Copy(data, more)
		body, err := json.MarshalIndent(map[string]any{"school": c.School.Name, "about": k.table, "id": p.ID, "madeAt": c.Now, "data": data}, "",
			"  ")
		if err != nil {
			return api.File{}, fmt.Errorf("writing the data of a %s: %w", k.table, err)
		}
		err = c.Transact(func(c api.Ctx) error {
			c.Changed("export personal data", k.table, p.ID, nil, nil)
			return nil
		})
		return api.File{Name: fmt.Sprintf("%s-%s.json", k.table, p.ID), ContentType: "application/json", Body: body}, err
	}
}
