//go:build !linux

package socketio

import (
	"net"
	"syscall"
)

// rawConn is nil: every write has a goroutine to wait in.
func rawConn(net.Conn) syscall.RawConn { return nil }

type tryWriter struct{}

func newTryWriter() *tryWriter { return &tryWriter{} }

func (*tryWriter) write(syscall.RawConn, []byte) (int, error) { return 0, nil }

func readWaiting(syscall.RawConn, func() []byte, func()) (int, error) {
	panic("socketio: no raw connection here")
}
