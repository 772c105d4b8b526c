//go:build unix

package localstack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// account is the user the servers run as: ourselves, unless we are root, whom Postgres refuses.
type account struct {
	name     string
	uid, gid uint32
	dropped  bool // we are root and the servers are not
}

// serverAccount decides who runs the servers of a data folder.
func serverAccount(dir string) (account, error) {
	if uid := os.Geteuid(); uid != 0 {
		return account{name: strconv.Itoa(uid), uid: uint32(uid), gid: uint32(os.Getegid())}, nil
	}
	for _, name := range []string{dataOwner(dir), dataOwner(standIn(dir)), os.Getenv("SUDO_USER"), "postgres", "nobody"} {
		if name == "" {
			continue
		}
		u, err := user.Lookup(name) // initdb wants a name in passwd, not just a number
		if err != nil || u.Uid == "0" {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return account{}, err
		}
		return account{name, uint32(uid), uint32(gid), true}, nil
	}
	return account{}, errors.New("no user to run the servers as, since Postgres refuses root: tried SUDO_USER, postgres and nobody")
}

// dataOwner is the user whose servers made the data that is already there: only that one can use it again.
func dataOwner(dir string) string {
	folders, _ := filepath.Glob(filepath.Join(dir, "*", "data"))
	for _, folder := range folders {
		if info, err := os.Lstat(folder); err == nil {
			if u, err := user.LookupId(strconv.Itoa(int(info.Sys().(*syscall.Stat_t).Uid))); err == nil && u.Uid != "0" {
				return u.Username
			}
		}
	}
	return ""
}

// credential is what a child process needs to become this user; nil leaves it as it is.
func (a account) credential() *syscall.Credential {
	if !a.dropped {
		return nil
	}
	return &syscall.Credential{Uid: a.uid, Gid: a.gid}
}

// folder makes the data folder and returns where it is. A dropped user cannot reach a checkout under /root or in another
// closed place, so that its data goes to /var/tmp instead: not /tmp, which a reboot may empty.
func (a account) folder(dir string) (string, error) {
	if err := os.MkdirAll(dir, a.outerMode()); err != nil {
		return "", fmt.Errorf("make the data folder: %w", err)
	}
	if a.reaches(dir) {
		return dir, nil
	}
	instead := standIn(dir)
	if err := os.Mkdir(instead, a.outerMode()); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	if err := ownFolder(instead); err != nil {
		return "", err
	}
	if !a.reaches(instead) {
		return "", fmt.Errorf("the user %s, who has to run the servers, can reach neither %s nor %s", a.name, dir, instead)
	}
	return instead, nil
}

// ownFolder refuses what somebody else has put in our place: anybody may make folders, and links too, in /var/tmp.
func ownFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
		return fmt.Errorf("%s is not a folder of ours; remove it, or choose another data folder", dir)
	}
	return nil
}

// outerMode: the folders around the data belong to us and must let the dropped user through, but never write.
func (a account) outerMode() fs.FileMode {
	if a.dropped {
		return 0o755
	}
	return 0o700
}

func standIn(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join("/var/tmp", "homeroom-"+hex.EncodeToString(sum[:6]))
}

// reaches tries it, since mode bits along the way are not the whole truth.
func (a account) reaches(dir string) bool {
	if !a.dropped {
		return true
	}
	cmd := exec.Command("/bin/sh", "-c", `cd "$1"`, "sh", dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential()}
	return cmd.Run() == nil
}

// own gives the dropped user a folder of its own inside one that is ours.
func (a account) own(folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), a.outerMode()); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return a.give(folder)
}

// write makes a file only the servers' user (and root) can read. The folder must not be the dropped user's own, who could
// lead us elsewhere with a link.
func (a account) write(path, text string) error {
	next := path + ".new"
	_ = os.Remove(next)
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		return err
	}
	if err := a.give(next); err != nil {
		return err
	}
	return os.Rename(next, path)
}

func (a account) give(path string) error {
	if !a.dropped {
		return nil
	}
	return os.Lchown(path, int(a.uid), int(a.gid))
}

// output runs a program as the servers' user and returns what it says.
func (a account) output(program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = "/"
	cmd.Env = a.env()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: a.credential()} // Ctrl-C must not cut initdb in half
	text, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(text)), err
}

// env is all that the servers see of our environment: a stray PGDATA or LC_ALL must not steer them. On macOS Postgres
// refuses to start without a locale.
func (a account) env() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "HOME=/", "USER=" + a.name, "LOGNAME=" + a.name}
}
