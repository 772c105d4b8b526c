//go:build !linux

package service

import "net"

// closeGently closes a listener. Connections that are made and not yet taken are cut off.
func closeGently(l net.Listener) error { return l.Close() }
