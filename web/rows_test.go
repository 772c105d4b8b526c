package web_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeroom/testkit"
)

// noPage are the rows of the office that the console does not call, and why.
var noPage = map[string]string{
	"DELETE /school-admin/file/:id":                        "files that nothing refers to are swept by themselves",
	"GET /school-admin/division/:id":                       "the list of divisions has all of it",
	"GET /school-admin/fee/opening-balance/:id":            "the list of opening balances has all of it",
	"GET /school-admin/library/copy/:id":                   "a book has its copies",
	"PUT /school-admin/notification/setting":               "Settings writes the same fields",
	"GET /school-admin/permission/role/:id":                "the list of roles has all of it",
	"POST /school-admin/notification/token":                "for push on phones; browsers have none",
	"POST /school-admin/integration/webhook/delivery/list": "the page of a webhook asks by GET",
	"GET /school-admin/oneroster/export":                   "for other programs, which fetch it by an API key",
	"GET /school-admin/timetable/substitution/list":        "the page of a day's cover has them",
	"POST /school-admin/timetable/substitution/list":       "the page of a day's cover has them",
	"PUT /school-admin/notification/language":              "sent when it is chosen in the account menu: src/messages/own-language.ts",
}

var (
	calls      = regexp.MustCompile("(?:\\.(GET|POST|PUT|DELETE|PATCH)\\(\\s*|(queryKey:\\s*\\[|changed\\()\\s*)?[\"'`](/school-admin/[^\"'`]*)[\"'`]")
	parameters = regexp.MustCompile(`\$?\{[^}]*\}|:\w+`)
)

