// Command imports checks who may import whom, that only tenancy opens a database, that no statement is changed by
// replacing some of its text, that a module begins in its routes.go, and that what one system's file has, the others' have. The
// rules are the tables; `make lint` runs it. It looks at what is compiled into the product: a test may lean on anything.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

const module = "homeroom"

// rule says what packages may not import. A pattern is a package, or with "/..." everything under it too; without a dot in
// its first element it is one of ours.
type rule struct {
	packages []string
	except   []string // packages the rule does not hold for
	refused  []string
	allowed  []string // exceptions among the refused
	inner    bool     // holds for a package's own inner parts too
	why      string
}

var rules = []rule{
	{
		packages: []string{"modules/..."},
		refused:  []string{"homeroom/..."},
		allowed: []string{"api", "events", "notice", "tenancy/...", // of tenancy's wings, see below
			"sheet", "imports", "paper", "modules/roster", "modules/roster/lookup"},
		why: "a module knows the kernel, the facts, notices, its database, the roster, CSV files and PDFs; it tells others by an event " +
			"and asks through an interface wired in cmd",
	},
	{
		packages: []string{"modules/roster/..."},
		refused:  []string{"modules/..."},
		why: "every module may import the roster of people and classes, so that it imports none: importing, timetable and year " +
			"come after it",
	},
	{
		packages: []string{"sheet/..."},
		refused:  []string{"homeroom/..."},
		allowed:  []string{"api"},
		why:      "it reads and writes CSV files of anything: of ours it needs refusals, dates, phones and folded text",
	},
	{
		packages: []string{"imports/..."},
		refused:  []string{"homeroom/..."},
		allowed:  []string{"api", "events", "sheet", "tenancy"},
		why:      "it is the frame of imports of any kind: what rows mean and what they write is the module's that declares the kind",
	},
	{
		packages: []string{"paper/..."},
		refused:  []string{"homeroom/..."},
		why:      "it draws PDFs: what they say, and whose letterhead they have, is given to it",
	},
	{
		packages: []string{"modules/..."},
		refused:  []string{"net/http", "github.com/gin-gonic/...", "github.com/casbin/...", "github.com/redis/..."},
		why:      "a handler is func(api.Ctx, Req) (Resp, error): transport, permissions and Redis are the kernel's",
	},
	{
		packages: []string{"modules/transport/live/..."},
		refused:  []string{"homeroom/..."},
		allowed:  []string{"api", "tenancy", "modules/transport/live/..."},
		inner:    true,
		why:      "tracking knows no bus, route or rider: transport imports it, and cmd gives it what it reads and writes of trips",
	},
	{
		packages: []string{"modules/fee/ledger/...", "modules/fee/charging/..."},
		refused:  []string{"modules/fee/..."},
		allowed:  []string{"modules/fee/ledger"},
		inner:    true,
		why:      "fees point down: receipts and reports know what was charged, both know the ledger, and the ledger knows neither",
	},
	{
		packages: []string{"events/...", "migrations/..."},
		refused:  []string{"homeroom/..."},
		allowed:  []string{"events/...", "migrations/...", "breaker"},
		why:      "everybody leans on these, so that they lean on nobody",
	},
	{
		packages: []string{"realtime/..."},
		refused:  []string{"homeroom/..."},
		allowed:  []string{"realtime/...", "events", "auth", "breaker"},
		why:      "realtime hears facts and checks tokens, and knows no module",
	},
	{
		packages: []string{"realtime/socketio/..."},
		refused:  []string{"homeroom/..."},
		allowed:  []string{"realtime/socketio/..."},
		why:      "the protocol knows nothing of schools",
	},
	{
		packages: []string{"auth/..."},
		except:   []string{"auth", "auth/tests"},
		refused:  []string{"auth", "modules/...", "cmd/...", "rbac/...", "realtime/..."},
		inner:    true,
		why:      "a part of signing in knows nothing of the endpoints: auth puts the parts together",
	},
	{
		packages: []string{"api"},
		refused:  []string{"github.com/redis/..."},
		why:      "counters are behind api.Limiter",
	},
	{
		packages: []string{"api/..."},
		refused:  []string{"auth/...", "rbac/...", "modules/...", "realtime/...", "notice/..."},
		why:      "the kernel asks for identity and permission through small interfaces of its own; of tenancy it uses the types",
	},
	{
		packages: []string{"notice/..."},
		refused:  []string{"homeroom/..."},
		allowed:  []string{"api", "events", "tenancy"},
		why:      "a notice is written with its change, through the kernel's transaction; who sends it further hears of it by a fact",
	},
	{
		packages: []string{"homeroom/..."},
		except: []string{
			"tenancy/move", "cmd/...", "archive", "modules/school", "modules/node", "modules/platform",
			"testkit/...", "fleet/...",
		},
		refused: []string{"tenancy/lifecycle/...", "tenancy/move/..."},
		inner:   true,
		why: "a request needs the bound database and nothing of how schools are made, migrated and moved; that is for operators, archives " +
			"and cmd, and tenancy itself does not know of it",
	},
	{
		packages: []string{"tenancy/move/..."},
		refused:  []string{"homeroom/..."},
		allowed:  []string{"tenancy/...", "migrations/..."},
		why:      "a move is made of tenancy and lifecycle alone",
	},
	{
		packages: []string{"tenancy", "tenancy/lifecycle/...", "tenancy/internal/..."},
		refused:  []string{"homeroom/..."},
		allowed:  []string{"tenancy", "tenancy/internal/...", "migrations/..."},
		inner:    true,
		why: "everything stands on tenancy: it knows the migrations and nothing else of ours, and its imports point from move to " +
			"lifecycle to tenancy",
	},
	{
		packages: []string{"homeroom/..."},
		except:   []string{"cmd/..."},
		refused:  []string{"api/openapi/..."},
		inner:    true,
		why:      "the document is written from the rows: what it documents does not know of it, and cmd mounts it",
	},
	{
		packages: []string{"homeroom/..."},
		except:   []string{"cmd/..."},
		refused:  []string{"api/limit/..."},
		inner:    true,
		why:      "the kernel counts calls through api.Limiter and knows no Redis; cmd gives it the limits",
	},
	{
		packages: []string{"homeroom/..."},
		except:   []string{"cmd/...", "config/...", "testkit/...", "fleet/..."}, // the last two run the whole program
		refused:  []string{"config/..."},
		why:      "configuration is read once, in cmd; packages receive values",
	},
	{
		packages: []string{"homeroom/..."},
		except:   []string{"testkit/...", "fleet/..."},
		refused:  []string{"testkit/...", "fleet/..."},
		why:      "testkit and fleet are for tests",
	},
	{
		packages: []string{"homeroom/..."},
		except:   []string{"cmd/...", "testkit/...", "fleet/..."},
		refused:  []string{"localstack"},
		why:      "private servers are started by the local profile and by tests, never by the product itself",
	},
	{
		packages: []string{"homeroom/..."},
		refused:  []string{"github.com/hashicorp/golang-lru/v2/expirable"},
		why: "it reads the machine's clock: what is remembered for a while follows the instance's (golang-lru/v2 and a time until which " +
			"an entry is believed)",
	},
}

