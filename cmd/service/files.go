package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"sync"

	"homeroom/cmd/service/folder"
	"homeroom/config"
	"homeroom/modules/file"
)

// lazyStore opens the place for files when it is first needed: most commands never touch a file, and must leave no folder
// behind.
type lazyStore func() (file.Store, error)

func (open lazyStore) Write(ctx context.Context, key, contentType string, from io.Reader) error {
	store, err := open()
	if err != nil {
		return err
	}
	return store.Write(ctx, key, contentType, from)
}

func (open lazyStore) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	store, err := open()
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, key)
}

func (open lazyStore) Delete(ctx context.Context, key string) error {
	store, err := open()
	if err != nil {
		return err
	}
	return store.Delete(ctx, key)
}

// fileStore is the configured place for files; nil: none.
func fileStore(c config.Config, s3 func(*url.URL) (file.Store, error)) file.Store {
	if c.Files == "" && c.Profile != config.Local {
		return nil
	}
	return lazyStore(sync.OnceValues(func() (file.Store, error) {
		if c.Files == "" {
			return folder.Open(filepath.Join(c.DataDir, "files"))
		}
		u, err := url.Parse(c.Files)
		switch {
		case err != nil:
		case u.Scheme == "file":
			return folder.Open(u.Path)
		case s3 == nil:
			err = errors.New("this build has no client of S3: use the one of make build, or a folder")
		default:
			var store file.Store
			if store, err = s3(u); err == nil {
				return store, nil
			}
		}
		return nil, fmt.Errorf("HOMEROOM_FILES: %w", err)
	}))
}
