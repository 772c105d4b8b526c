package tenancy

import (
	"context"
)

// Mode says what a binding allows.
type Mode int

const (
	// ReadOnly statements cannot write: Postgres itself refuses.
	ReadOnly Mode = iota
	ReadWrite
	// LongRead and LongWrite are the same for work of seconds, an import or a download.
	// It runs on connections of its own: a shard has few, and a school that waits for
	// its own import must not make its neighbours wait.
	LongRead
	LongWrite
)

// long reports whether m is for long work, and what the binding of it allows.
func (m Mode) long() (Mode, bool) {
	switch m {
	case LongRead:
		return ReadOnly, true
	case LongWrite:
		return ReadWrite, true
	}
	return m, false
}

// binding is what a statement carries in its context: whose schema it runs in,
// under which role, and whether it may write.
type binding struct {
	schema string
	role   string
	mode   Mode
	async  bool // commits do not wait for the disk

	standby bool  // it runs on a standby
	after   int64 // which must have replayed its log up to here
}

type asyncCommitKey struct{}

// WithAsyncCommit has what a school is written under ctx be committed without waiting for the disk: a crash of the server may lose
// the last of it, and leaves everything before as it was. It is for what can be made again, and whose maker looks what is there.
func WithAsyncCommit(ctx context.Context) context.Context {
	return context.WithValue(ctx, asyncCommitKey{}, true)
}

type bindingKey struct{}

func bind(ctx context.Context, b binding) context.Context {
	return context.WithValue(ctx, bindingKey{}, b)
}

func bound(ctx context.Context) (binding, bool) {
	b, ok := ctx.Value(bindingKey{}).(binding)
	return b, ok
}

// The binding goes out in the same pipeline as the statement it is for and ends
// with that pipeline's transaction, so a connection remembers no school.
const (
	bindRead = `select set_config('search_path', $1, true), set_config('role', $2, true), set_config('transaction_read_only', 'on', true)`
	// A standby says besides whether it has replayed what the reader has to see.
	bindStandby = `select set_config('search_path', $1, true), set_config('role', $2, true), set_config('transaction_read_only', 'on', true),
		pg_catalog.pg_is_in_recovery() and pg_catalog.pg_last_wal_replay_lsn() >= '0/0'::pg_catalog.pg_lsn + $3::bigint::numeric`
	bindWrite = `select set_config('search_path', $1, true), set_config('role', $2, true)`
	bindAsync = `select set_config('search_path', $1, true), set_config('role', $2, true), set_config('synchronous_commit', 'off', true)`
)

// statement is the SQL and arguments that put b in force.
func (b binding) statement() statement {
	role := b.role
	if role == "" {
		role = "none"
	}
	if b.standby {
		return statement{bindStandby, []any{Ident(b.schema), role, b.after}}
	}
	if b.mode == ReadOnly {
		return statement{bindRead, []any{Ident(b.schema), role}}
	}
	if b.async {
		return statement{bindAsync, []any{Ident(b.schema), role}}
	}
	return statement{bindWrite, []any{Ident(b.schema), role}}
}

// sameSchool reports whether a statement bound to o may run inside b's transaction.
func (b binding) sameSchool(o binding) bool { return b.schema == o.schema && b.role == o.role }
