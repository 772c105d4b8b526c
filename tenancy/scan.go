package tenancy

import "github.com/jackc/pgx/v5"

// Collect has a query's rows read into structs, column by column name; none is an empty
// list.
func Collect[T any](into *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowToStructByNameLax[T])
		if *into == nil {
			*into = []T{}
		}
		return err
	}
}

// Row has the only row of a query read into a struct, by column name; no row is pgx.ErrNoRows.
func Row[T any](into *T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
		return err
	}
}

// Values has the only column of a query read.
func Values[T any](into *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowTo[T])
		return err
	}
}

// One has the only value of a query read that has one row and one column; no row is
// pgx.ErrNoRows.
func One[T any](into *T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
		return err
	}
}
