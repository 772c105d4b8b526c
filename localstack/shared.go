//go:build unix

package localstack

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Shared returns the servers which all test binaries of one user on this machine share. The first starts them; each holds
// a lock while it runs; the reaper stops them five minutes after the last one is gone. Who asks for another version or
// another number of connections gets a set of its own.
func Shared(ctx context.Context, o Options) (*Stack, error) {
	o.Durable, o.AllowMiniredis, o.shared = false, false, true
	if o.MaxConnections == 0 {
		o.MaxConnections = 400
	}
	if o.Grace == 0 {
		o.Grace = 5 * time.Minute // who edits and tests again finds them
	}
	if o.Dir == "" {
		dir, err := sharedDir(o)
		if err != nil {
			return nil, err
		}
		o.Dir = dir
	}
	for {
		s, err := joinShared(ctx, o)
		if !errors.Is(err, errReplaced) {
			return s, err
		}
	}
}

func joinShared(ctx context.Context, o Options) (*Stack, error) {
	s, err := prepare(o)
	if err != nil {
		return nil, err
	}
	s.shared = true
	if s.lock, err = openLock(filepath.Join(s.dir, "lock")); err != nil {
		return nil, err
	}
	if err := s.join(ctx); err != nil {
		s.lock.release()
		return nil, err
	}
	return s, nil
}

// join takes the shared lock first: with it in hand no reaper can start its work any more.
func (s *Stack) join(ctx context.Context) error {
	if err := s.lock.wait(ctx, syscall.LOCK_SH); err != nil {
		return err
	}
	starting, err := openLock(filepath.Join(s.dir, "starting"))
	if err != nil {
		return err
	}
	defer starting.release()
	if err := starting.wait(ctx, syscall.LOCK_EX); err != nil {
		return err
	}
	if err := startReaper(s.dir, "lock", s.options.Grace); err != nil {
		return err
	}
	return s.startServers(ctx)
}

// sharedDir is one folder per user and kind of server: the settings are part of the name, so that a changed program
// never works on servers with the settings of the old one.
func sharedDir(o Options) (string, error) {
	sum := fnv.New32a()
	fmt.Fprint(sum, (&postgres{maxConnections: o.MaxConnections, shared: o.shared}).settings(0), (&redis{}).configuration())
	name := fmt.Sprintf("homeroom-test-%d-%08x", os.Geteuid(), sum.Sum32())
	dir := filepath.Join(memoryDir, name)
	_, err := os.Lstat(dir)
	if errors.Is(err, os.ErrNotExist) && !memoryIsPlenty() {
		dir = filepath.Join(os.TempDir(), name)
		_, err = os.Lstat(dir)
	}
	if errors.Is(err, os.ErrNotExist) {
		return dir, nil
	}
	return dir, ownFolder(dir) // anybody may write in the folder for temporary files
}

// memoryDir is a folder that Linux keeps in memory. A school is some 650 files, and making and removing them there costs a
// third of what it costs on a disk.
const memoryDir = "/dev/shm"

// memoryNeeded is several times what the databases of a run of all tests take.
const memoryNeeded = 10 << 30

// memoryIsPlenty reports whether test data may be in memory: a container's folder may be small, and so may the machine.
func memoryIsPlenty() bool {
	var s syscall.Statfs_t
	if runtime.GOOS != "linux" || syscall.Statfs(memoryDir, &s) != nil || uint64(s.Bavail)*uint64(s.Bsize) < memoryNeeded {
		return false
	}
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return false
	}
	_, line, _ := strings.Cut(string(info), "MemAvailable:")
	var kilobytes uint64
	_, err = fmt.Sscan(line, &kilobytes)
	return err == nil && kilobytes<<10 >= memoryNeeded
}
