package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"homeroom/version"
)

// versionReport is what the program says of itself, as --json prints it.
type versionReport struct {
	version.Info
	Build string `json:"build"` // whole or lean
}

func versionCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print which release this is and what it was built from",
		Long: `Print the version, the commit and its date, the Go it was built with, the system it is
for, and whether it is the whole program or the lean one, which can neither push through
Firebase nor keep files in S3. homeroom --version prints the same. Needs no database.

With --json it is one JSON object.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(versionReport{version.Get(), buildKind})
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), versionText())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func versionText() string {
	v := version.Get()
	return fmt.Sprintf("homeroom %s\nrevision: %s\ndate: %s\ngo: %s\nplatform: %s/%s\nbuild: %s\n", v.Version, v.Revision, v.Date, v.Go, v.OS,
		v.Arch, buildKind)
}
