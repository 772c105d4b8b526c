package folder_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"homeroom/api"
	"homeroom/cmd/service/folder"
	"homeroom/modules/file"
)

func open(t *testing.T) (store file.Store, name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "files")
	store, err := folder.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return store, name
}

func read(t *testing.T, s file.Store, key string) string {
	t.Helper()
	f, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func isRefusal(err error) bool {
	var refusal *api.Error
	return errors.As(err, &refusal)
}

func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, strings.TrimPrefix(path, folder+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFile_Written_IsReadAndReplaced(t *testing.T) {
	t.Parallel()
	s, name := open(t)
	for _, text := range []string{"first", "second"} {
		if err := s.Write(t.Context(), "school/photo", "text/plain", strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, s, "school/photo"); got != text {
			t.Errorf("the file says %q, want %q", got, text)
		}
	}
	if got := names(t, name); len(got) != 1 || got[0] != "school/photo" {
		t.Errorf("the folder has %q, want the file alone", got)
	}
}

func TestFile_ReaderFails_NothingIsKept(t *testing.T) {
	t.Parallel()
	s, name := open(t)
	tooLarge := api.InvalidField("file", "This file is too large")
	half := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(tooLarge))
	if err := s.Write(t.Context(), "school/photo", "", half); !isRefusal(err) {
		t.Errorf("writing says %v, want the reader's refusal", err)
	}
	if got := names(t, name); len(got) != 0 {
		t.Errorf("the folder has %q, want nothing", got)
	}
}

func TestFile_CallEndsAmidWriting_NothingIsKept(t *testing.T) {
	t.Parallel()
	s, name := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Write(ctx, "school/photo", "", strings.NewReader("whole")); !errors.Is(err, context.Canceled) {
		t.Errorf("writing says %v, want that the call has ended", err)
	}
	if got := names(t, name); len(got) != 0 {
		t.Errorf("the folder has %q, want nothing", got)
	}
}

func TestFile_NotThere_IsNotFoundAndCanBeDeleted(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	if _, err := s.Open(t.Context(), "school/photo"); !isRefusal(err) {
		t.Errorf("opening says %v, want that it is not found", err)
	}
	if err := s.Delete(t.Context(), "school/photo"); err != nil {
		t.Errorf("deleting says %v, want nothing", err)
	}
}

func TestFile_KeyOutsideOfTheFolder_IsRefused(t *testing.T) {
	t.Parallel()
	s, name := open(t)
	secret := filepath.Join(filepath.Dir(name), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(name, "link")); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"../secret", "link/secret", secret} {
		if _, err := s.Open(t.Context(), key); err == nil {
			t.Errorf("%s was opened", key)
		}
		if err := s.Write(t.Context(), key, "", strings.NewReader("changed")); err == nil {
			t.Errorf("%s was written", key)
		}
		if err := s.Delete(t.Context(), key); err == nil {
			t.Errorf("%s was deleted", key)
		}
	}
	if text, err := os.ReadFile(secret); string(text) != "secret" {
		t.Errorf("the file outside says %q (%v), want what it said", text, err)
	}
}
