package node

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
	"homeroom/tenancy/move"
)

// Node is a database node as the cross-school administrator sees it. Who signs in
// there, and how, is nowhere in it.
type Node struct {
	record
	Address        string  `json:"address" doc:"Host, port and database" example:"db-north.internal:5432/homeroom"`
	Reachable      bool    `json:"reachable" doc:"Whether it answered just now"`
	Error          string  `json:"error,omitempty" doc:"Why it did not"`
	PingMs         float64 `json:"pingMs"`
	ServerVersion  string  `json:"serverVersion" example:"15.14"`
	Connections    int     `json:"connections"`
	MaxConnections int     `json:"maxConnections"`
	Standbys       int     `json:"standbys"`
	LagBytes       *int64  `json:"lagBytes" doc:"What the standby furthest behind has not replayed; null without one"`
	StandbyReads   string  `json:"standbyReads" enum:"OFF,IN_USE,PAUSED" doc:"Whether its standby answers lists and reports, by the instance that was asked" example:"OFF"`
	StandbyTrouble string  `json:"standbyTrouble,omitempty" doc:"Why it is paused"`
	WALLevel       string  `json:"walLevel" enum:"minimal,replica,logical," doc:"Schools can move away only from a server with logical" example:"logical"`
}

// record is what the platform itself knows of a node.
type record struct {
	ID         uuid.UUID  `json:"id"`
	Name       string     `json:"name" example:"north"`
	State      string     `json:"state" enum:"ACTIVE,DRAINING" example:"ACTIVE"`
	Pooled     bool       `json:"pooled" doc:"Whether a pooler stands in front of it"`
	StandbyURL string     `json:"standbyUrl" doc:"Of the standby that may answer lists and reports; empty: none"`
	Schools    int        `json:"schools"`
	Leaving    int        `json:"leaving" doc:"Schools that are being moved away"`
	Arriving   int        `json:"arriving" doc:"Schools that are being moved here"`
	OldCopies  int        `json:"oldCopies" doc:"Schools that were moved away and whose old copy is still here"`
	SizeBytes  int64      `json:"sizeBytes"`
	MeasuredAt *time.Time `json:"measuredAt" doc:"When the size was; null: not yet"`
	CreatedAt  time.Time  `json:"createdAt"`
	UpdatedAt  time.Time  `json:"updatedAt"`
}

const columns = `id, name, state, pool_url <> '' as pooled, standby_url, size_bytes, measured_at, created_at, updated_at,
	(select count(*) from school s where s.node = node.name) as schools,
	(select count(*) from school_move m where m.source = node.name and m.state = 'RUNNING') as leaving,
	(select count(*) from school_move m where m.target = node.name and m.state = 'RUNNING') as arriving,
	(select count(*) from school_move m where m.source = node.name and m.state = 'MOVED') as old_copies`

var listing = api.Listing{
	Sorts:   map[string]string{"name": "name", "createdAt": "created_at", "sizeBytes": "size_bytes"},
	Default: "createdAt",
	Filters: map[string]api.Filter{
		"search": api.Search("name"),
		"state":  api.ByEnum("state", "ACTIVE", "DRAINING"),
	},
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

func (m *Module) list(c api.PlatformCtx, l api.ListRequest) (api.Page[Node], error) {
	page, err := api.Fetch[record](c.DB.Table("node").Select(columns), l)
	if err != nil {
		return api.Page[Node]{}, err
	}
	nodes := api.MapPage(page, func(r record) Node { return Node{record: r} })
	var wg sync.WaitGroup
	for i := range nodes.Items {
		wg.Go(func() { m.look(c, &nodes.Items[i]) })
	}
	wg.Wait()
	return nodes, nil
}

// look asks the node itself how it is.
func (m *Module) look(ctx context.Context, n *Node) {
	n.StandbyReads = "OFF"
	if known, err := m.Cluster.NodeUnchecked(ctx, n.Name); err == nil {
		n.Address = known.Address()
		n.StandbyReads, n.StandbyTrouble = standbyReads(known, n.StandbyURL)
	}
	h := m.Cluster.Health(ctx, n.Name)
	n.Reachable, n.Error = h.Reachable, h.Error
	n.PingMs = float64(h.Ping.Microseconds()) / 1000
	n.ServerVersion, n.Connections, n.MaxConnections = h.ServerVersion, h.Connections, h.MaxConnections
	n.Standbys, n.LagBytes, n.WALLevel = h.Standbys, h.Lag, h.WALLevel
}

func find(db *gorm.DB, where string, arg any) (record, error) {
	var r record
	err := db.Table("node").Select(columns).Where(where, arg).Take(&r).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return r, api.NotFound("node")
	}
	return r, err
}