func main() {
	packages, err := list()
	if err != nil {
		fmt.Fprintln(os.Stderr, "imports:", err)
		os.Exit(1)
	}
	broken := check(rules, packages)
	opened, err := openings(packages)
	if err != nil {
		fmt.Fprintln(os.Stderr, "imports:", err)
		os.Exit(1)
	}
	replaced, err := replacements(packages)
	if err != nil {
		fmt.Fprintln(os.Stderr, "imports:", err)
		os.Exit(1)
	}
	shapes, err := moduleShapes(packages)
	if err != nil {
		fmt.Fprintln(os.Stderr, "imports:", err)
		os.Exit(1)
	}
	pairs, err := systemPairs(packages)
	if err != nil {
		fmt.Fprintln(os.Stderr, "imports:", err)
		os.Exit(1)
	}
	broken = slices.Concat(broken, opened, replaced, shapes, pairs, compiledTwice(packages))
	for _, line := range broken {
		fmt.Println(line)
	}
	if len(broken) > 0 {
		os.Exit(1)
	}
}

type goPackage struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string

	TestGoFiles  []string // tests in the package itself
	XTestImports []string // of tests beside it
}

func list() ([]goPackage, error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,GoFiles,Imports,TestGoFiles,XTestImports", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var packages []goPackage
	for decoder := json.NewDecoder(out); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, cmd.Wait()
		} else if err != nil {
			return nil, errors.Join(err, cmd.Wait())
		}
		packages = append(packages, p)
	}
}

// check returns a line for every import that breaks a rule.
func check(rules []rule, packages []goPackage) []string {
	var broken []string
	for _, p := range packages {
		for _, r := range rules {
			if !matches(r.packages, p.ImportPath) || matches(r.except, p.ImportPath) {
				continue
			}
			for _, imported := range p.Imports {
				if imported == p.ImportPath || within(p.ImportPath, imported) && !r.inner {
					continue // a package's own inner parts
				}
				if matches(r.refused, imported) && !matches(r.allowed, imported) {
					broken = append(broken, fmt.Sprintf("%s must not import %s: %s", p.ImportPath, imported, r.why))
				}
			}
		}
	}
	return broken
}

// compiledTwice returns a line for every package with both kinds of tests. For tests in a package Go compiles it once more, and for
// tests beside it that import testkit everything between the two as well: a minute of the processor for the kernel.
func compiledTwice(packages []goPackage) []string {
	var broken []string
	for _, p := range packages {
		if matches([]string{"cmd/..."}, p.ImportPath) {
			continue // nothing but testkit imports it
		}
		if len(p.TestGoFiles) > 0 && slices.Contains(p.XTestImports, module+"/testkit") {
			broken = append(broken,
				fmt.Sprintf("%s has tests in the package (%s) and tests that use testkit: move the latter to its folder tests, else it and all that "+
					"imports it are compiled twice",
					p.ImportPath, p.TestGoFiles[0]))
		}
	}
	return broken
}

// within is true for parts of the same functional module, for example modules/fee and modules/fee/ledger.
// A part that may not import another has a rule of its own.
func within(a, b string) bool {
	return strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/") || moduleOf(a) != "" && moduleOf(a) == moduleOf(b)
}

// moduleOf is the functional module that a package is a part of, if it is one.
func moduleOf(path string) string {
	rest, ok := strings.CutPrefix(path, module+"/modules/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

func matches(patterns []string, path string) bool {
	for _, pattern := range patterns {
		base, tree := strings.CutSuffix(pattern, "/...")
		if first, _, _ := strings.Cut(base, "/"); !strings.Contains(first, ".") && first != module && base != "net/http" {
			base = module + "/" + base
		}
		if path == base || tree && strings.HasPrefix(path, base+"/") {
			return true
		}
	}
	return false
}
