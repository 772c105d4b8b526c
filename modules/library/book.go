package library

import (
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
)

// Book is a title the library has.
type Book struct {
	api.Record
	BookFields
	SearchText string `json:"-"`
	MatchKey   string `json:"-"`
}

// TableName is the record's table.
func (Book) TableName() string { return "book" }

// BookFields are what a librarian says of a book.
type BookFields struct {
	Title         string `json:"title" validate:"notblank,max=300" example:"Malgudi Days"`
	Author        string `json:"author" validate:"max=200" example:"R. K. Narayan"`
	ISBN          string `json:"isbn" gorm:"column:isbn" validate:"max=20" doc:"10 or 13 digits, with or without dashes" example:"978-81-85986-17-3"`
	Publisher     string `json:"publisher" validate:"max=200"`
	PublishedYear *int   `json:"publishedYear" validate:"omitempty,min=1000,max=2999"`
	Category      string `json:"category" validate:"max=100"`
	Price         int64  `json:"price" validate:"min=0,max=1000000000000" doc:"What a lost copy costs, in minor units; 0 is unknown"`
}

// BookView is a book as clients see it.
type BookView struct {
	api.Record
	BookFields
	Copies    int `json:"copies" doc:"Without those that are lost or withdrawn"`
	Available int `json:"available" doc:"Copies on the shelf that are kept for nobody"`
	Waiting   int `json:"waiting" doc:"How many are in the queue"`
}

type bookChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[BookFields]
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

// onShelf is the condition that the copy c can be given to anybody; day is an expression
// for the school's today.
func onShelf(day string) string {
	return `c.state = 'GOOD' and not exists (select from library_loan l where l.copy_id = c.id and l.closed_on is null)
		and not exists (select from library_reservation r where r.copy_id = c.id and r.status = 'READY' and r.hold_until >= ` + day + `)`
}

var bookColumns = `book.id, book.created_at, book.updated_at, book.created_by, book.updated_by, book.version, book.title, book.author,
	book.isbn, book.publisher, book.published_year,
	book.category, book.price,
	(select count(*) from book_copy c where c.book_id = book.id and c.state = 'GOOD') as copies,
	(select count(*) from book_copy c where c.book_id = book.id and ` + onShelf("today.day") + `) as available,
	(select count(*) from library_reservation r where r.book_id = book.id and r.status = 'WAITING') as waiting`

func books(c api.Ctx) *gorm.DB {
	return c.DB.Table("book, (select ?::date as day) as today", c.Today()).Select(bookColumns)
}

var bookListing = api.Listing{
	Sorts:   map[string]string{"title": "title", "author": "author", "createdAt": "created_at"},
	Default: "title",
	Filters: map[string]api.Filter{
		"search": api.SearchWords("search_text"), "category": api.ByText("category"),
		"isbn": api.ByText("isbn").Where(`isbn <> '' and translate(upper(isbn), '- ', '') = translate(upper(@v), '- ', '')`),
		"available": api.ByBool("available").Where(`@v = exists (select from book_copy c where c.book_id = book.id and ` + onShelf("@today") +
			`)`),
	},
}

// normalize checks the ISBN and writes what the book is found by.
func (b *Book) normalize() error {
	b.Title, b.Author, b.ISBN = strings.TrimSpace(b.Title), strings.TrimSpace(b.Author), strings.TrimSpace(b.ISBN)
	if !plausible(b.ISBN) {
		return api.InvalidField("isbn", "isbn must have 10 or 13 digits")
	}
	b.SearchText, b.MatchKey = searchText(b.BookFields), matchKey(b.Title, b.Author)
	return nil
}

// searchText is what a book is found by: its ISBN with and without dashes.
func searchText(b BookFields) string {
	bare := bareISBN(b.ISBN)
	if bare == strings.ToUpper(b.ISBN) {
		bare = ""
	}
	return api.Fold(b.Title, b.Author, b.ISBN, bare)
}

func matchKey(title, author string) string { return api.Fold(title) + "\n" + api.Fold(author) }

func bareISBN(isbn string) string {
	return strings.NewReplacer("-", "", " ", "").Replace(strings.ToUpper(isbn))
}

// plausible checks an ISBN's shape. Its check digit is not looked at: books are printed
// with wrong ones, and the library has them all the same.
func plausible(isbn string) bool {
	bare := bareISBN(isbn)
	if bare == "" {
		return isbn == ""
	}
	for i, r := range bare {
		if (r < '0' || r > '9') && (r != 'X' || i != 9 || len(bare) != 10) {
			return false
		}
	}
	return len(bare) == 10 || len(bare) == 13
}

func createBook(c api.Ctx, r BookFields) (BookView, error) {
	b := Book{BookFields: r}
	if err := b.normalize(); err != nil {
		return BookView{}, err
	}
	if err := api.Insert(c, "book", &b); err != nil {
		return BookView{}, err
	}
	return BookView{Record: b.Record, BookFields: b.BookFields}, nil
}

func listBooks(c api.Ctx, l api.ListRequest) (api.Page[BookView], error) {
	return api.Fetch[BookView](books(c), l)
}

func getBook(c api.Ctx, r byID) (BookView, error) {
	return api.Find[BookView](c, "book", books(c), r.ID)
}

func updateBook(c api.Ctx, r bookChange) (BookView, error) {
	_, err := api.Update(c, "book", r.ID, func(b *Book) error {
		if err := r.Apply(&b.BookFields); err != nil {
			return err
		}
		return b.normalize()
	})
	if err != nil {
		return BookView{}, err
	}
	return getBook(c, byID{r.ID})
}

func deleteBook(c api.Ctx, r byID) error { return api.Erase[Book](c, "book", r.ID) }
