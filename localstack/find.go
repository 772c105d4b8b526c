//go:build unix

package localstack

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const oldestPostgres = 15 // publications of a whole schema, by which a school moves, came with it

// Where packages put Postgres when they do not put it on PATH.
var postgresFolders = []string{
	"/usr/lib/postgresql/*/bin", // Debian, Ubuntu
	"/usr/pgsql-*/bin",          // the PostgreSQL project's own RPMs
	"/usr/libexec/postgresql*",  // Alpine
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin", // Homebrew on Intel
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

var (
	redisNames      = []string{"redis-server", "valkey-server"}
	redisFolders    = []string{"/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"}
	sbinFolders     = []string{"/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"} // sbin: not on everybody's PATH
	postgresVersion = regexp.MustCompile(`\(PostgreSQL\) (\d+)(\S*)`)
	redisVersion    = regexp.MustCompile(`v=(\d+)\.(\d+)`)
)

// postgresPrograms are the two programs of one installation.
type postgresPrograms struct {
	postgres, initdb string
	major            int
	version          string
}

func (p postgresPrograms) String() string {
	return fmt.Sprintf("Postgres %s of %s", p.version, filepath.Dir(p.postgres))
}

// findPostgres returns the newest usable installation, or the one whose version made the data that is already there. If
// there is none, tried says what was looked at and what was wrong with it.
func findPostgres(a account, data string) (best *postgresPrograms, tried []string) {
	made := madeBy(data)
	consider := func(folder string) {
		p, err := a.probePostgres(folder)
		switch {
		case err != nil:
			tried = append(tried, fmt.Sprintf("%s: %v", folder, err))
		case p.major < oldestPostgres:
			tried = append(tried, fmt.Sprintf("%s: version %s, but %d or newer is needed", folder, p.version, oldestPostgres))
		case made != 0 && p.major != made:
			tried = append(tried, fmt.Sprintf("%s: version %s, but the data in %s was made by Postgres %d; remove that folder to start afresh",
				folder, p.version, data, made))
		case best == nil || p.major > best.major:
			best = p
		}
	}
	if path, err := exec.LookPath("postgres"); err != nil {
		tried = append(tried, "postgres on PATH: nothing")
	} else if real, err := filepath.EvalSymlinks(path); err != nil {
		tried = append(tried, fmt.Sprintf("%s: %v", path, err))
	} else {
		consider(filepath.Dir(real)) // initdb lies beside the program, not beside a link to it
	}
	for _, pattern := range postgresFolders {
		folders, _ := filepath.Glob(pattern)
		if len(folders) == 0 {
			tried = append(tried, pattern+": nothing")
		}
		for _, folder := range folders {
			consider(folder)
		}
	}
	return best, tried
}

func madeBy(data string) int {
	text, _ := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	major, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return major
}

// probePostgres runs the programs as the user who will run them, which a file under /root would not survive.
func (a account) probePostgres(folder string) (*postgresPrograms, error) {
	p := &postgresPrograms{postgres: filepath.Join(folder, "postgres"), initdb: filepath.Join(folder, "initdb")}
	for _, program := range []string{p.initdb, p.postgres} {
		said, err := a.output(program, "--version")
		if err != nil {
			return nil, fmt.Errorf("%s does not run as %s: %w", filepath.Base(program), a.name, err)
		}
		m := postgresVersion.FindStringSubmatch(said)
		if m == nil {
			return nil, fmt.Errorf("%s calls itself %q", filepath.Base(program), said)
		}
		p.major, _ = strconv.Atoi(m[1])
		p.version = m[1] + m[2]
	}
	return p, nil
}

// findRedis returns a Redis (or Valkey) of 6.2 or newer.
func findRedis(a account) (program string, tried []string) {
	for _, name := range redisNames {
		path := lookIn(name, redisFolders)
		if path == "" {
			tried = append(tried, fmt.Sprintf("%s on PATH and in %s: nothing", name, strings.Join(redisFolders, ", ")))
			continue
		}
		said, err := a.output(path, "--version")
		m := redisVersion.FindStringSubmatch(said)
		if err != nil || m == nil {
			tried = append(tried, fmt.Sprintf("%s does not run as %s: %v %s", path, a.name, err, said))
			continue
		}
		major, _ := strconv.Atoi(m[1])
		minor, _ := strconv.Atoi(m[2])
		if major < 6 || major == 6 && minor < 2 {
			tried = append(tried, fmt.Sprintf("%s: version %d.%d, but 6.2 or newer is needed", path, major, minor))
			continue
		}
		return path, nil
	}
	return "", tried
}

func lookIn(name string, folders []string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, folder := range folders {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path
		}
	}
	return ""
}
