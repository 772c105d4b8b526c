package imports

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

const (
	undoTimeout = 5 * time.Minute
	// UndoDays is how long a run can be taken back.
	UndoDays = 30
	// usersPerFact is how many users one fact names at most.
	usersPerFact = 500
)

// keys are the columns of tables' primary keys.
type keys map[string][]string

func readKeys(db *gorm.DB, tables []string) (keys, error) {
	type column struct{ TableName, Name string }
	var columns []column
	err := tenancy.Pipeline(db, tenancy.Query{SQL: `select t.relname::text as table_name, a.attname::text as name
		from pg_constraint p join pg_class t on t.oid = p.conrelid cross join unnest(p.conkey) with ordinality k (num, nth)
		join pg_attribute a on a.attrelid = t.oid and a.attnum = k.num
		where p.contype = 'p' and t.relnamespace = current_schema()::regnamespace and t.relname = any($1) order by 1, k.nth`,
		Args: []any{tables}, Scan: tenancy.Collect(&columns)})
	if err != nil {
		return nil, fmt.Errorf("reading tables' keys: %w", err)
	}
	out := keys{}
	for _, c := range columns {
		out[c.TableName] = append(out[c.TableName], c.Name)
	}
	for _, t := range tables {
		if out[t] == nil {
			return nil, fmt.Errorf("the table %s has no key, or is not there", t)
		}
	}
	return out, nil
}

// of is the SQL of a row's key.
func (k keys) of(table, alias string) string {
	return "concat_ws('|', " + alias + "." + strings.Join(k[table], ", "+alias+".") + ")"
}

// keep writes down which rows of the tables this transaction has written, and what those were before that were there: another
// connection still sees them. wrote says that there is something to take back.
func (run *importRun) keep(c api.Ctx, tables []string, plan *PlanBase) (wrote bool, err error) {
	made, err := plan.made()
	if err != nil {
		return false, fmt.Errorf("writing down what an import made: %w", err)
	}
	if err := c.DB.Exec(`update import_run set undo = ?::jsonb where id = ?`, string(made), run.id).Error; err != nil {
		return false, fmt.Errorf("writing down what an import made: %w", err)
	}
	if tables == nil || plan.whole {
		return plan.undo != nil, nil
	}
	k, err := readKeys(c.DB, tables)
	if err != nil {
		return false, err
	}
	apart, err := c.Apart(c)
	if err != nil {
		return false, err
	}
	wrote = plan.undo != nil
	for _, t := range tables {
		var written []string
		err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `insert into import_change (run_id, table_name, row_key, sum)
			select $1, '` + t + `', ` + k.of(t, "t") + `, md5(to_jsonb(t)::text) from ` + t + ` t where t.xmin = pg_current_xact_id()::xid
			returning row_key`, Args: []any{run.id}, Scan: collectTexts(&written)})
		if err != nil {
			return false, fmt.Errorf("writing down what an import wrote: %w", err)
		}
		if len(written) == 0 {
			continue
		}
		wrote = true
		type old struct{ Key, Row string }
		var before []old
		err = tenancy.Pipeline(apart, tenancy.Query{SQL: `select ` + k.of(t, "t") + ` as key, to_jsonb(t)::text as row from ` + t +
			` t where ` + k.of(t, "t") + ` = any($1)`, Args: []any{written}, Scan: tenancy.Collect(&before)})
		if err != nil {
			return false, fmt.Errorf("reading what was there before an import: %w", err)
		}
		ids, rows := make([]string, len(before)), make([]string, len(before))
		for i, b := range before {
			ids[i], rows[i] = b.Key, b.Row
		}
		err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `update import_change h set before = v.row::jsonb
			from unnest($2::text[], $3::text[]) as v (key, row) where h.run_id = $1 and h.table_name = '` + t + `' and h.row_key = v.key`,
			Args: []any{run.id, ids, rows}})
		if err != nil {
			return false, fmt.Errorf("writing down what was there before an import: %w", err)
		}
	}
	return wrote, nil
}

func collectTexts(out *[]string) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*out, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}
}