// Details is a node with the schools that are on their way.
type Details struct {
	Node
	Moves []Move `json:"moves" doc:"Schools on their way from or to this node, old copies that are kept here, and what failed, newest first"`
}

// Move is a school on its way.
type Move struct {
	SchoolID   uuid.UUID  `json:"schoolId"`
	SchoolCode string     `json:"schoolCode"`
	SchoolName string     `json:"schoolName"`
	From       string     `json:"from"`
	To         string     `json:"to"`
	State      string     `json:"state" enum:"RUNNING,MOVED,CONFIRMED,FAILED" example:"RUNNING"`
	Step       string     `json:"step" enum:"prepare,schema,publish,copy,switch,release," doc:"What it is at; empty before the first"`
	Error      string     `json:"error,omitempty"`
	CreatedAt  time.Time  `json:"createdAt"`
	MovedAt    *time.Time `json:"movedAt"`
}

// mostMoves bounds the list: a drained node has moved thousands of schools.
const mostMoves = 100

func (m *Module) get(c api.PlatformCtx, r byID) (Details, error) {
	known, err := find(c.DB, "id = ?", r.ID)
	if err != nil {
		return Details{}, err
	}
	out := Details{Node: Node{record: known}, Moves: []Move{}}
	m.look(c, &out.Node)
	err = c.DB.Raw(`select m.school_id, s.code as school_code, s.name as school_name, m.source as "from", m.target as "to", m.state, m.error,
		m.created_at, m.moved_at,
			coalesce((select step from school_move_step st where st.move_id = m.id and st.started_at is not null order by st.position desc
			limit 1), '') as step
		from school_move m join school s on s.id = m.school_id
		where (m.source = @name or m.target = @name) and (m.state = 'RUNNING' or m.state = 'MOVED' and m.source = @name
			or m.state = 'FAILED' and m.source = @name and s.node = @name and not exists (select from school_move later
			where later.school_id = m.school_id and later.created_at > m.created_at))
		order by m.created_at desc, m.id limit @most`, map[string]any{"name": known.Name, "most": mostMoves}).Scan(&out.Moves).Error
	return out, err
}

func (m *Module) drain(c api.PlatformCtx, r byID) (Node, error) {
	return m.change(c, r.ID, "drain", m.Mover.Drain)
}

func (m *Module) activate(c api.PlatformCtx, r byID) (Node, error) {
	return m.change(c, r.ID, "activate", m.Mover.Reopen)
}

func (m *Module) change(c api.PlatformCtx, id uuid.UUID, action string, to func(context.Context, string, ...tenancy.InTx) error) (Node,
	error) {
	known, err := find(c.DB, "id = ?", id)
	if err != nil {
		return Node{}, err
	}
	err = to(c, known.Name, c.Book(action, "node", id, map[string]any{"name": known.Name}))
	if errors.Is(err, move.ErrLastNode) {
		return Node{}, api.Conflict("No other node takes schools: add one first, or activate one that is being drained")
	}
	if err != nil {
		return Node{}, err
	}
	return m.read(c, "id = ?", id)
}

func (m *Module) read(c api.PlatformCtx, where string, arg any) (Node, error) {
	known, err := find(c.DB, where, arg)
	if err != nil {
		return Node{}, err
	}
	out := Node{record: known}
	m.look(c, &out)
	return out, nil
}
