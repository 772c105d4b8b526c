package node

import (
	"context"
	"errors"
	"net/url"
	"regexp"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// newNode is a database to be set up. Its addresses hold passwords: they go to the
// platform's schema and nowhere else.
type newNode struct {
	Name    string `json:"name" validate:"name,max=31" doc:"Small letters, digits and dashes" example:"north"`
	URL     string `json:"url" validate:"required,max=2000" doc:"Of the database, with the owner's name and password" example:"postgres://homeroom:secret@db-north.internal:5432/homeroom"`
	PoolURL string `json:"poolUrl" validate:"max=2000" doc:"Of a PgBouncer in transaction mode in front of it"`
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

// check names everything that is wrong before anything is dialled.
func (n newNode) check() error {
	var bad []api.Detail
	if !nameForm.MatchString(n.Name) {
		bad = append(bad, api.Detail{Field: "name", Message: "must begin with a small letter and have small letters, digits and dashes only"})
	}
	if !isPostgres(n.URL) {
		bad = append(bad, api.Detail{Field: "url", Message: "must be an address like postgres://user:password@host:5432/database"})
	}
	if n.PoolURL != "" && !isPostgres(n.PoolURL) {
		bad = append(bad, api.Detail{Field: "poolUrl", Message: "must be an address like postgres://host:6432/database"})
	}
	if len(bad) > 0 {
		return api.Invalid(bad...)
	}
	return nil
}

func isPostgres(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") && u.Hostname() != "" && len(u.Path) > 1
}

func (m *Module) create(c api.PlatformCtx, r newNode) (Node, error) {
	if err := r.check(); err != nil {
		return Node{}, err
	}
	err := lifecycle.AddNode(c, m.Cluster, r.Name, r.URL, r.PoolURL, func(ctx context.Context, tx pgx.Tx) error {
		var id uuid.UUID
		if err := tx.QueryRow(ctx, `select id from platform.node where name = $1`, r.Name).Scan(&id); err != nil {
			return err
		}
		return c.Book("create", "node", id, map[string]any{"name": r.Name, "pooled": r.PoolURL != ""})(ctx, tx)
	})
	switch {
	case errors.Is(err, lifecycle.ErrNodeExists):
		return Node{}, api.Duplicate("A node of this name exists, at another address")
	case errors.Is(err, lifecycle.ErrNodeTwice):
		return Node{}, api.Duplicate("This database is a node already, under another name")
	case errors.Is(err, lifecycle.ErrNodeAddress):
		return Node{}, api.InvalidField("url", "is not the address of a Postgres database")
	case err != nil:
		// Any fault here means that it is the address that does not serve; the platform's own trouble
		// would have shown before.
		return Node{}, api.InvalidField("url", "this database cannot be used: %s", tenancy.Trouble(err)).Because(err)
	}
	return m.read(c, "name = ?", r.Name)
}
