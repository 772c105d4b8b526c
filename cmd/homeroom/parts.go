package main

import (
	"os"

	_ "gocloud.dev/blob/s3blob" // s3:// addresses for files

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/delivery/fcm"
)

// options are the parts that only the program itself is made of: a log, a process that
// hashes, and the clients of Google and Amazon.
func options(c config.Config) service.Options {
	return service.Options{Log: newLog(os.Stderr, c), HashCommand: hashCommand(), Push: fcm.Open}
}
