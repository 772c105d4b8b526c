package library

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// maxRows is how many rows a file of books may have.
const maxRows = 60_000

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

// bookFiles are files of books and copies.
func bookFiles() imports.Kind[imports.Request] {
	return imports.Kind[imports.Request]{
		Key: "BOOK", Path: "/school-admin/library/book/import", Permission: "library", Columns: bookSheet, Most: maxRows,
		Summary: "Import books and copies from a CSV file or workbook", Tables: []string{"book", "book_copy"},
		Begin: func(api.Ctx, imports.Request) (imports.Reading, error) {
			return imports.ByLine(bookSheet, planBooks), nil
		},
	}
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
}

// planBooks compares rows with what there is. A book is known by its ISBN, or without
// one by title and author.
func planBooks(c api.Ctx, rows []imports.Line, d *imports.Draft) error {
	lines := make([]bookLine, len(rows))
	for i, l := range rows {
		lines[i] = bookLine{l.Row, l.Cells}
	}
	k, err := readKnown(c, lines)
	if err != nil {
		return err
	}
	p := &bookPlan{}
	inFile := map[string]int{}
	for i, l := range lines {
		accession, barcode := strings.ToLower(l.cells[colAccession]), strings.ToLower(l.cells[colBarcode])
		if l.cells[colTitle] == "" && !rows[i].Bad[colTitle] {
			d.Bad(l.row, "title", "is required")
		}
		if accession == "" && barcode != "" {
			d.Bad(l.row, "accessionNumber", "is required for a copy")
		}
		for _, code := range [][2]string{{"accessionNumber", accession}, {"barcode", barcode}} {
			if first, twice := inFile[code[0]+code[1]]; twice && code[1] != "" {
				d.Bad(l.row, code[0], "is that of row %d, too", first)
			}
			inFile[code[0]+code[1]] = l.row
		}
		id, there := k.byKey[l.key()]
		if l.isbn() != "" {
			id, there = k.byISBN[l.isbn()]
		}
		of, taken := k.accession[accession]
		fresh := accession != "" && (!taken || !there || of != id)
		switch {
		case !fresh:
		case taken:
			d.Bad(l.row, "accessionNumber", "belongs to a copy of another book")
		case barcode != "" && k.barcode[barcode]:
			d.Bad(l.row, "barcode", "belongs to another copy")
		}
		if d.Found.IsBad(l.row) {
			d.Skip(l.row)
			continue
		}
		if !there {
			id = p.add(l)
			k.byKey[l.key()] = id
			if l.isbn() != "" {
				k.byISBN[l.isbn()] = id
			}
			d.Sum("books", 1)
		}
		if fresh {
			d.Sum("copies", 1)
			p.copies = append(p.copies, Copy{Record: api.Record{ID: api.NewID()}, BookID: id,
				CopyFields: CopyFields{AccessionNumber: l.cells[colAccession], Barcode: l.cells[colBarcode], Shelf: l.cells[colShelf], State: "GOOD"}})
		}
		if fresh || !there {
			d.Create(l.row, there)
		} else {
			d.Same(l.row, id)
		}
	}
	d.Then(p.write)
	return nil
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

// write adds what is planned.
func (p *bookPlan) write(c api.Ctx) error {
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
	return nil
}
