package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/tenancy"
)

// ErrLastOperator is the refusal to disable the only operator who is left.
var ErrLastOperator = api.Conflict("This is the last active operator: nobody could run the platform")

// DisableOperator disables a cross-school administrator and ends their sessions at once.
// The last active one cannot be disabled.
func (a *Auth) DisableOperator(ctx context.Context, operator uuid.UUID, also ...tenancy.InTx) error {
	return a.setOperator(ctx, operator, "DISABLED", also)
}

// EnableOperator enables a disabled operator.
func (a *Auth) EnableOperator(ctx context.Context, operator uuid.UUID, also ...tenancy.InTx) error {
	return a.setOperator(ctx, operator, "ACTIVE", also)
}

func (a *Auth) setOperator(ctx context.Context, operator uuid.UUID, status string, also []tenancy.InTx) error {
	var ended []uuid.UUID
	err := pgx.BeginFunc(ctx, a.Cluster.PlatformPool(), func(tx pgx.Tx) error {
		// All of them are locked: two who disable each other run one after the other.
		rows, err := tx.Query(ctx, `select id from platform.super_admin where status = 'ACTIVE' order by id for update`)
		if err != nil {
			return err
		}
		active, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil {
			return err
		}
		if status == "DISABLED" && len(active) == 1 && slices.Contains(active, operator) {
			return ErrLastOperator
		}
		tag, err := tx.Exec(ctx, `update platform.super_admin set status = $2, updated_at = $3 where id = $1`, operator, status, a.Clock())
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return api.NotFound("operator")
		}
		if status == "DISABLED" {
			ended, err = a.Revoke(ctx, tx, "disabled by the platform",
				`account_id in (select id from platform.account where user_id = $3 and role_type = 'SUPER_ADMIN')`, operator)
			if err != nil {
				return err
			}
		}
		return runInTx(ctx, tx, also)
	})
	if err != nil {
		return fmt.Errorf("changing an operator: %w", err)
	}
	a.PublishEnded(ended)
	a.SessionsChanged(operator)
	return nil
}

// FindOperator is the operator with an e-mail: their id, and their account's.
func (a *Auth) FindOperator(ctx context.Context, email string) (operator, account uuid.UUID, err error) {
	err = a.Cluster.PlatformPool().QueryRow(ctx, `select s.id, a.id from platform.super_admin s join platform.account a on a.user_id = s.id
		and a.role_type = 'SUPER_ADMIN'
		where lower(s.email) = $1`, strings.ToLower(email)).Scan(&operator, &account)
	return operator, account, err
}

// ResetOperatorPassword gives an operator another password and ends their sessions, for one who has forgotten theirs
// where no e-mail can be sent.
func (a *Auth) ResetOperatorPassword(ctx context.Context, operator uuid.UUID, password string, also ...tenancy.InTx) error {
	hashed, err := a.Hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	var ended []uuid.UUID
	err = pgx.BeginFunc(ctx, a.Cluster.PlatformPool(), func(tx pgx.Tx) (err error) {
		_, err = tx.Exec(ctx, `update platform.super_admin set password_hash = $2, updated_at = $3 where id = $1`, operator, hashed, a.Clock())
		if err == nil {
			ended, err = a.Revoke(ctx, tx, "password reset on the command line",
				`account_id in (select id from platform.account where user_id = $3 and role_type = 'SUPER_ADMIN')`, operator)
		}
		if err != nil {
			return err
		}
		return runInTx(ctx, tx, also)
	})
	if err != nil {
		return fmt.Errorf("resetting an operator's password: %w", err)
	}
	a.PublishEnded(ended)
	a.SessionsChanged(operator)
	return nil
}
