package library

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// maxRows is how many rows a file of books may have.
const maxRows = 60_000

type importIn struct {
	DryRun bool `json:"dryRun" doc:"Say what would be done, and do nothing"`
}

// Imported is what a file of books does, or would do.
type Imported struct {
	DryRun    bool `json:"dryRun"`
	RowsRead  int  `json:"rowsRead"`
	Books     int  `json:"books" doc:"New books"`
	Copies    int  `json:"copies" doc:"New copies"`
	Unchanged int  `json:"unchanged" doc:"Rows of books and copies that are there already; they stay as they are"`
}

// The columns of a file: each row is a book, or a copy of one.
const (
	colTitle = iota
	colAuthor
	colISBN
	colPublisher
	colYear
	colCategory
	colPrice
	colAccession
	colBarcode
	colShelf
)

var bookSheet = []sheet.Column{
	colTitle:     {Name: "title", Also: []string{"name"}, Check: sheet.Text(300)},
	colAuthor:    {Name: "author", Check: sheet.Text(200)},
	colISBN:      {Name: "isbn", Check: isbnCell},
	colPublisher: {Name: "publisher", Check: sheet.Text(200)},
	colYear:      {Name: "publishedYear", Also: []string{"year"}, Check: wholeCell(1000, 2999)},
	colCategory:  {Name: "category", Also: []string{"subject"}, Check: sheet.Text(100)},
	colPrice:     {Name: "price", Check: wholeCell(0, 1_000_000_000_000)},
	colAccession: {Name: "accessionNumber", Also: []string{"accession", "accessionNo"}, Check: sheet.Text(40)},
	colBarcode:   {Name: "barcode", Check: sheet.Text(60)},
	colShelf:     {Name: "shelf", Also: []string{"location"}, Check: sheet.Text(60)},
}

func isbnCell(cell string) (string, error) {
	if len(cell) > 20 || !plausible(cell) {
		return "", fmt.Errorf("must have 10 or 13 digits")
	}
	return cell, nil
}

