package version

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// recorded is what Go notes down in a binary that is built in a checkout.
func recorded(module string, settings ...string) *debug.BuildInfo {
	info := &debug.BuildInfo{Main: debug.Module{Version: module}}
	for i := 0; i < len(settings); i += 2 {
		info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
	}
	return info
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	given := Info{Version: "v1.2.0", Revision: "abc", Date: "2026-11-16T08:00:00Z"}
	checkout := recorded("v1.3.0", "vcs.revision", "def", "vcs.time", "2026-12-01T08:00:00Z", "vcs.modified", "false")
	for name, c := range map[string]struct {
		given                   Info
		recorded                *debug.BuildInfo
		version, revision, date string
	}{
		"flags come first":       {given, checkout, "v1.2.0", "abc", "2026-11-16T08:00:00Z"},
		"without flags Go knows": {Info{}, checkout, "v1.3.0", "def", "2026-12-01T08:00:00Z"},
		"changed files are said": {Info{}, recorded("(devel)", "vcs.revision", "def", "vcs.modified", "true"), "dev", "def+changes",
			"unknown"},
		"outside of a checkout":      {Info{}, recorded("(devel)"), "dev", "unknown", "unknown"},
		"nothing at all is recorded": {Info{}, nil, "dev", "unknown", "unknown"},
	} {
		got := describe(c.given, c.recorded)
		if got.Version != c.version {
			t.Errorf("%s: the version is %q, want %q", name, got.Version, c.version)
		}
		if got.Revision != c.revision {
			t.Errorf("%s: the revision is %q, want %q", name, got.Revision, c.revision)
		}
		if got.Date != c.date {
			t.Errorf("%s: the date is %q, want %q", name, got.Date, c.date)
		}
	}
}

// checkout is a folder with scripts/version in it, and with a commit if it is a repository.
type checkout struct {
	t   *testing.T
	dir string
}

func newCheckout(t *testing.T) checkout {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("this test needs git")
	}
	script, err := os.ReadFile("../scripts/version")
	if err != nil {
		t.Fatal(err)
	}
	c := checkout{t, t.TempDir()}
	if err := os.Mkdir(filepath.Join(c.dir, "scripts"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "scripts/version"), script, 0o755); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c checkout) run(name string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(c.dir), "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_COMMITTER_DATE=2026-11-16T13:30:00+05:30", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@example.org")
	said, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, said)
	}
	return strings.TrimSpace(string(said))
}

func (c checkout) commit() {
	c.t.Helper()
	c.run("git", "init", "-q")
	c.run("git", "add", ".")
	c.run("git", "commit", "-q", "--allow-empty", "-m", "a change")
}

func (c checkout) wants(want string, args ...string) {
	c.t.Helper()
	if got := c.run("scripts/version", args...); got != want {
		c.t.Errorf("scripts/version %s prints %q, want %q", strings.Join(args, " "), got, want)
	}
}

func TestScript_NoRepository_IsUnknown(t *testing.T) {
	t.Parallel()
	newCheckout(t).wants("unknown")
}

func TestScript_NoRepository_HasNoFlags(t *testing.T) {
	t.Parallel()
	newCheckout(t).wants("", "--flags")
}

func TestScript_NoTag_IsTheShortHash(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.commit()
	c.wants(c.run("git", "rev-parse", "--short", "HEAD"))
}

func TestScript_Tag_IsTheTag(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.commit()
	c.run("git", "tag", "v1.0.0")
	c.run("git", "tag", "video-tour") // no version
	c.wants("v1.0.0")
}

func TestScript_AfterATag_CountsTheCommits(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.commit()
	c.run("git", "tag", "v1.0.0")
	c.commit()
	c.wants("v1.0.0-1-g" + c.run("git", "rev-parse", "--short", "HEAD"))
}

func TestScript_Flags_NameTagCommitAndDate(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.commit()
	c.run("git", "tag", "v1.0.0")
	c.wants("-X homeroom/version.version=v1.0.0 -X homeroom/version.revision="+c.run("git", "rev-parse",
		"HEAD")+" -X homeroom/version.date=2026-11-16T08:00:00Z", "--flags")
}

func TestScript_ChangedFile_IsSaidInBoth(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.commit()
	c.run("git", "tag", "v1.0.0")
	c.run("sh", "-c", "echo >>scripts/version")
	c.wants("-X homeroom/version.version=v1.0.0-dirty -X homeroom/version.revision="+c.run("git", "rev-parse",
		"HEAD")+"+changes -X homeroom/version.date=2026-11-16T08:00:00Z", "--flags")
}
