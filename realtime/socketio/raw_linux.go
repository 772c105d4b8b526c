package socketio

import (
	"io"
	"net"
	"syscall"
)

// rawConn gives the descriptor of a connection, for reads that hold no buffer while they
// wait and writes that never wait. Nil (TLS inside this process, for one): every write
// then has a goroutine to wait in.
func rawConn(c net.Conn) syscall.RawConn {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// tryWriter writes what the kernel takes at once. It is for one goroutine, and there so
// that a write allocates nothing.
type tryWriter struct {
	b    []byte
	n    int
	err  error
	call func(fd uintptr) bool
}

func newTryWriter() *tryWriter {
	w := &tryWriter{}
	w.call = func(fd uintptr) bool {
		for {
			w.n, w.err = syscall.Write(int(fd), w.b)
			if w.err != syscall.EINTR {
				return true // done, whatever came of it: never wait
			}
		}
	}
	return w
}

func (w *tryWriter) write(raw syscall.RawConn, b []byte) (int, error) {
	w.b, w.n, w.err = b, 0, nil
	err := raw.Write(w.call)
	w.b = nil
	switch {
	case err != nil:
		return 0, err
	case w.err == syscall.EAGAIN:
		return 0, nil
	case w.err != nil:
		return 0, w.err
	}
	return w.n, nil
}

// readWaiting reads into the buffer that buffer returns once there is something to read;
// while it waits, release may have taken the buffer back.
func readWaiting(raw syscall.RawConn, buffer func() []byte, release func()) (n int, err error) {
	waitErr := raw.Read(func(fd uintptr) bool {
		for {
			n, err = syscall.Read(int(fd), buffer())
			switch err {
			case syscall.EINTR:
				continue
			case syscall.EAGAIN:
				release()
				return false
			}
			return true
		}
	})
	switch {
	case waitErr != nil:
		return 0, waitErr
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}
