//go:build unix

package localstack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// lock is a file lock. The kernel drops it with the process that holds it, however that one ends, which no pid file does.
type lock struct{ file *os.File }

// held keeps the files from the garbage collector, which would close them and so drop the locks of a Stack that nobody
// looks at any more, while its servers are still in use.
var held sync.Map

// errReplaced says that a reaper removed the file while we waited for its lock: what we hold protects nothing, and we have
// to begin again.
var errReplaced = errors.New("the lock file was removed meanwhile")

// openLock opens the file, and makes it if need be.
func openLock(path string) (*lock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%w: the folder belongs to another user; run as that user, or remove it, or choose another folder", err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errReplaced // and the folder with it
	}
	if err != nil {
		return nil, err
	}
	l := &lock{file}
	held.Store(l, true)
	return l, nil
}

func (l *lock) release() {
	held.Delete(l)
	_ = l.file.Close()
}

// wait takes the lock, exclusively or shared, before the context ends.
func (l *lock) wait(ctx context.Context, how int) error {
	return poll(ctx, 20*time.Millisecond, func() (bool, error) { return l.try(how) }, func() error {
		return fmt.Errorf("%s: %w (process %s)", l.file.Name(), ErrInUse, l.owner())
	})
}

// try takes the lock if that is possible at once.
func (l *lock) try(how int) (bool, error) {
	err := syscall.Flock(int(l.file.Fd()), how|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("lock %s: %w", l.file.Name(), err)
	case !l.current():
		return false, errReplaced
	case how == syscall.LOCK_EX:
		return true, l.sign()
	}
	return true, nil
}

// current tells whether the path still leads to the file we have open.
func (l *lock) current() bool {
	ours, err1 := l.file.Stat()
	there, err2 := os.Stat(l.file.Name())
	return err1 == nil && err2 == nil && os.SameFile(ours, there)
}

// sign leaves our pid for people to read; nothing is decided by it.
func (l *lock) sign() error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func (l *lock) owner() string {
	text := make([]byte, 20)
	n, _ := l.file.ReadAt(text, 0)
	return strings.TrimSpace(string(text[:n]))
}
