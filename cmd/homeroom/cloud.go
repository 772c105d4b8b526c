//go:build !lean

package main

import (
	_ "gocloud.dev/blob/s3blob" // s3:// addresses for files

	"homeroom/cmd/service"
	"homeroom/delivery/fcm"
)

// buildKind is what `homeroom version` calls a program with everything in it.
const buildKind = "whole"

// withCloud adds the clients of Google and Amazon. They are half of what the compiler works on, and nothing on a
// developer's machine calls them, so the build with the tag lean is made without: see cloud_lean.go.
func withCloud(o service.Options) service.Options {
	o.Push = fcm.Open
	return o
}
