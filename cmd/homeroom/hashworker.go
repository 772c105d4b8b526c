package main

import (
	"os"

	"github.com/spf13/cobra"

	"homeroom/auth/hashing"
)

const hashWorkerVerb = "hash-worker"

// hashWorkerCommand is what the server starts itself as to hash secrets; nobody calls it by hand.
func hashWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    hashWorkerVerb,
		Short:  "Hash secrets for a server that asks on standard input",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return hashing.Serve(cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}

// hashCommand starts this program as a hash worker. A program that cannot name its own
// file hashes in its own process.
func hashCommand() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{self, hashWorkerVerb}
}
