package node

import (
	"errors"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// standbyOf names the standby of a node.
type standbyOf struct {
	ID  uuid.UUID `path:"id"`
	URL string    `json:"url" label:"Standby" validate:"max=2000" doc:"Of a server that follows the node's, or of a PgBouncer in front of it; no user is needed. Empty: none" example:"postgres://db-north-2.internal:5432/homeroom"`
}

func (m *Module) setStandby(c api.PlatformCtx, r standbyOf) (Node, error) {
	known, err := find(c.DB, "id = ?", r.ID)
	if err != nil {
		return Node{}, err
	}
	err = lifecycle.SetStandby(c, m.Cluster, known.Name, r.URL,
		c.Book("set standby", "node", r.ID, map[string]any{"name": known.Name, "standby": r.URL != ""}))
	if refused := (tenancy.StandbyError{}); errors.As(err, &refused) {
		return Node{}, api.InvalidField("url", "this server cannot be used: %s", refused.Why)
	}
	if err != nil {
		return Node{}, err
	}
	return m.read(c, "id = ?", r.ID)
}

// standbyReads is whether the standby at the address is read from by this instance, and why not.
func standbyReads(n *tenancy.Node, address string) (state, why string) {
	why, found := n.Standby()
	switch {
	case address == "":
		return "OFF", ""
	case !found:
		return "PAUSED", "it is about to be used"
	case why != "":
		return "PAUSED", why
	}
	return "IN_USE", ""
}

// remove strikes a node off.
func (m *Module) remove(c api.PlatformCtx, r byID) (api.Nothing, error) {
	known, err := find(c.DB, "id = ?", r.ID)
	if err != nil {
		return api.Nothing{}, err
	}
	err = lifecycle.RemoveNode(c, m.Cluster, known.Name, c.Book("remove", "node", r.ID, map[string]any{"name": known.Name}))
	used := lifecycle.NodeInUseError{}
	switch {
	case errors.Is(err, lifecycle.ErrMainNode):
		err = api.Conflict("Node main cannot be struck off: no instance starts without it")
	case errors.As(err, &used):
		err = api.Conflict("Drain the node first, and confirm the moves: %d schools live there, and %d moves from or to it are under way or "+
			"wait for a confirmation",
			used.Schools, used.Moves)
	}
	return api.Nothing{}, err
}
