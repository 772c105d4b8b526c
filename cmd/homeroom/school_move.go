package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"homeroom/cmd/service"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/tenancy/move"
)

func schoolMoveTo() *cobra.Command {
	return &cobra.Command{
		Use:   "move ID NODE",
		Short: "Move a school to another database node while it is used, and wait until it is there",
		Long: `Move a school to another database node while it is used, and wait until it is there.
Its writes wait for a moment at the end. If the command is interrupted, the running
service goes on with the move; started again, the command goes on too.

The old copy is kept until "homeroom school confirm-move". It is no way back: what was
written since the move is in the new home only.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them, and REDIS_URL, so that
running instances hear of the move at once; without it they do within seconds.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSchool(cmd, args[0], func(s *service.Service, id uuid.UUID) error {
				return moveSchool(cmd.Context(), s, id, args[1], cmd.OutOrStdout())
			})
		},
	}
}

func schoolConfirmMove() *cobra.Command {
	return &cobra.Command{
		Use:   "confirm-move ID",
		Short: "Remove the old copy of a school that has moved, for good",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSchool(cmd, args[0], func(s *service.Service, id uuid.UUID) error {
				err := s.Mover.Confirm(cmd.Context(), id, booked("confirm move", id))
				if errors.Is(err, move.ErrNoMove) {
					return errors.New("there is no move to confirm: none has ended, or its last traces are still being removed")
				}
				if err != nil {
					return notSetUp(err)
				}
				latest, err := s.Mover.Progress(cmd.Context(), id)
				if err == nil && !latest.Clean {
					fmt.Fprintln(cmd.OutOrStdout(), "Confirmed. Node", latest.Source, "does not answer: the old copy is removed when it does.")
					return nil
				}
				fmt.Fprintln(cmd.OutOrStdout(), "Confirmed: the old copy is gone.")
				return err
			})
		},
	}
}

// withSchool opens the service for a command about one school.
func withSchool(cmd *cobra.Command, text string, work func(*service.Service, uuid.UUID) error) error {
	id, err := uuid.Parse(text)
	if err != nil {
		return fmt.Errorf("%q is not a school's id; see: homeroom school list", text)
	}
	s, err := operator(cmd)
	if err != nil {
		return err
	}
	defer s.Close()
	return work(s, id)
}

func moveSchool(ctx context.Context, s *service.Service, id uuid.UUID, node string, out io.Writer) error {
	_, err := s.Mover.Request(ctx, id, node, booked("move", id))
	var refused move.RefusedError
	switch {
	case errors.Is(err, move.ErrOpen):
		latest, progressErr := s.Mover.Progress(ctx, id)
		if progressErr != nil || latest.State != move.Running || latest.Target != node {
			return errors.New("the school is being moved elsewhere, or its last move is not confirmed: homeroom school confirm-move")
		}
		fmt.Fprintln(out, "Going on with the move that was begun.")
	case errors.Is(err, tenancy.ErrSchoolNotFound):
		return fmt.Errorf("no school has the id %s; see: homeroom school list", id)
	case errors.Is(err, lifecycle.ErrNoNode):
		return fmt.Errorf("no active database node is called %q", node)
	case errors.Is(err, move.ErrSameNode):
		return fmt.Errorf("the school is on node %s", node)
	case errors.Is(err, move.ErrNotYet):
		return errors.New("the school is being set up")
	case errors.As(err, &refused):
		return errors.New(refused.Reason)
	case err != nil:
		return notSetUp(err)
	}
	s.Mover.Stepped = func(_ uuid.UUID, step string, done bool) {
		if done {
			fmt.Fprintln(out, "  done:", step)
		}
	}
	// Each run goes as far as it can; what it waits for may take a while.
	for {
		err := s.Mover.Run(ctx, id)
		latest, progressErr := s.Mover.Progress(ctx, id)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case progressErr != nil:
			return errors.Join(err, progressErr)
		case latest.State == move.Failed:
			return fmt.Errorf("the school stays on node %s: %s", latest.Source, latest.Error)
		case latest.State == move.Moved:
			fmt.Fprintf(out, "The school is on node %s: %d rows; its writes waited %v.\n", latest.Target, latest.Rows, latest.Held)
			fmt.Fprintln(out, "The old copy on node", latest.Source, "is kept until: homeroom school confirm-move", id)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Second):
		}
	}
}
