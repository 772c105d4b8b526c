package lifecycle

import (
	"context"
	"fmt"
	"homeroom/tenancy"
	"strings"

	"github.com/jackc/pgx/v5"
)

// membership is the SQL that lets a shard's login act as a school. Until Postgres 15
// whether a member has the role's rights without asking is said of the member
// (setupLogin does); since 16 it is said of the membership.
func membership(n *tenancy.Node, schema, login string, serverVersion int) string {
	sql := fmt.Sprintf("grant %s to %s", tenancy.Ident(schema), tenancy.Ident(login))
	if serverVersion < 16 {
		return sql
	}
	return fmt.Sprintf("%s with inherit %t, set true", sql, inherits(n))
}

// setupMemberships grants the memberships that are missing or inherit otherwise than
// they should: the number of shards or the switch RolePerSchool was changed since
// the schools were made. Memberships that are too many are left: another instance
// may still run with the old number.
func setupMemberships(ctx context.Context, c *tenancy.Cluster, n *tenancy.Node, conn *pgx.Conn) error {
	names, shards, err := schemasOn(ctx, c, n.Name)
	if err != nil {
		return fmt.Errorf("listing the schemas of node %s: %w", n.Name, err)
	}
	logins := make([]string, len(names))
	for i := range names {
		logins[i] = n.Login(shards[i])
	}
	serverVersion := majorVersion(conn.PgConn())
	enough := "true"
	if serverVersion >= 16 {
		enough = fmt.Sprintf("m.set_option and m.inherit_option = %t", inherits(n))
	}
	rows, err := conn.Query(ctx, `select want.role, want.login
		from unnest($1::text[], $2::text[]) as want (role, login)
		join pg_catalog.pg_roles r on r.rolname = want.role
		join pg_catalog.pg_roles l on l.rolname = want.login
		where not exists (select from pg_catalog.pg_auth_members m where m.roleid = r.oid and m.member = l.oid and `+enough+`)`, names, logins)
	if err != nil {
		return fmt.Errorf("comparing memberships: %w", err)
	}
	var sql []string
	var role, login string
	_, err = pgx.ForEachRow(rows, []any{&role, &login}, func() error {
		sql = append(sql, membership(n, role, login, serverVersion))
		return nil
	})
	if err != nil {
		return fmt.Errorf("comparing memberships: %w", err)
	}
	const atOnce = 500
	for len(sql) > 0 {
		some := sql[:min(atOnce, len(sql))]
		if err := conn.PgConn().Exec(ctx, strings.Join(some, "; ")).Close(); err != nil {
			return fmt.Errorf("granting memberships: %w", err)
		}
		sql = sql[len(some):]
	}
	return nil
}

// schemasOn lists a node's school and spare schemas and their shards.
func schemasOn(ctx context.Context, c *tenancy.Cluster, node string) (names []string, shards []int, err error) {
	rows, err := c.PlatformPool().Query(ctx, `select schema_name, shard from platform.school where node = $1 and schema_name is not null
		union all select schema_name, shard from platform.spare_schema where node = $1`, node)
	if err != nil {
		return nil, nil, err
	}
	var name string
	var shard int
	_, err = pgx.ForEachRow(rows, []any{&name, &shard}, func() error {
		names, shards = append(names, name), append(shards, shard)
		return nil
	})
	return names, shards, err
}
