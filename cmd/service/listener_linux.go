package service

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// handshakeTime is for connections that are half made.
	handshakeTime = 50 * time.Millisecond
	// queueTime is how long those that wait to be taken are waited for.
	queueTime = 2 * time.Second
)

// noNewcomers lets every packet of TCP through but those that begin a connection.
var noNewcomers = []unix.SockFilter{
	{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: 13}, // the flags
	{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: 2, Jt: 1},
	{Code: unix.BPF_RET | unix.BPF_K, K: 1<<32 - 1},
	{Code: unix.BPF_RET | unix.BPF_K, K: 0},
}

// closeGently closes a listener whose connections are still being taken. The kernel makes
// connections before the program takes them, and when the listener closes it cuts those
// off that wait; their callers may have sent something by then that must not be sent
// twice. So first no new ones are made (they are tried again after a second, and then
// refused), then those that wait are taken, then it closes.
func closeGently(l net.Listener) error {
	if tcp, ok := l.(*net.TCPListener); ok {
		if raw, err := tcp.SyscallConn(); err == nil {
			filter := &unix.SockFprog{Len: uint16(len(noNewcomers)), Filter: &noNewcomers[0]}
			refused := error(nil)
			err = raw.Control(func(fd uintptr) {
				refused = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, filter)
			})
			// Where the kernel does not let us, it closes as it always did.
			if err == nil && refused == nil {
				time.Sleep(handshakeTime)
				for until := time.Now().Add(queueTime); waiting(tcp) > 0 && time.Now().Before(until); {
					time.Sleep(time.Millisecond)
				}
			}
		}
	}
	return l.Close()
}

// waiting counts the connections that are made and not taken.
func waiting(l *net.TCPListener) (n uint32) {
	raw, err := l.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			n = info.Unacked // of a listener, what waits
		}
	})
	return n
}
