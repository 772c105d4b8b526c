//go:build unix

package localstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Archive writes a base backup of a server into the server's folder, packed, as an operator keeps it, and says its size.
func (s *Stack) Archive(name string) (size int64, err error) {
	p, err := s.victim(name)
	if err != nil {
		return 0, err
	}
	to := p.path("archive")
	if err := errors.Join(os.RemoveAll(to), p.account.own(to)); err != nil {
		return 0, err
	}
	if err := p.copyTo(to, "archive", "--format=tar", "--gzip", "--compress=1"); err != nil {
		return 0, err
	}
	files, err := os.ReadDir(to)
	for _, f := range files {
		if info, err := f.Info(); err == nil {
			size += info.Size()
		}
	}
	return size, err
}

// Unpack stops the server, puts what Archive wrote in the place of all that it has, and starts it again.
func (s *Stack) Unpack(ctx context.Context, name string) error {
	p, err := s.victim(name)
	if err != nil {
		return err
	}
	data := p.path("data")
	if err := errors.Join(p.stop(), os.RemoveAll(data), p.account.own(data)); err != nil {
		return err
	}
	for _, part := range []struct{ name, into string }{{"base", data}, {"pg_wal", filepath.Join(data, "pg_wal")}} {
		said, err := p.account.output("tar", "-xzf", filepath.Join(p.path("archive"), part.name+".tar.gz"), "-C", part.into)
		if err != nil {
			return fmt.Errorf("tar: %w\n%s", err, said)
		}
	}
	return p.launch(ctx, true)
}
