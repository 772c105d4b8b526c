package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/tenancy"
)

// operator opens the service for a command that works beside it. It needs the
// database and the secret the shards' passwords are derived from; Redis only
// carries hints, and signing keys are for serving.
func operator(cmd *cobra.Command) (*service.Service, error) {
	env := environ()
	if env["DATABASE_URL"] == "" {
		return nil, errors.New("DATABASE_URL is missing: name the Postgres server the service uses")
	}
	if env["REDIS_URL"] == "" {
		env["REDIS_URL"] = "redis://127.0.0.1:1"
	}
	if env["HOMEROOM_JWT_KEYS"] == "" {
		key := make([]byte, 48)
		_, _ = rand.Read(key)
		env["HOMEROOM_JWT_KEYS"] = "unused:" + base64.StdEncoding.EncodeToString(key)
	}
	if env["HOMEROOM_PUBLIC_URL"] == "" {
		env["HOMEROOM_PUBLIC_URL"] = "http://localhost" // these commands send no links
	}
	if env["HOMEROOM_LOG"] == "" {
		env["HOMEROOM_LOG"] = "error" // what they have to say is on standard output
	}
	c, err := config.Load(config.Production, env)
	if err != nil {
		return nil, fmt.Errorf("the configuration is not fit for this:\n%w", err)
	}
	// Nobody but its operator waits for a command: on a machine at its limit it connects late rather than not.
	return service.New(cmd.Context(), c, withCloud(service.Options{Log: newLog(os.Stderr, c), Patience: 15 * time.Second}))
}

// booked writes a change made on the command line into the platform's books, where
// the people of the console have theirs.
func booked(action string, school uuid.UUID) tenancy.InTx {
	return func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `insert into platform.audit_event (id, actor_role, action, entity, entity_id, school_id, occurred_at)
			values ($1, 'COMMAND_LINE', $2, 'school', $3, $4, now())`, uuid.Must(uuid.NewV7()), action, school.String(), school)
		return err
	}
}
