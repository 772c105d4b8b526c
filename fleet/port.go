package fleet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// Instances listen below the ports that localstack's servers choose from, so that none of
// those comes to sit on the port of an instance that is being restarted.
const (
	firstPort = 10000
	lastPort  = 14999
)

// reserved keeps the locks of this process's ports from being dropped.
var reserved sync.Map

// reservePort is a free port that is this process's until it ends, whether something listens
// there or not: other fleets stay away from it.
func reservePort() (int, error) {
	folder := filepath.Join(os.TempDir(), fmt.Sprintf("homeroom-fleet-ports-%d", os.Geteuid()))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return 0, err
	}
	for range 200 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		lock, err := os.OpenFile(filepath.Join(folder, fmt.Sprint(port)), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return 0, err
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil || !isFree(port) {
			_ = lock.Close()
			continue
		}
		reserved.Store(port, lock)
		return port, nil
	}
	return 0, errors.New("no free port found on 127.0.0.1")
}

func isFree(port int) bool {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}
