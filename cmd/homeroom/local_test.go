package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// startLocal runs `homeroom local` and returns it with the address it prints; settings that begin with -- are its flags.
func startLocal(t *testing.T, settings ...string) (*program, string) {
	t.Helper()
	args := []string{"local"}
	settings = slices.DeleteFunc(settings, func(s string) bool {
		if strings.HasPrefix(s, "--") {
			args = append(args, s)
			return true
		}
		return false
	})
	p := start(t, environment(settings...), "", args...)
	p.until(t, "that it runs", &p.stdout, func(text string) string {
		if strings.Contains(text, "Ctrl-C stops everything") {
			return text
		}
		return ""
	})
	return p, find(t, p.stdout.String(), `Console\s+(http://127\.0\.0\.1:\d+)/console/`)
}

func find(t *testing.T, text, expression string) string {
	t.Helper()
	found := regexp.MustCompile(expression).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no %s in:\n%s", expression, text)
	}
	return found[1]
}

// stopServers ends what a test that failed or killed its program has left in a folder.
func stopServers(t *testing.T, data string) {
	t.Cleanup(func() {
		for pid := range servers(t, data) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
}

// servers are the processes that run on a data folder.
func servers(t *testing.T, data string) map[int]string {
	t.Helper()
	found := map[int]string{}
	for pid, line := range commandLines(t) {
		if strings.Contains(line, data+"/") {
			found[pid] = line
		}
	}
	return found
}

// commandLines are those of all processes; a bare Linux has no ps, and others no /proc.
func commandLines(t *testing.T) map[int]string {
	t.Helper()
	lines := map[int]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		pid, _ := strconv.Atoi(strings.Split(file, "/")[2])
		if text, err := os.ReadFile(file); err == nil {
			lines[pid] = string(bytes.ReplaceAll(text, []byte{0}, []byte(" ")))
		}
	}
	if len(files) > 0 {
		return lines
	}
	listing, err := exec.Command("ps", "-A", "-ww", "-o", "pid=,args=").Output()
	if err != nil {
		t.Fatalf("listing processes: %v", err)
	}
	for line := range strings.Lines(string(listing)) {
		number, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		if pid, err := strconv.Atoi(number); err == nil {
			lines[pid] = args
		}
	}
	return lines
}

// late is what a server says of another that takes its time.
var late = regexp.MustCompile(`does not answer|no answer within|error=.*(timeout|deadline exceeded)`)

func TestHomeroomLocalGivesANewcomerAllTheyNeedAndKeepsIt(t *testing.T) {
	t.Parallel()
	data := filepath.Join(folder(t), "data")
	stopServers(t, data)
	port := freePort(t)
	p, address := startLocal(t, "HOMEROOM_DATA="+data, "PORT="+port)
	if address != "http://127.0.0.1:"+port {
		t.Errorf("PORT is %s, but it listens on %s", port, address)
	}
	said := p.stdout.String()
	if docs := find(t, said, `API docs\s+(\S+)`); !bytes.Contains(wants(t, 200, "GET", docs, "", nil), []byte("reference.js")) {
		t.Errorf("%s is no API documentation", docs)
	}
	wants(t, 200, "GET", find(t, said, `Console\s+(\S+)`), "", nil)
	wants(t, 200, "GET", find(t, said, `Messages\s+(\S+)`), "", nil)
	wants(t, 200, "GET", address+"/readyz", "", nil)
	first := string(wants(t, 200, "GET", find(t, said, `Start here\s+(\S+)`), "", nil))
	for _, word := range []string{`href="/console/"`, `href="/app/"`, `href="/api-docs"`, `href="/dev/outbox"`, "admin@green-valley.local",
		"accounts@green-valley.local", "+919800000702", "4826", "Baraka Academy", "Mark a register", "Collect a fee", "Watch the bus",
		"Onboard a school", "Call the API"} {
		if !strings.Contains(first, word) && !strings.Contains(first, strings.ReplaceAll(word, "+", "&#43;")) {
			t.Errorf("the page at / does not have %s", word)
		}
	}

	super := signIn(t, address, find(t, said, `Super-admin\s+(\S+)`), find(t, said, `Super-admin\s+\S+\s+password (\S+)`))
	if schools := names(t, address, super, "/super-admin/school/list"); !slices.Contains(schools, "Green Valley") {
		t.Errorf("the super-admin sees the schools %v", schools)
	}
	admin := signIn(t, address, find(t, said, `School admin\s+(\S+)`), find(t, said, `School admin\s+\S+\s+password (\S+)`))
	if years := names(t, address, admin, "/school-admin/academic-year/list?filters[active]=true"); len(years) != 1 {
		t.Errorf("the demo school has the active years %v", years)
	}
	wants(t, 201, "POST", address+"/school-admin/class/create", admin, map[string]any{"data": map[string]any{"name": "Class 11", "level": 11}})

	if len(servers(t, data)) == 0 {
		t.Fatal("its servers are not found, so that nothing can be said about their end")
	}
	p.stop(t, syscall.SIGINT)
	if left := servers(t, data); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	log := p.stderr.String()
	wasLate := late.MatchString(log)
	for line := range strings.Lines(log) {
		// On a machine that is busy with other tests; what Redis did not hand on in time is repaired by a sweep.
		slow := late.MatchString(line) || wasLate && strings.Contains(line, "were repaired")
		if strings.Contains(line, `{"`) || strings.Contains(line, "River") || strings.Contains(line, "level=WARN") && !slow {
			t.Errorf("its log is not for people, or complains: %s", line)
		}
	}

	// The second start finds everything, and the password it prints is the one that counts.
	p, address = startLocal(t, "HOMEROOM_DATA="+data, "PORT=0", "HOMEROOM_LOCAL_PASSWORD=another-of-my-own")
	admin = signIn(t, address, "admin@green-valley.local", "another-of-my-own")
	signIn(t, address, "super@homeroom.local", "another-of-my-own")
	if classes := names(t, address, admin, "/school-admin/class/list?limit=100"); !slices.Contains(classes, "Class 11") {
		t.Errorf("after a restart the school has the classes %v", classes)
	}
	if refused := refuses(t, environment("HOMEROOM_DATA="+data, "PORT="+find(t, address, `:(\d+)$`)), "", "local"); !strings.Contains(refused, "set PORT") {
		t.Errorf("a port that is taken is refused with %q", refused)
	}
	p.stop(t, syscall.SIGTERM)
}

func TestAKilledHomeroomLocalStartsAgainWithItsData(t *testing.T) {
	t.Parallel()
	data := filepath.Join(folder(t), "data")
	stopServers(t, data)
	p, address := startLocal(t, "HOMEROOM_DATA="+data, "PORT=0")
	admin := signIn(t, address, "admin@green-valley.local", "homeroom-local-only")
	wants(t, 201, "POST", address+"/school-admin/class/create", admin, map[string]any{"data": map[string]any{"name": "Class 11", "level": 11}})
	p.kill(t)

	p, address = startLocal(t, "HOMEROOM_DATA="+data, "PORT=0")
	// Its token is still good: keys, sessions and data are all there.
	if classes := names(t, address, admin, "/school-admin/class/list?limit=100"); !slices.Contains(classes, "Class 11") {
		t.Errorf("after kill -9 the school has the classes %v", classes)
	}
	// Shutting the demo school must not keep the program from starting.
	super := signIn(t, address, "super@homeroom.local", "homeroom-local-only")
	wants(t, 200, "POST", address+"/super-admin/school/01890000-0000-7000-8000-00000000d310/suspend", super, nil)
	p.stop(t, syscall.SIGINT)
	if left := servers(t, data); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}

	p, _ = startLocal(t, "HOMEROOM_DATA="+data, "PORT=0")
	if said := p.stdout.String(); !strings.Contains(said, "cannot sign in: Green Valley is SUSPENDED") {
		t.Errorf("it does not say that the demo school is shut:\n%s", said)
	}
	p.stop(t, syscall.SIGINT)
}

