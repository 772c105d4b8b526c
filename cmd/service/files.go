package service

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob" // s3:// addresses
	"gocloud.dev/gcerrors"

	"homeroom/api"
	"homeroom/config"
	"homeroom/modules/file"
)

// bucket keeps files in a folder or in S3.
type bucket struct{ *blob.Bucket }

// Write keeps bytes under a key, all or none.
func (b bucket) Write(ctx context.Context, key, contentType string, from io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // a writer whose context ends before Close keeps nothing
	w, err := b.NewWriter(ctx, key, &blob.WriterOptions{ContentType: contentType})
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
	r, err := b.NewReader(ctx, key, nil)
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
	err := b.Bucket.Delete(ctx, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil
	}
	return err
}

// openFiles opens the place files are kept in; nil is none.
func (s *Service) openFiles(ctx context.Context) (file.Store, error) {
	address := s.Config.Files
	if address == "" && s.Config.Profile != config.Local {
		return nil, nil
	}
	folder := filepath.Join(s.Config.DataDir, "files")
	if address != "" {
		u, err := url.Parse(address)
		if err != nil {
			return nil, fmt.Errorf("HOMEROOM_FILES: %w", err)
		}
		if u.Scheme != "file" {
			opened, err := blob.OpenBucket(ctx, address)
			if err != nil {
				return nil, fmt.Errorf("HOMEROOM_FILES: %w", err)
			}
			return bucket{opened}, nil
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
	return bucket{opened}, nil
}
