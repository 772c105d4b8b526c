package web_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// filesOneByOne are the sources that send several files: each is a call of its own, and one that fails is named.
var filesOneByOne = "patterns/Files.tsx"

var (
	loops  = regexp.MustCompile(`\bfor (?:await )?\(|\bwhile \(|\.(?:map|forEach|reduce)\(async\b|Promise\.(?:all|allSettled)\(`)
	writes = regexp.MustCompile(`api\.(?:POST|PUT|PATCH|DELETE)\(|mutateAsync\(|\bupload[<(]`)
)

// loopBody is the text of a loop, from its opening bracket to the end of its statement or block.
func loopBody(text string) string {
	depth, block := 0, false
	for i, c := range text {
		switch c {
		case '(', '{', '[':
			depth++
			block = block || (depth == 1 && c == '{')
		case ')', '}', ']':
			if depth--; depth < 0 || (depth == 0 && block) {
				return text[:i]
			}
		case '\n':
			if depth == 0 && i > 0 && !strings.HasSuffix(strings.TrimSpace(text[:i]), ")") {
				return text[:i]
			}
		}
	}
	return text
}

// TestPages_NoLoopOverWrites: what an office does to many at once is one call, all or nothing.
func TestPages_NoLoopOverWrites(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, ".ts") || strings.HasSuffix(path, filesOneByOne) {
			return err
		}
		source, err := os.ReadFile(path)
		for _, at := range loops.FindAllIndex(source, -1) {
			if body := loopBody(string(source[at[0]:])); writes.MatchString(body) {
				line := 1 + strings.Count(string(source[:at[0]]), "\n")
				t.Errorf("%s:%d loops over a write: give the service all of it in one call", path, line)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPages_LoopOverWrites_IsFound(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"for (const s of students) await call(api.PUT('/x', { body: 1 }))\nnext()",
		"for (const s of students) {\n  if (s.a) {\n    b()\n  }\n  await call(api.POST('/x'))\n}\n",
		"await Promise.all(students.map((s) => call(api.DELETE('/x'))))",
		"students.map(async (s) => save.mutateAsync(s))",
	} {
		at := loops.FindStringIndex(source)
		if at == nil || !writes.MatchString(loopBody(source[at[0]:])) {
			t.Errorf("not found: %s", source)
		}
	}
}
