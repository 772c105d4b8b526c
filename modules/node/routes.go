// Package node is the cross-school administrator's view of the database nodes schools
// live on: add one, see how each is, empty one, strike it off.
package node

import (
	"homeroom/api"
	"homeroom/tenancy"
	"homeroom/tenancy/move"
)

// Module serves the super-admin's node rows.
type Module struct {
	Cluster *tenancy.Cluster
	Mover   *move.Mover
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:     "node",
		Rows:     m.routes(),
		Personal: personal(),
	}
}

// routes are the endpoints.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.PlatformList("/super-admin/node/list", "List the database nodes with what is on them and how they are", listing, m.list),
		api.PlatformRow("POST", "/super-admin/node/create", "Set a Postgres database up as a node; new schools may be placed there", api.Write,
			201, m.create, api.OwnTransaction, api.Says("Node is ready"), api.Fresh),
		api.PlatformRow("GET", "/super-admin/node/:id", "Read a node, with the schools that are leaving it", api.Read, 200, m.get),
		api.PlatformRow("POST", "/super-admin/node/:id/drain",
			"Take no new schools, and move those that are there elsewhere, one after another; answers at once, the work goes on", api.Write, 200,
			m.drain, api.OwnTransaction, api.Says("Node is being emptied"), api.Fresh),
		api.PlatformRow("POST", "/super-admin/node/:id/activate", "Take schools again; what a drain has not moved yet stays", api.Write, 200,
			m.activate, api.OwnTransaction, api.Fresh),
		api.PlatformRow("PUT", "/super-admin/node/:id/standby",
			"Have lists and reports of the node's schools answered by a server that follows it, or end that", api.Write, 200, m.setStandby,
			api.OwnTransaction, api.Fresh),
		api.PlatformRow("DELETE", "/super-admin/node/:id", "Strike off a node that is empty; its server may be gone", api.Delete, 204, m.remove,
			api.OwnTransaction, api.Fresh),
	)
}
