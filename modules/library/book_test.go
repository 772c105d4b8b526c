package library_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/library"
	"homeroom/testkit"
)

func titles(page api.Page[library.BookView]) string {
	var out []string
	for _, b := range page.Items {
		out = append(out, b.Title)
	}
	return strings.Join(out, ", ")
}

func TestBooksAreFoundByTitleAuthorAndISBNWhateverCaseAccentsAndDashes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.addBook(t, "Les Misérables", "Victor Hugo", "0-14-044430-0")
	d.addBook(t, "100% Maths_Fun", "Shakuntala Devi", "")
	teacher := d.As(t, api.Teacher)
	for words, want := range map[string]string{
		"miserables": "Les Misérables", "HUGO les": "Les Misérables", "0140444300": "Les Misérables", "0-14-044430": "Les Misérables",
		"narayan malgudi": "Malgudi Days",
		"9788185986173":   "Malgudi Days", "0%": "100% Maths_Fun", "s_f": "100% Maths_Fun", "narayan hugo": "",
		"": "100% Maths_Fun, Les Misérables, Malgudi Days",
	} {
		for client, path := range map[*testkit.Client]string{d.clerk: "/school-admin/library/book/list", teacher: "/teacher/library/search"} {
			if got := titles(testkit.Get[api.Page[library.BookView]](t, client, path+"?filters%5Bsearch%5D="+url.QueryEscape(words))); got != want {
				t.Errorf("%s %q: %s", path, words, got)
			}
		}
	}
	if got := titles(testkit.Get[api.Page[library.BookView]](t, d.clerk, "/school-admin/library/book/list?filters%5Bavailable%5D=true")); got != "Malgudi Days" {
		t.Errorf("available: %s", got)
	}
	teacher.Refuses(t, "POST", "/school-admin/library/loan/issue", lending(d.one, d.asha.ID), 403, "")
}

func TestABookAndItsCopiesAreChangedAndWhatIsInUseStays(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	book, copy := "/school-admin/library/book/"+d.book.ID.String(), "/school-admin/library/copy/"+d.one.ID.String()
	if b := testkit.Put[library.BookView](t, d.clerk, book, map[string]any{"title": "Swami and Friends", "version": 1}); b.Copies != 2 ||
		b.Author != "R. K. Narayan" {
		t.Errorf("book %+v", b)
	}
	if got := titles(testkit.Get[api.Page[library.BookView]](t, d.clerk, "/school-admin/library/book/list?filters%5Bsearch%5D=swami")); got != "Swami and Friends" {
		t.Errorf("found %q", got)
	}
	d.clerk.Refuses(t, "PUT", book, map[string]any{"title": "Stale", "version": 1}, 409, "")
	d.clerk.Refuses(t, "PUT", book, map[string]any{"isbn": "12345"}, 422, "")
	d.clerk.Refuses(t, "POST", "/school-admin/library/book/create", map[string]any{"title": "Again", "isbn": "9788185986173"}, 409,
		"DUPLICATE_ENTRY")
	d.clerk.Refuses(t, "POST", "/school-admin/library/book/create", map[string]any{"title": " ", "price": -1}, 422, "")
	d.clerk.Refuses(t, "PUT", copy, map[string]any{"accessionNumber": "l-2"}, 409, "DUPLICATE_ENTRY")
	d.clerk.Refuses(t, "DELETE", book, nil, 409, "")
	d.takeBack(t, d.issue(t, d.one, d.asha.ID))
	d.clerk.Refuses(t, "DELETE", copy, nil, 409, "")
	if a := d.clerk.Call(t, "DELETE", "/school-admin/library/copy/"+d.two.ID.String(), nil); a.Status != 204 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

const bookFile = `title,author,isbn,price,accessionNumber,barcode
Godan,Premchand,,12000,G-1,BG-1
Godan,Premchand,,12000,G-2,BG-2
Gitanjali,Tagore,978-0-333-92680-4,9000,T-1,
Malgudi Days,Narayan,9788185986173,,L-1,
Atlas,,,,,
`

func TestAFileOfBooksIsTriedThenAddedAndAddsNothingTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	send := func(query, file string) testkit.Answer {
		return d.clerk.Send(t, "POST", "/school-admin/library/book/import"+query, "text/csv", []byte(file))
	}
	var got imports.ImportResult
	sums := []imports.Sum{{Name: "copies", Value: 3}, {Name: "books", Value: 3}}
	isWanted := func() bool {
		return got.RowsRead == 5 && got.Creates == 4 && got.Unchanged == 1 && len(got.Sums) == 2 && slices.Contains(got.Sums, sums[0]) &&
			slices.Contains(got.Sums, sums[1])
	}
	send("?dryRun=true", bookFile).Read(t, &got)
	if !isWanted() || d.Count(t, "book", "true") != 1 {
		t.Errorf("dry run %+v", got)
	}
	send("", bookFile).Read(t, &got)
	if !isWanted() || d.Count(t, "book", "true") != 4 || d.Count(t, "book_copy", "true") != 5 {
		t.Errorf("import %+v", got)
	}
	send("", bookFile).Read(t, &got)
	if got.Creates != 0 || got.Unchanged != 5 || d.Count(t, "book_copy", "true") != 5 {
		t.Errorf("again %+v", got)
	}
	if found := titles(testkit.Get[api.Page[library.BookView]](t, d.clerk, "/school-admin/library/book/list?filters%5Bsearch%5D=premchand")); found != "Godan" {
		t.Errorf("found %q", found)
	}
	bad := send("", "title,isbn,accessionNumber,price\n,,Q-1,\nOne,12,Q-2,\nTwo,,Q-3,x\n")
	if bad.Status != 422 || len(bad.Failure(t).Details) < 2 {
		t.Errorf("%d %s", bad.Status, bad.Body)
	}
	if taken := send("", "title,accessionNumber\nOther,G-1\nOther,Q-1\nOther,q-1\n"); taken.Status != 422 || d.Count(t, "book", "true") != 4 {
		t.Errorf("%d %s", taken.Status, taken.Body)
	}
}
