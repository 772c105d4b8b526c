package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/gcerrors"

	"homeroom/api"
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

// folder keeps files on a disk.
type folder struct{ *blob.Bucket }

// Write keeps bytes under a key, all or none.
func (f folder) Write(ctx context.Context, key, contentType string, from io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // a writer whose context ends before Close keeps nothing
	w, err := f.NewWriter(ctx, key, &blob.WriterOptions{ContentType: contentType})
	if err != nil {
		return fmt.Errorf("keeping a file: %w", err)
	}
	if _, err := io.Copy(w, from); err != nil {
		cancel()
		_ = w.Close()
		return err // as the reader said it: a file that is too large is the caller's fault
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("keeping a file: %w", err)
	}
	return nil
}

// Open reads what is under a key.
func (f folder) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	r, err := f.NewReader(ctx, key, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, api.NotFound("file").Because(err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a file: %w", err)
	}
	return r, nil
}

// Delete removes what is under a key; what is not there is gone already.
func (f folder) Delete(ctx context.Context, key string) error {
	if err := f.Bucket.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return fmt.Errorf("removing a file: %w", err)
	}
	return nil
}

// fileStore is the configured place for files; nil: none.
func fileStore(c config.Config, s3 func(*url.URL) (file.Store, error)) file.Store {
	if c.Files == "" && c.Profile != config.Local {
		return nil
	}
	return lazyStore(sync.OnceValues(func() (file.Store, error) {
		if c.Files == "" {
			return openFolder(filepath.Join(c.DataDir, "files"))
		}
		u, err := url.Parse(c.Files)
		switch {
		case err != nil:
		case u.Scheme == "file":
			return openFolder(u.Path)
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

func openFolder(path string) (file.Store, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder for files: %w", err)
	}
	opened, err := fileblob.OpenBucket(path, &fileblob.Options{NoTempDir: true, DirFileMode: 0o700, Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		return nil, fmt.Errorf("opening the folder for files: %w", err)
	}
	return folder{opened}, nil
}