// calledByPages are the rows that the sources name, as "GET /school-admin/class/*". What lists,
// downloads and uploads name has no method in the sources, and stands for GET and POST.
func calledByPages(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir("src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(filepath.Ext(path), ".ts") || d.Name() == "schema.d.ts" {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range calls.FindAllStringSubmatch(string(source), -1) {
			to := " " + parameters.ReplaceAllString(m[3], "*")
			switch {
			case m[1] != "":
				found[m[1]+to] = true
			case m[2] == "":
				found["GET"+to], found["POST"+to] = true, true
			}
			if strings.HasSuffix(to, "/import") && strings.HasSuffix(path, "import/kinds.ts") { // which makes the others of it
				found["GET"+to+"/*"], found["GET"+to+"/list"], found["POST"+to+"/list"], found["POST"+to+"/*/undo"] = true, true, true, true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestRows_OfTheOffice_HaveAPage(t *testing.T) {
	t.Parallel()
	called, known := calledByPages(t), map[string]bool{}
	for _, r := range testkit.Shared(t).Service.Kernel.Rows {
		if !strings.HasPrefix(r.Path, "/school-admin/") {
			continue
		}
		row := r.Method + " " + r.Path
		known[row] = true
		to := parameters.ReplaceAllString(row, "*")
		switch why := noPage[row]; {
		case why == "" && !called[to]:
			t.Errorf("no page calls %s (%s): give it one, or say in noPage why it needs none", row, r.Summary)
		case why != "" && called[to]:
			t.Errorf("a page calls %s, which noPage says needs none (%s)", row, why)
		}
	}
	for row := range noPage {
		if !known[row] {
			t.Errorf("noPage has %s, which is no row", row)
		}
	}
}

// noAppPage are the rows of parents, teachers and drivers that the people's app does not call, and why; a star is one part of a path.
var noAppPage = map[string]string{
	"/*/user-auth/*":                             "the app signs in, and sets a PIN, at /auth",
	"/*/notification/token":                      "for push of native apps; a browser subscribes to web push",
	"/driver/bus/mine":                           "the trips name their bus",
	"/driver/student/board-many":                 "the phone's queue sends taps one by one, in order",
	"/driver/student/list":                       "a trip has its riders",
	"/parent/attendance/summary":                 "the months have their totals",
	"/parent/exam/list":                          "the schedule of a child has the exams",
	"/parent/student/get-students":               "the list of children by its other name",
	"/parent/student/:id":                        "the list of children has all of it",
	"/teacher/result/update":                     "a mark that is entered again is corrected",
	"/teacher/subject/list":                      "papers and lessons name their subjects",
	"/teacher/timetable/lesson/:slotId/students": "the register of a lesson has them",
}

var (
	appRow  = regexp.MustCompile(`^/(parent|teacher|driver)/`)
	appPath = regexp.MustCompile("[\"'`](/(?:parent|teacher|driver|\\$\\{[^}]*\\})/[^\"'`?]*)")
)

// pathsOfApp are the paths that the app's sources name, with a star for each value.
func pathsOfApp(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, folder := range []string{"src/app", "src/api", "src/messages"} {
		err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.Contains(filepath.Ext(file), ".ts") || d.Name() == "schema.d.ts" {
				return err
			}
			source, err := os.ReadFile(file)
			for _, m := range appPath.FindAllStringSubmatch(string(source), -1) {
				found = append(found, parameters.ReplaceAllString(m[1], "*"))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func TestRows_OfPeople_HaveAPageOfTheApp(t *testing.T) {
	t.Parallel()
	named, used := pathsOfApp(t), map[string]bool{}
	for _, r := range testkit.Shared(t).Service.Kernel.Rows {
		if !appRow.MatchString(r.Path) {
			continue
		}
		fits := func(pattern, to string) bool {
			is, err := path.Match(pattern, to)
			return is && err == nil
		}
		isNamed := slices.ContainsFunc(named, func(one string) bool { return fits(one, parameters.ReplaceAllString(r.Path, "*")) })
		why := ""
		for pattern := range noAppPage {
			if fits(pattern, r.Path) {
				why, used[pattern] = noAppPage[pattern], true
			}
		}
		switch {
		case why == "" && !isNamed:
			t.Errorf("no page of the app calls %s %s (%s): give it one, or say in noAppPage why it needs none", r.Method, r.Path, r.Summary)
		case why != "" && isNamed:
			t.Errorf("a page of the app calls %s, which noAppPage says needs none (%s)", r.Path, why)
		}
	}
	for pattern := range noAppPage {
		if !used[pattern] {
			t.Errorf("noAppPage has %s, which is no row", pattern)
		}
	}
}

// cutLists are pages that read one page of a list, and why none of it is missed.
var cutLists = map[string]string{
	"src/app/driver/today.tsx":       "the trips of one driver on one day",
	"src/app/teacher/leave.tsx":      "there are three leave types",
	"src/pages/exams/marks.tsx":      "more than sit in one division",
	"src/pages/school/webhooks.tsx":  "it says how many there are",
	"src/pages/dashboard/setup.tsx":  "asks how many there are",
	"src/pages/transport/routes.tsx": "asks whether there is one",
}

var onePage = regexp.MustCompile(`(?s)\{[^{}]*\blimit: \d+[^{}]*\}`)

// TestLists_OfPages_AreNotCutSilently reads the sources: who names a limit names the page too, or reads all with fetchAll.
func TestLists_OfPages_AreNotCutSilently(t *testing.T) {
	t.Parallel()
	cut := map[string]bool{}
	for _, folder := range []string{"src/app", "src/pages"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.Contains(filepath.Ext(path), ".ts") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, query := range onePage.FindAllString(string(source), -1) {
				if !regexp.MustCompile(`\bpage\b(: [^1]|,|\s)`).MatchString(query) && !strings.Contains(query, "search") {
					cut[path] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for path := range cut {
		if cutLists[path] == "" {
			t.Errorf("%s reads one page of a list: use fetchAll or fetchWhole, or ask for more (Further)", path)
		}
	}
	for path := range cutLists {
		if !cut[path] {
			t.Errorf("cutLists has %s, which reads no single page", path)
		}
	}
}

// ownKeys are ways around src/api/keys.ts, which gives every post its key and keeps it while the answer is not known.
var ownKeys = map[string]*regexp.Regexp{
	"makes a key for every try":       regexp.MustCompile(`Idempotency-Key['"]?\s*:\s*crypto`),
	"posts without src/api/client.ts": regexp.MustCompile(`method:\s*['"]POST['"]|new XMLHttpRequest|sendBeacon\(`),
}

// TestPosts_OfPages_LeaveTheirKeyToTheClient reads the sources; the stories see that no post goes out without one.
func TestPosts_OfPages_LeaveTheirKeyToTheClient(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(filepath.Ext(path), ".ts") || filepath.Dir(path) == filepath.Join("src", "api") {
			return err
		}
		source, err := os.ReadFile(path)
		for what, way := range ownKeys {
			if found := way.Find(source); found != nil {
				t.Errorf("%s %s: %s", path, what, found)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

var (
	pageOf  = regexp.MustCompile(`'(/[^']*)': page\(\(\) => import\('\./([^']+)'\)`)
	leadsTo = regexp.MustCompile(`(?:navigate|go)\(\{\s*to: '(/[^']*)'`)
)

// TestPages_ThatAnActLeadsTo_AreLoadedBefore: on a slow line a form would stand there after its success, as if nothing had happened.
func TestPages_ThatAnActLeadsTo_AreLoadedBefore(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("src/office-pages.ts")
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{} // path to source
	for _, m := range pageOf.FindAllStringSubmatch(string(table), -1) {
		pages[m[1]] = filepath.Join("src", m[2]+".tsx")
	}
	if len(pages) < 40 {
		t.Fatalf("%d pages were found", len(pages))
	}
	err = filepath.WalkDir("src/pages", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".tsx" {
			return err
		}
		source, err := os.ReadFile(path)
		text := string(source)
		if !strings.Contains(text, "onSuccess") && !strings.Contains(text, "onSaved") {
			return err
		}
		for _, m := range leadsTo.FindAllStringSubmatch(text, -1) {
			if to := m[1]; pages[to] != "" && pages[to] != path && !strings.Contains(text, "useNextPage('"+to+"')") {
				t.Errorf("%s leads to %s: call useNextPage('%[2]s')", path, to)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
