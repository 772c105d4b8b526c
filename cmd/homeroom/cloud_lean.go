//go:build lean

package main

import "homeroom/cmd/service"

func withCloud(o service.Options) service.Options { return o }
