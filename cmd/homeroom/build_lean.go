//go:build lean

package main

import (
	"github.com/spf13/cobra"

	"homeroom/cmd/service"
)

// buildKind is what `homeroom version` calls the program of `make run`.
const buildKind = "lean"

func withCloud(o service.Options) service.Options { return o }

// tryOut is what help says of the verbs that only this build has.
const tryOut = `Try it:         homeroom local      (brings its own Postgres and Redis, and demo data)
Watch a bus:    homeroom demo-drive (while homeroom local runs)
`

// tryOutCommands start a demo on a developer's machine, with public passwords and servers of its own. They are not in the
// program that ships.
func tryOutCommands() []*cobra.Command { return []*cobra.Command{localCommand(), demoDriveCommand()} }
