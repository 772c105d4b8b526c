package service

import (
	"context"
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

// bucket keeps files in a folder or in S3. It is opened when it is first needed:
// most commands never touch a file, and must leave no folder behind.
type bucket struct {
	open func() (*blob.Bucket, error)
}

// Write keeps bytes under a key, all or none.
func (b bucket) Write(ctx context.Context, key, contentType string, from io.Reader) error {
	opened, err := b.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // a writer whose context ends before Close keeps nothing
	w, err := opened.NewWriter(ctx, key, &blob.WriterOptions{ContentType: contentType})
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
func (b bucket) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	opened, err := b.open()
	if err != nil {
		return nil, err
	}
	r, err := opened.NewReader(ctx, key, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, api.NotFound("file").Because(err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a file: %w", err)
	}
	return r, nil
}

// Delete removes what is under a key; what is not there is gone already.
func (b bucket) Delete(ctx context.Context, key string) error {
	opened, err := b.open()
	if err != nil {
		return err
	}
	if err := opened.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return fmt.Errorf("removing a file: %w", err)
	}
	return nil
}

// fileStore is the configured place for files; nil: none.
func fileStore(c config.Config) file.Store {
	address := c.Files
	if address == "" && c.Profile != config.Local {
		return nil
	}
	folder := filepath.Join(c.DataDir, "files")
	return bucket{sync.OnceValues(func() (*blob.Bucket, error) { return openBucket(address, folder) })}
}

func openBucket(address, folder string) (*blob.Bucket, error) {
	if address != "" {
		u, err := url.Parse(address)
		if err != nil {
			return nil, fmt.Errorf("HOMEROOM_FILES: %w", err)
		}
		if u.Scheme != "file" {
			opened, err := blob.OpenBucket(context.Background(), address)
			if err != nil {
				return nil, fmt.Errorf("HOMEROOM_FILES: %w", err)
			}
			return opened, nil
		}
		folder = u.Path
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder for files: %w", err)
	}
	opened, err := fileblob.OpenBucket(folder, &fileblob.Options{NoTempDir: true, DirFileMode: 0o700, Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		return nil, fmt.Errorf("opening the folder for files: %w", err)
	}
	return opened, nil
}
