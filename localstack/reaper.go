//go:build unix

package localstack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// The reaper is a small process that outlives its starter and cleans up after it: it waits until nobody holds a folder's
// lock any more, then ends the servers in there and removes their data. Only servers that are not durable have one. So
// a test that panics, times out or is killed leaves nothing behind, and test binaries can share servers that none owns.
//
// It is this very program once more, since a test has no other at hand; that the file is deleted when the test ends does
// not disturb a running process.
const reaperEnv = "HOMEROOM_LOCALSTACK_REAPER"

func init() {
	if os.Getenv(reaperEnv) == "" || len(os.Args) != 4 {
		return
	}
	grace, err := time.ParseDuration(os.Args[3])
	if err == nil {
		err = reap(os.Args[1], os.Args[2], grace)
	}
	if err != nil {
		_ = os.WriteFile(filepath.Join(os.Args[1], "reaper.log"), []byte(err.Error()+"\n"), 0o600) // nobody listens otherwise
		os.Exit(1)
	}
	os.Exit(0)
}

// startReaper must be called while the lock is held.
func startReaper(dir, lockName string, grace time.Duration) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start the reaper: %w", err)
	}
	keepDescriptors()
	cmd := exec.Command(self, dir, lockName, grace.String()) // no stdio: `go test` would wait for it to close
	cmd.Dir, cmd.Env = "/", append(os.Environ(), reaperEnv+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the reaper: %w", err)
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

func reap(dir, lockName string, grace time.Duration) error {
	watched, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0) // no making: it may all be over already
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	l := &lock{watched}
	defer l.release()
	only, err := openLock(filepath.Join(dir, "reaper-of-"+lockName))
	if err != nil {
		return err
	}
	defer only.release()
	if first, err := only.try(syscall.LOCK_EX); err != nil || !first {
		return err // another one is at it
	}
	if err := waitUntilFree(l, grace); err != nil {
		return ignoreReplaced(err) // the folder was cleared in good order, and may be somebody else's by now
	}
	// We hold the lock: the next process waits until all is clean, and then starts a reaper of its own.
	if lockName == bouncerLock {
		return errors.Join(endServer(filepath.Join(dir, "pgbouncer")), removeFolder(dir, bouncerLock))
	}
	if lockName == nginxLock {
		return errors.Join(endServer(filepath.Join(dir, "nginx")), removeFolder(dir, nginxLock))
	}
	if lockName == redisesLock {
		folders, err := filepath.Glob(filepath.Join(dir, "redis-*"))
		for _, folder := range folders {
			err = errors.Join(err, endServer(folder))
		}
		return errors.Join(err, removeFolder(dir, redisesLock))
	}
	folders, err := filepath.Glob(filepath.Join(dir, "postgres-*"))
	for _, folder := range append(folders, filepath.Join(dir, "redis")) {
		err = errors.Join(err, endServer(folder))
	}
	return errors.Join(err, removeFolder(dir, lockName))
}

func ignoreReplaced(err error) error {
	if errors.Is(err, errReplaced) {
		return nil
	}
	return err
}

// waitUntilFree returns with the lock, once nobody has held it for the time of grace.
func waitUntilFree(l *lock, grace time.Duration) error {
	const beat = 100 * time.Millisecond
	var freeSince time.Time
	for {
		free, err := l.try(syscall.LOCK_EX)
		switch {
		case err != nil:
			return err
		case !free:
			freeSince = time.Time{}
		case freeSince.IsZero():
			freeSince = time.Now()
		}
		if free && time.Since(freeSince) >= grace {
			return nil
		}
		if free {
			if err := syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN); err != nil {
				return err
			}
		}
		time.Sleep(beat)
	}
}

// endServer ends a server roughly, since its data goes the same way.
func endServer(folder string) error {
	for pidFile, signal := range map[string]syscall.Signal{
		"postmaster.pid": syscall.SIGQUIT, // "immediate"
		"redis.pid":      syscall.SIGTERM,
		"pgbouncer.pid":  syscall.SIGTERM,
		"nginx.pid":      syscall.SIGTERM,
	} {
		if p := findProcess(filepath.Join(folder, "data", pidFile), folder); p != nil {
			if err := p.end(10*time.Second, signal); err != nil {
				return err
			}
		}
	}
	// A folder named "data" is always whole, should we be killed over it too, as the one before us may have been.
	data := filepath.Join(folder, "data")
	if err := removeStubborn(data + ".old"); err != nil {
		return err
	}
	if err := os.Rename(data, data+".old"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return removeStubborn(folder)
}

// removeStubborn tries again for a while: backends of an ended Postgres still write their last as the folder goes.
func removeStubborn(folder string) error {
	for range 50 {
		if os.RemoveAll(folder) == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return os.RemoveAll(folder)
}

// removeFolder removes our lock files, and the folder if it is then empty. The lock must be held.
func removeFolder(dir, lockName string) error {
	err := errors.Join(remove(filepath.Join(dir, "reaper-of-"+lockName)), remove(filepath.Join(dir, "starting")),
		remove(filepath.Join(dir, lockName)))
	_ = os.Remove(dir)
	return err
}

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
