package fleet

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// source is where the repository begins.
var source = sync.OnceValues(func() (string, error) {
	said, err := exec.Command("go", "env", "GOMOD").Output()
	file := strings.TrimSpace(string(said))
	if err == nil && !filepath.IsAbs(file) {
		err = errors.New("this is not run in the repository")
	}
	if err != nil {
		return "", fmt.Errorf("looking for the repository: %w", err)
	}
	return filepath.Dir(file), nil
})

// built is the program as a user has it, without a race detector. Test binaries share it:
// linking it takes longer than many a test, and go builds nothing that is up to date.
var built = sync.OnceValues(func() (string, error) {
	top, err := source()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(top))
	folder := filepath.Join(cache, "homeroom-fleet", fmt.Sprintf("%08x", sum.Sum32()))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	path := filepath.Join(folder, "homeroom")
	cmd := exec.Command("go", "build", "-ldflags=-w", "-o", path, "./cmd/homeroom")
	cmd.Dir = top
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building homeroom: %w\n%s", err, said)
	}
	return path, nil
})
