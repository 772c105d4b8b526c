//go:build !lean

package main

import (
	"github.com/spf13/cobra"

	"homeroom/cmd/service"
	"homeroom/cmd/service/otlp"
	"homeroom/cmd/service/s3"
	"homeroom/delivery/fcm"
)

// buildKind is what `homeroom version` calls the program that ships.
const buildKind = "whole"

// withCloud adds the clients of Firebase, S3 and collectors of traces. They are much of what the compiler works on, and nothing on a
// developer's machine calls them, so the build with the tag lean is made without: see build_lean.go.
func withCloud(o service.Options) service.Options {
	o.Push, o.S3, o.Traces = fcm.Open, s3.Open, otlp.Open
	return o
}

const tryOut = ""

func tryOutCommands() []*cobra.Command { return nil }
