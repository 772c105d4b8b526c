//go:build unix

package localstack

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
)

// Ports lie below the range from which the kernel takes the near ends of outgoing connections: otherwise one of those
// could sit on a server's port at the very moment it is restarted.
const (
	firstPort = 15000
	lastPort  = 32000
)

func freePort() (int, error) {
	for range 200 {
		if port := firstPort + rand.IntN(lastPort-firstPort); portIsFree(port) {
			return port, nil
		}
	}
	return 0, errors.New("no free port found on 127.0.0.1")
}

func portIsFree(port int) bool {
	l, err := net.Listen("tcp4", address(port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

func readPort(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	port, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return port
}