// undo takes a run back: rows it made go, and those it changed are as they were. It is refused if one of them was changed since, or
// something else points to one that would go.
func (k Kind[R]) undo(c api.Ctx, r byID) (ImportRun, error) {
	err := c.DB.Exec(`select set_config('statement_timeout', '4min', true), set_config('lock_timeout', '1min', true),
		pg_advisory_xact_lock(hashtextextended(current_schema() || ' import', 0))`).Error
	if err != nil {
		return ImportRun{}, fmt.Errorf("waiting for other imports: %w", err)
	}
	run, err := readRun(c.DB, k.Key, r.ID)
	switch {
	case err != nil:
		return run, err
	case run.UndoneAt != nil:
		return run, api.Conflict("The import was taken back already")
	case run.State != "DONE" || run.DryRun || !run.MayUndo && c.Now.Sub(run.CreatedAt) < UndoDays*24*time.Hour:
		return run, api.Conflict("The import wrote nothing")
	case !run.MayUndo:
		return run, api.Conflict("The import can no longer be taken back: that is possible for %d days", UndoDays)
	}
	var made string
	if err := c.DB.Raw(`select undo::text from import_run where id = ?`, r.ID).Row().Scan(&made); err != nil {
		return run, fmt.Errorf("reading what an import made: %w", err)
	}
	if k.Undo != nil {
		if err := k.Undo(c, []byte(made)); err != nil {
			return run, err
		}
	}
	if k.Tables != nil {
		if err := k.restore(c, r.ID); err != nil {
			return run, err
		}
	}
	if err := c.DB.Exec(`delete from import_change where run_id = ?`, r.ID).Error; err != nil {
		return run, fmt.Errorf("taking an import back: %w", err)
	}
	if err := c.DB.Exec(`update import_run set undone_at = ?, undone_by = ?, undo = '{}' where id = ?`, c.Now, c.User.ID,
		r.ID).Error; err != nil {
		return run, fmt.Errorf("taking an import back: %w", err)
	}
	c.Changed("undo", "import", r.ID, nil, map[string]any{"kind": k.Key, "fileName": run.FileName})
	c.RightsChanged()
	run.UndoneAt, run.MayUndo = &c.Now, false
	return run, nil
}

func (k Kind[R]) restore(c api.Ctx, run uuid.UUID) error {
	type count struct {
		TableName string
		N         int
	}
	var wrote []count
	err := c.DB.Raw(`select table_name, count(*) as n from import_change where run_id = ? group by 1`, run).Scan(&wrote).Error
	if err != nil {
		return fmt.Errorf("reading what an import wrote: %w", err)
	}
	n := map[string]int{}
	for _, w := range wrote {
		n[w.TableName] = w.N
	}
	tables := slices.DeleteFunc(slices.Clone(k.Tables), func(t string) bool { return n[t] == 0 })
	keys, err := readKeys(c.DB, tables)
	if err != nil {
		return err
	}
	for _, t := range tables {
		var same int
		err := c.DB.Raw(`select count(*) from (select from `+t+` t join import_change h on h.run_id = ? and h.table_name = ?
			and h.row_key = `+keys.of(t, "t")+` where h.sum = md5(to_jsonb(t)::text) for no key update of t) s`, run, t).Row().Scan(&same)
		if err != nil {
			return fmt.Errorf("looking for later changes of %s: %w", t, err)
		}
		if same < n[t] {
			return api.Conflict("%d of the import's records (%s) were changed since, so that it cannot be taken back", n[t]-same, words(t))
		}
	}
	if err := refuseDependents(c, keys, tables, run); err != nil {
		return err
	}
	if err := checkRights(c, run); err != nil {
		return err
	}
	users, err := changedUsers(c, run)
	if err != nil {
		return err
	}
	if err := k.writeBack(c, keys, tables, run); err != nil {
		var pg *pgconn.PgError
		if errors.As(err, &pg) && strings.HasPrefix(pg.Code, "23") {
			return api.Conflict("Something else depends on what the import wrote (%s), so that it cannot be taken back",
				words(pg.TableName)).Because(err)
		}
		return err
	}
	for part := range slices.Chunk(users, usersPerFact) {
		c.Tell(events.Fact{Kind: "users.changed", Data: map[string]any{"userIds": part}})
	}
	return nil
}

// words is a table's name as people can read it.
func words(table string) string { return strings.ReplaceAll(table, "_", " ") }

// checkRights refuses to give an account its earlier phone, e-mail or role back to who could not have changed them.
func checkRights(c api.Ctx, run uuid.UUID) error {
	var roles []uuid.UUID
	err := c.DB.Raw(`select distinct r from import_change h join app_user u on u.id::text = h.row_key
		cross join jsonb_populate_record(null::app_user, h.before) b cross join unnest(array[u.role_id, b.role_id]) r
		where h.run_id = ? and h.table_name = 'app_user' and h.before is not null
		and (u.role_id, u.phone, u.email, u.status) is distinct from (b.role_id, b.phone, b.email, b.status)`, run).Scan(&roles).Error
	if err != nil {
		return fmt.Errorf("reading the roles of accounts that an import changed: %w", err)
	}
	return c.CheckGrant(roles...)
}