func TestHomeroomLocalStartsNoServersWhereItIsGivenSome(t *testing.T) {
	t.Parallel()
	data := filepath.Join(folder(t), "data")
	var given []string
	for _, setting := range production(t) {
		for _, name := range []string{"DATABASE_URL=", "REDIS_URL=", "HOMEROOM_SHARDS="} {
			if strings.HasPrefix(setting, name) {
				given = append(given, setting)
			}
		}
	}
	p, address := startLocal(t, append(given, "HOMEROOM_DATA="+data, "PORT=0", "HOMEROOM_LIMIT_AUTH=1000-M")...)
	signIn(t, address, "admin@green-valley.local", "homeroom-local-only")
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("it made a data folder: %v", err)
	}
	if said := p.stdout.String(); strings.Contains(said, "Postgres main") || strings.Contains(said, "Redis is ready") {
		t.Errorf("it started servers:\n%s", said)
	}
	p.stop(t, syscall.SIGINT)
	if strings.Contains(p.stdout.String(), "private servers") {
		t.Error("it claims to stop servers it does not have")
	}
}

func TestLocal_Empty_HasNoSchools(t *testing.T) {
	t.Parallel()
	data := filepath.Join(folder(t), "data")
	stopServers(t, data)
	p, address := startLocal(t, "HOMEROOM_DATA="+data, "PORT=0", "--empty")
	super := signIn(t, address, "super@homeroom.local", "homeroom-local-only")
	if schools := names(t, address, super, "/super-admin/school/list"); len(schools) != 0 {
		t.Errorf("with --empty there are the schools %v", schools)
	}
	if said := p.stdout.String(); strings.Contains(said, "green-valley") {
		t.Errorf("with --empty it says\n%s", said)
	}
	first := string(wants(t, 200, "GET", address+"/", "", nil))
	for word, there := range map[string]bool{"super@homeroom.local": true, "There are no demo schools": true, "green-valley": false,
		"Five minutes": false} {
		if strings.Contains(first, word) != there {
			t.Errorf("with --empty the page at / has %q: %t, want %t", word, !there, there)
		}
	}
	p.stop(t, syscall.SIGINT)
}

func TestHomeroomLocalRefusesToListenOnANetwork(t *testing.T) {
	t.Parallel()
	if said := refuses(t, environment("HOMEROOM_BIND=0.0.0.0"), "", "local"); !strings.Contains(said, "HOMEROOM_BIND") ||
		!strings.Contains(said, "homeroom serve") {
		t.Errorf("it says %q", said)
	}
}
