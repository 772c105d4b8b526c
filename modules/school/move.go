package school

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy/lifecycle"
	"homeroom/tenancy/move"
)

// moveRequest says where a school shall live.
type moveRequest struct {
	ID   uuid.UUID `path:"id"`
	Node string    `json:"node" validate:"required,max=31" doc:"Name of the node to move to" example:"north"`
}

// Move is a school's way to another node.
type Move struct {
	ID        uuid.UUID  `json:"id"`
	From      string     `json:"from" example:"main"`
	To        string     `json:"to" example:"north"`
	State     string     `json:"state" enum:"RUNNING,MOVED,CONFIRMED,FAILED" doc:"RUNNING: still served from the old node. MOVED: served from the new one, the old copy is kept. CONFIRMED: the old copy is gone. FAILED: served from the old node as before" example:"RUNNING"`
	Percent   int        `json:"percent"`
	Error     string     `json:"error,omitempty" doc:"Why it failed; or, while it is running, what it waits for"`
	HeldMs    int64      `json:"heldMs" doc:"For how long writes had to wait"`
	Rows      int64      `json:"rows" doc:"How many were compared"`
	Clean     bool       `json:"clean" doc:"Whether all that is not needed any more was removed from the servers"`
	CreatedAt time.Time  `json:"createdAt"`
	MovedAt   *time.Time `json:"movedAt"`
	EndedAt   *time.Time `json:"endedAt" doc:"When it was confirmed or failed"`
	Steps     []step     `json:"steps"`
}

func (m *Module) moveTo(c api.PlatformCtx, r moveRequest) (Move, error) {
	if _, err := find(c.DB, r.ID); err != nil {
		return Move{}, err
	}
	_, err := m.Mover.Request(c, r.ID, r.Node, c.Book("move", "school", r.ID, map[string]any{"node": r.Node}))
	var refused move.RefusedError
	switch {
	case errors.Is(err, lifecycle.ErrNoNode):
		return Move{}, api.InvalidField("node", "no active node has this name")
	case errors.Is(err, move.ErrSameNode):
		return Move{}, api.InvalidField("node", "the school is on this node")
	case errors.Is(err, move.ErrOpen):
		return Move{}, api.Conflict("The school is being moved, or its last move is not confirmed yet")
	case errors.Is(err, move.ErrNotYet):
		return Move{}, api.Conflict("The school is being set up")
	case errors.As(err, &refused):
		return Move{}, api.Conflict("%s", refused.Reason).Because(err)
	case err != nil:
		return Move{}, err
	}
	return m.moveProgress(c, r.ID)
}

func (m *Module) moved(c api.PlatformCtx, r byID) (Move, error) {
	if _, err := find(c.DB, r.ID); err != nil {
		return Move{}, err
	}
	return m.moveProgress(c, r.ID)
}

func (m *Module) moveProgress(c api.PlatformCtx, id uuid.UUID) (Move, error) {
	p, err := m.Mover.Progress(c, id)
	if errors.Is(err, move.ErrNoMove) {
		return Move{}, api.NotFound("move")
	}
	if err != nil {
		return Move{}, err
	}
	out := Move{
		ID: p.ID, From: p.Source, To: p.Target, State: string(p.State), Error: p.Error, HeldMs: p.Held.Milliseconds(), Rows: p.Rows,
		Clean:     p.Clean,
		CreatedAt: p.CreatedAt, MovedAt: p.MovedAt, EndedAt: p.EndedAt,
	}
	finished := 0
	for _, s := range p.Steps {
		out.Steps = append(out.Steps, step(s))
		if s.FinishedAt != nil {
			finished++
		}
	}
	out.Percent = 100 * finished / max(1, len(p.Steps))
	return out, nil
}

func (m *Module) confirmMove(c api.PlatformCtx, r byID) (Move, error) {
	if _, err := find(c.DB, r.ID); err != nil {
		return Move{}, err
	}
	err := m.Mover.Confirm(c, r.ID, c.Book("confirm move", "school", r.ID, nil))
	if errors.Is(err, move.ErrNoMove) {
		return Move{}, api.Conflict("There is no move to confirm: none has ended, or its last traces are still being removed")
	}
	if err != nil {
		return Move{}, err
	}
	return m.moveProgress(c, r.ID)
}