func changedUsers(c api.Ctx, run uuid.UUID) (users []uuid.UUID, err error) {
	err = c.DB.Raw(`select row_key::uuid from import_change where run_id = ? and table_name = 'app_user'`, run).Scan(&users).Error
	if err != nil {
		return nil, fmt.Errorf("reading whose accounts an import changed: %w", err)
	}
	return users, nil
}

// refuseDependents refuses if a row that is not the run's own points to one that it made.
func refuseDependents(c api.Ctx, keys keys, tables []string, run uuid.UUID) error {
	type reference struct{ Child, Parent, Match string }
	var references []reference
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select t.relname::text as child, p.relname::text as parent,
		string_agg(format('c.%I = p.%I', ca.attname, pa.attname), ' and ' order by k.nth) as match
		from pg_constraint f join pg_class t on t.oid = f.conrelid join pg_class p on p.oid = f.confrelid
		cross join unnest(f.conkey, f.confkey) with ordinality k (child, parent, nth)
		join pg_attribute ca on ca.attrelid = t.oid and ca.attnum = k.child
		join pg_attribute pa on pa.attrelid = p.oid and pa.attnum = k.parent
		where f.contype = 'f' and p.relnamespace = current_schema()::regnamespace and p.relname = any($1)
		group by f.oid, t.relname, p.relname order by 1, 2`, Args: []any{tables}, Scan: tenancy.Collect(&references)})
	if err != nil {
		return fmt.Errorf("reading what may depend on an import: %w", err)
	}
	var queries []tenancy.Query
	found := make([][]string, len(references))
	for i, f := range references {
		own := ""
		if slices.Contains(tables, f.Child) {
			own = ` and not exists (select from import_change o where o.run_id = $1 and o.table_name = '` + f.Child + `' and o.row_key = ` +
				keys.of(f.Child, "c") + `)`
		}
		queries = append(queries, tenancy.Query{SQL: `select '` + f.Child + `' where exists (select from import_change h
			join ` + f.Parent + ` p on ` + keys.of(f.Parent, "p") + ` = h.row_key join ` + f.Child + ` c on ` + f.Match + `
			where h.run_id = $1 and h.table_name = '` + f.Parent + `' and h.before is null` + own + `)`, Args: []any{run},
			Scan: collectTexts(&found[i])})
	}
	if len(queries) == 0 {
		return nil
	}
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return fmt.Errorf("looking for what depends on an import: %w", err)
	}
	var depends []string
	for _, f := range found {
		for _, child := range f {
			if !slices.Contains(depends, words(child)) {
				depends = append(depends, words(child))
			}
		}
	}
	if depends != nil {
		return api.Conflict("Other records depend on what the import wrote, so that it cannot be taken back: %s", strings.Join(depends, ", "))
	}
	return nil
}

// writeBack deletes what the run made and restores what it changed, what points to others before those.
func (k Kind[R]) writeBack(c api.Ctx, keys keys, tables []string, run uuid.UUID) error {
	if k.Loosen != "" {
		if err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: k.Loosen, Args: []any{run}}); err != nil {
			return fmt.Errorf("restoring what was there before an import: %w", err)
		}
	}
	for _, t := range slices.Backward(tables) {
		var columns []string
		err := tenancy.Pipeline(c.DB,
			tenancy.Query{SQL: `delete from ` + t + ` t using import_change h where h.run_id = $1 and h.table_name = '` + t + `'
				and h.before is null and h.row_key = ` + keys.of(t, "t"), Args: []any{run}},
			tenancy.Query{SQL: `select quote_ident(attname) from pg_attribute where attrelid = $1::text::regclass and attnum > 0
				and not attisdropped and attgenerated = '' order by attnum`, Args: []any{t}, Scan: collectTexts(&columns)})
		if err != nil {
			return fmt.Errorf("deleting what an import made: %w", err)
		}
		err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `update ` + t + ` t set (` + strings.Join(columns, ", ") + `) = (select b.` +
			strings.Join(columns, ", b.") + ` from jsonb_populate_record(null::` + t + `, h.before) b) from import_change h
			where h.run_id = $1 and h.table_name = '` + t + `' and h.before is not null and h.row_key = ` + keys.of(t, "t"), Args: []any{run}})
		if err != nil {
			return fmt.Errorf("restoring what was there before an import: %w", err)
		}
	}
	return nil
}
