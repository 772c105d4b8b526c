// Package folder keeps files in a folder of a disk.
package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/file"
)

// store is a file.Store. A key is a path below the root, and the root opens nothing outside of itself.
type store struct{ root *os.Root }

// Open makes the folder if it is not there.
func Open(name string) (file.Store, error) {
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder for files: %w", err)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("opening the folder for files: %w", err)
	}
	return store{root}, nil
}

// Write keeps bytes under a key, all or none: they get the key's name when they are on the disk.
func (s store) Write(ctx context.Context, key, _ string, from io.Reader) error {
	if err := s.root.MkdirAll(path.Dir(key), 0o700); err != nil {
		return fmt.Errorf("keeping a file: %w", err)
	}
	unfinished := key + "." + uuid.NewString() + ".tmp"
	f, err := s.root.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("keeping a file: %w", err)
	}
	defer func() { _ = s.root.Remove(unfinished) }() // renamed by then, unless something failed
	if _, err := io.Copy(f, from); err != nil {
		_ = f.Close()
		return err // as the reader said it: a file that is too large is the caller's fault
	}
	err = errors.Join(ctx.Err(), f.Sync(), f.Close())
	if err == nil {
		err = s.root.Rename(unfinished, key)
	}
	if err != nil {
		return fmt.Errorf("keeping a file: %w", err)
	}
	return nil
}

// Open reads what is under a key.
func (s store) Open(_ context.Context, key string) (io.ReadSeekCloser, error) {
	f, err := s.root.Open(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, api.NotFound("file").Because(err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a file: %w", err)
	}
	return f, nil
}

// Delete removes what is under a key; what is not there is gone already.
func (s store) Delete(_ context.Context, key string) error {
	if err := s.root.Remove(key); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing a file: %w", err)
	}
	return nil
}