func wholeCell(least, most int64) func(string) (string, error) {
	return func(cell string) (string, error) {
		if n, err := strconv.ParseInt(cell, 10, 64); err != nil || n < least || n > most {
			return "", fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		return cell, nil
	}
}

// bookLine is one row of a file.
type bookLine struct {
	row   int
	cells []string
}

func (l bookLine) isbn() string { return bareISBN(l.cells[colISBN]) }
func (l bookLine) key() string  { return matchKey(l.cells[colTitle], l.cells[colAuthor]) }

// importBooks reads a file to its end, then adds all of it or, where something is
// wrong, nothing.
func importBooks(c api.Ctx, r importIn, file *api.Incoming) (Imported, error) {
	var lines []bookLine
	err := sheet.Read(file, sheet.Reading{Most: maxRows}, bookSheet, func(row int, cells []string) {
		lines = append(lines, bookLine{row, append([]string(nil), cells...)})
	})
	if err != nil {
		return Imported{}, err
	}
	var out Imported
	work := func(c api.Ctx) error {
		p, err := planBooks(c, lines)
		if err != nil {
			return err
		}
		out = Imported{DryRun: r.DryRun, RowsRead: len(lines), Books: len(p.books), Copies: len(p.copies), Unchanged: p.same}
		if r.DryRun {
			return nil
		}
		return p.write(c, file.Name, out)
	}
	if r.DryRun {
		err := work(c)
		return out, err
	}
	err = c.Transact(func(c api.Ctx) error {
		// One file at a time: of two equal ones the second finds what the first added.
		err := c.DB.Exec(`insert into number_series (name) values ('library import') on conflict (name) do update
			set next = number_series.next`).Error
		if err != nil {
			return fmt.Errorf("waiting for other imports: %w", err)
		}
		return work(c)
	})
	return out, err
}

// known is what the school has of what a file speaks of.
type known struct {
	byISBN, byKey map[string]uuid.UUID
	accession     map[string]uuid.UUID // the copy's book
	barcode       map[string]bool
}

func readKnown(c api.Ctx, lines []bookLine) (known, error) {
	k := known{byISBN: map[string]uuid.UUID{}, byKey: map[string]uuid.UUID{}, accession: map[string]uuid.UUID{}, barcode: map[string]bool{}}
	var isbns, keys, codes, bars []string
	for _, l := range lines {
		if l.isbn() != "" {
			isbns = append(isbns, l.isbn())
		}
		keys, codes, bars = append(keys, l.key()), append(codes, strings.ToLower(l.cells[colAccession])),
			append(bars, strings.ToLower(l.cells[colBarcode]))
	}
	var books []struct {
		ID             uuid.UUID
		Isbn, MatchKey string
	}
	var copies []struct {
		BookID             uuid.UUID
		Accession, Barcode string
	}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select id, translate(upper(isbn), '- ', '') as isbn, match_key from book where isbn <> ''
			and translate(upper(isbn), '- ', '') = any($1) or match_key = any($2) order by created_at desc, id desc`,
			Args: []any{isbns, keys}, Scan: tenancy.Collect(&books)},
		tenancy.Query{SQL: `select book_id, lower(accession_number) as accession, lower(barcode) as barcode from book_copy
			where lower(accession_number) = any($1) or (barcode <> '' and lower(barcode) = any($2))`,
			Args: []any{codes, bars}, Scan: tenancy.Collect(&copies)})
	if err != nil {
		return k, fmt.Errorf("reading what a file of books speaks of: %w", err)
	}
	for _, b := range books {
		if b.Isbn != "" {
			k.byISBN[b.Isbn] = b.ID
		}
		k.byKey[b.MatchKey] = b.ID
	}
	for _, x := range copies {
		k.accession[x.Accession] = x.BookID
		k.barcode[cmp.Or(x.Barcode, "\x00")] = true
	}
	return k, nil
}

// bookPlan is what a file adds.
type bookPlan struct {
	books  []Book
	copies []Copy
	same   int
}

// planBooks compares rows with what there is. A book is known by its ISBN, or without
// one by title and author.
func planBooks(c api.Ctx, lines []bookLine) (*bookPlan, error) {
	k, err := readKnown(c, lines)
	if err != nil {
		return nil, err
	}
	p := &bookPlan{}
	var bad []api.Detail
	fail := func(row int, column, message string) {
		if len(bad) < 200 {
			bad = append(bad, api.Detail{Field: sheet.Field(row, column), Message: message})
		}
	}
	inFile := map[string]int{}
	for _, l := range lines {
		if l.cells[colTitle] == "" {
			fail(l.row, "title", "is required")
			continue
		}
		accession, barcode := strings.ToLower(l.cells[colAccession]), strings.ToLower(l.cells[colBarcode])
		if accession == "" && barcode != "" {
			fail(l.row, "accessionNumber", "is required for a copy")
			continue
		}
		for column, code := range map[string]string{"accessionNumber": accession, "barcode": barcode} {
			if first, twice := inFile[column+code]; twice && code != "" {
				fail(l.row, column, fmt.Sprintf("is that of row %d, too", first))
			}
			inFile[column+code] = l.row
		}
		id, there := k.byKey[l.key()]
		if l.isbn() != "" {
			id, there = k.byISBN[l.isbn()]
		}
		added := !there
		if added {
			id = p.add(l)
			k.byKey[l.key()] = id
			if l.isbn() != "" {
				k.byISBN[l.isbn()] = id
			}
		}
		of, taken := k.accession[accession]
		switch {
		case accession == "" || taken && of == id:
			if !added {
				p.same++
			}
		case taken:
			fail(l.row, "accessionNumber", "belongs to a copy of another book")
		case barcode != "" && k.barcode[barcode]:
			fail(l.row, "barcode", "belongs to another copy")
		default:
			p.copies = append(p.copies, Copy{Record: api.Record{ID: api.NewID()}, BookID: id,
				CopyFields: CopyFields{AccessionNumber: l.cells[colAccession], Barcode: l.cells[colBarcode], Shelf: l.cells[colShelf], State: "GOOD"}})
		}
	}
	if bad != nil {
		return nil, api.Invalid(bad...)
	}
	return p, nil
}

func (p *bookPlan) add(l bookLine) uuid.UUID {
	b := Book{Record: api.Record{ID: api.NewID()},
		BookFields: BookFields{Title: l.cells[colTitle], Author: l.cells[colAuthor], ISBN: l.cells[colISBN],
			Publisher: l.cells[colPublisher], Category: l.cells[colCategory]}}
	if year, err := strconv.Atoi(l.cells[colYear]); err == nil {
		b.PublishedYear = &year
	}
	b.Price, _ = strconv.ParseInt(cmp.Or(l.cells[colPrice], "0"), 10, 64) // the column's check has seen it
	b.SearchText, b.MatchKey = searchText(b.BookFields), matchKey(b.Title, b.Author)
	p.books = append(p.books, b)
	return b.ID
}

// write adds what is planned, with one line in the audit for the file.
func (p *bookPlan) write(c api.Ctx, name string, sum Imported) error {
	columns := []string{"id", "title", "author", "isbn", "publisher", "published_year", "category", "price", "search_text", "match_key",
		"created_by", "updated_by", "created_at", "updated_at"}
	err := tenancy.Copy(c.DB, "book", columns, len(p.books), func(i int) ([]any, error) {
		b := p.books[i]
		return []any{b.ID, b.Title, b.Author, b.ISBN, b.Publisher, b.PublishedYear, b.Category, b.Price, b.SearchText, b.MatchKey, c.User.ID,
			c.User.ID, c.Now, c.Now}, nil
	})
	if err != nil {
		return fmt.Errorf("adding books: %w", err)
	}
	columns = []string{"id", "book_id", "accession_number", "barcode", "shelf", "created_by", "updated_by", "created_at", "updated_at"}
	err = tenancy.Copy(c.DB, "book_copy", columns, len(p.copies), func(i int) ([]any, error) {
		k := p.copies[i]
		return []any{k.ID, k.BookID, k.AccessionNumber, k.Barcode, k.Shelf, c.User.ID, c.User.ID, c.Now, c.Now}, nil
	})
	if err != nil {
		return fmt.Errorf("adding copies: %w", err)
	}
	c.Changed("import", "book", uuid.Nil, nil, map[string]any{"file": name, "result": sum})
	return nil
}
