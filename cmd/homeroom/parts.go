package main

import (
	"os"

	"homeroom/cmd/service"
	"homeroom/config"
)

// options are the parts that only the program itself is made of: a log, a process that
// hashes, and the clients of cloud providers.
func options(c config.Config) service.Options {
	return withCloud(service.Options{Log: newLog(os.Stderr, c), HashCommand: hashCommand()})
}
