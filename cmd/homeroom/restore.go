package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"homeroom/cmd/service"
	"homeroom/tenancy/lifecycle"
)

func restoredCommand() *cobra.Command {
	var inPlace, asCopy bool
	var nodes []string
	cmd := &cobra.Command{
		Use:   "restored --in-place | --copy [--node NAME=ADDRESS]",
		Short: "Say what a platform is that was restored from a backup",
		Long: `Say what the platform's server is after it was restored to an earlier moment. Until then the
nodes that were not restored with it refuse it: their schools are answered 503, and no
command works on them.

--in-place: it takes the place of the one that was lost. Its nodes work with it again, and
schools that moved since are found where they are. Stop every instance that may still work
with another copy of the platform first. Then run: homeroom migrate --check-all

--copy: it is a copy beside the one that runs: for a drill, or to bring one school back.
It becomes an installation of its own. Node main is the one of this environment
(DATABASE_URL, or HOMEROOM_NODE_URL); give for every other node the address of its copy,
restored to the same moment or an earlier one. Nodes whose address is not given stay shut.
An address of a node that has gone on since is refused.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them, and HOMEROOM_NODE_URL if
the service has that.`,
		Example: `  homeroom restored --in-place
  homeroom restored --copy --node north=postgres://homeroom:…@127.0.0.1:5433/homeroom`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if inPlace == asCopy {
				return errors.New("say which it is: --in-place or --copy")
			}
			if inPlace && len(nodes) > 0 {
				return errors.New("--node is for --copy: in place the nodes are where they were")
			}
			addresses := map[string]string{}
			for _, node := range nodes {
				name, address, ok := strings.Cut(node, "=")
				if !ok || name == "" || address == "" {
					return errors.New("--node: use NAME=ADDRESS")
				}
				addresses[name] = address
			}
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			if asCopy {
				return restoredAsCopy(cmd.Context(), s, addresses, cmd.OutOrStdout())
			}
			return restoredInPlace(cmd.Context(), s, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&inPlace, "in-place", false, "it takes the place of the one that was lost")
	cmd.Flags().BoolVar(&asCopy, "copy", false, "it is a copy beside the one that runs")
	cmd.Flags().StringArrayVar(&nodes, "node", nil, "with --copy: where the copy of a node is")
	return cmd
}

func restoredAsCopy(ctx context.Context, s *service.Service, addresses map[string]string, out io.Writer) error {
	err := lifecycle.RestoredAsCopy(ctx, s.Cluster, addresses)
	if errors.Is(err, lifecycle.ErrNotRestored) {
		return fmt.Errorf("this platform is the one that runs, by its nodes; nothing was changed: %w", err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "This platform is an installation of its own, with node main and %d others.\n", len(addresses))
	return nil
}

func restoredInPlace(ctx context.Context, s *service.Service, out io.Writer) error {
	moved, err := lifecycle.RestoredInPlace(ctx, s.Cluster)
	for _, d := range moved {
		fmt.Fprintf(out, "School %s (%s) is on node %s: it moved after the moment\n", d.Code, d.School, d.Node)
	}
	var away *lifecycle.NodesError
	if errors.As(err, &away) {
		return fmt.Errorf("these nodes were not told; run it again when they answer: %w", err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "The nodes work with this platform again. Now run: homeroom migrate --check-all")
	return nil
}
