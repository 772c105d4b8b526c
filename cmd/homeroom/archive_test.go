package main

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"homeroom/testkit"
)

func TestASchoolIsExportedAndImportedOnTheCommandLine(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	env := production(t, "HOMEROOM_FILES=file://"+filepath.Join(dir, "files"))
	const password = "chalk-and-blackboard"
	id := find(t, mustRun(t, env, password+"\n", "school", "create", "hill-top", "Hill Top", "--admin-email", "head@hill-top.example"),
		`School hill-top is ready: (\S+)`)
	file := filepath.Join(dir, "hill-top.tar.gz")
	if said := mustRun(t, env, "", "school", "export", id, file); !strings.Contains(said, "written") {
		t.Errorf("it says %q", said)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is for others to read: %v, %v", info.Mode(), err)
	}
	if said := refuses(t, env, "", "school", "export", id, file); !strings.Contains(said, "there already") {
		t.Errorf("it says %q", said)
	}
	if said := mustRun(t, environment(), "", "school", "verify", file); !strings.Contains(said, "Hill Top (hill-top)") ||
		!strings.Contains(said, "whole") {
		t.Errorf("it says %q", said)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(dir, "damaged.tar.gz")
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 0x10
	for what, content := range map[string][]byte{"a byte of it is another": flipped, "it is cut": whole[:len(whole)-100]} {
		if err := os.WriteFile(damaged, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if said := refuses(t, env, "", "school", "import", damaged, "--code", "other"); !strings.Contains(said, "damaged at byte") {
			t.Errorf("when %s it says %q", what, said)
		}
	}
	if said := mustRun(t, env, "", "school", "verify", file); !strings.Contains(said, "sealed with a key of this installation") {
		t.Errorf("it says %q", said)
	}
	// As an earlier version wrote it, or somebody who does not know the key.
	if err := os.WriteFile(damaged, unsealed(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, verb := range [][]string{{"verify", damaged}, {"import", damaged, "--code", "other"}} {
		if said := refuses(t, env, "", append([]string{"school"}, verb...)...); !strings.Contains(said, "has no seal") {
			t.Errorf("%s says %q", verb[0], said)
		}
	}
	if n := platform[int](t, env, `select count(*) from platform.school`); n != 1 {
		t.Errorf("%d schools are listed", n)
	}
	mustRun(t, env, "", "school", "import", damaged, "--code", "unsealed", "--suspended", "--unsigned")
	if said := refuses(t, append(env, "HOMEROOM_SECRET="+strings.Repeat("another secret ", 4)), "", "school", "verify", file); !strings.Contains(said, "of another key") {
		t.Errorf("with another secret it says %q", said)
	}
	if said := refuses(t, env, "", "school", "import", file); !strings.Contains(said, "has the code hill-top") {
		t.Errorf("its own code is refused with %q", said)
	}

	// kill -9 in the middle: no school of it is there, and the next try makes one.
	halfway := start(t, env, "", "school", "import", file, "--code", "second")
	testkit.Eventually(t, "the import has begun, or is done", func() bool {
		return platform[int](t, env, `select (select count(*) from platform.spare_schema) + (select count(*) from platform.school
			where code = 'second')`) > 0
	})
	halfway.kill(t)
	if platform[int](t, env, `select count(*) from platform.school where code = 'second'`) == 0 {
		if left := platform[int](t, env, `select count(*) from platform.school`); left != 2 {
			t.Errorf("%d schools are listed", left)
		}
		mustRun(t, env, "", "school", "import", file, "--code", "second")
	}
	said := mustRun(t, env, "", "school", "import", file, "--code", "third", "--suspended", "--name", "Hill Top again")
	if !strings.Contains(said, "equal") || !strings.Contains(said, "1 people can sign in") {
		t.Errorf("it says %q", said)
	}
	if list := mustRun(t, env, "", "school", "list"); !strings.Contains(list, "third     SUSPENDED") ||
		!strings.Contains(list, "Hill Top again") {
		t.Errorf("the list is\n%s", list)
	}

	// The original is shut for good: what is restored then is signed in to by e-mail.
	for _, verb := range []string{"suspend", "archive"} {
		mustRun(t, env, "", "school", verb, id)
	}
	last := find(t, mustRun(t, env, "", "school", "import", file, "--code", "last"), `School last is ready: (\S+)`)
	p, address, _ := startServe(t, env)
	admin := signIn(t, address, "head@hill-top.example", password)
	wants(t, 200, "GET", address+"/school-admin/class/list", admin, nil)
	p.stop(t, syscall.SIGTERM)
	if booked := platform[int](t, env, `select count(*) from platform.audit_event where school_id = $1 and action = 'import'`, last); booked != 1 {
		t.Errorf("the import is %d times in the books", booked)
	}
}

// unsealed is an archive with the end mark of versions before there was a seal: the checksum alone.
func unsealed(file []byte) []byte {
	const endMark = 12 + 2*36 + 13
	out := bytes.Clone(file[:len(file)-endMark])
	sum := sha256.Sum256(out)
	out = append(out, 0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 36, 0, 'H', 'R', 32, 0)
	out = append(out, sum[:]...)
	return append(out, 1, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
}
