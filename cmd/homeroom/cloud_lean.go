//go:build lean

package main

import "homeroom/cmd/service"

// buildKind is what `homeroom version` calls a program without push by Firebase and files in S3.
const buildKind = "lean"

func withCloud(o service.Options) service.Options { return o }
