//go:build !lean

package main

import (
	"github.com/spf13/cobra"
	_ "gocloud.dev/blob/s3blob" // s3:// addresses for files

	"homeroom/cmd/service"
	"homeroom/delivery/fcm"
)

// buildKind is what `homeroom version` calls the program that ships.
const buildKind = "whole"

// withCloud adds the clients of Google and Amazon. They are half of what the compiler works on, and nothing on a
// developer's machine calls them, so the build with the tag lean is made without: see build_lean.go.
func withCloud(o service.Options) service.Options {
	o.Push = fcm.Open
	return o
}

const tryOut = ""

func tryOutCommands() []*cobra.Command { return nil }
