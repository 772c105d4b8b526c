package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeroom/api"
)

// titles are the library's books.
var titles = []struct{ title, author, category string }{
	{"Malgudi Days", "R. K. Narayan", "Fiction"}, {"Godan", "Premchand", "Fiction"},
	{"The Discovery of India", "Jawaharlal Nehru", "History"},
	{"Wings of Fire", "A. P. J. Abdul Kalam", "Biography"}, {"A Brief History of Time", "Stephen Hawking", "Science"},
	{"Train to Pakistan", "Khushwant Singh", "Fiction"}, {"The Jungle Book", "Rudyard Kipling", "Children"},
	{"Things Fall Apart", "Chinua Achebe", "Fiction"}, {"The River Between", "Ngugi wa Thiong'o", "Fiction"},
	{"Unbowed", "Wangari Maathai", "Biography"}, {"Cosmos", "Carl Sagan", "Science"},
	{"The Little Prince", "Antoine de Saint-Exupéry", "Children"},
	{"Alice in Wonderland", "Lewis Carroll", "Children"}, {"Treasure Island", "Robert Louis Stevenson", "Children"},
	{"Pride and Prejudice", "Jane Austen", "Fiction"}, {"Silent Spring", "Rachel Carson", "Science"},
}

// copies of each book.
const copies = 4

// accession is the number of a copy.
func accession(book, n int) string { return fmt.Sprintf("L-%03d", book*copies+n+1) }

// libraryDone is the condition that all loans were made.
var libraryDone = fmt.Sprintf(`(select count(*) from library_loan) >= %d`, len(loans()))

// loan is a copy that was lent: days before today, and how many later it came back; 0: it has not.
type loan struct {
	book, copy, days, back int
}

// loans are a few dozen, some of them late, some back.
func loans() []loan {
	var out []loan
	for i := range 42 {
		l := loan{book: i % len(titles), copy: i / len(titles), days: 2 + i*5%34}
		if i%3 == 0 {
			l.back = 1 + i%12
		}
		if l.back >= l.days {
			l.back = 0
		}
		out = append(out, l)
	}
	return out
}

// addLibrary imports the books and lends some of them.
func (b *builder) addLibrary(ctx context.Context) error {
	rows := [][]string{words("title author publisher publishedYear category price accessionNumber shelf")}
	for i, t := range titles {
		for n := range copies {
			rows = append(rows, []string{t.title, t.author, "Green Shelf", fmt.Sprint(1950 + i*4), t.category, fmt.Sprint(25_000 + i*1_500),
				accession(i, n), fmt.Sprintf("%s-%d", strings.ToUpper(t.category[:1]), i+1)})
		}
	}
	b.at(b.today.AddDays(-90), 10, 0, b.latest)
	if err := b.upload(ctx, "/school-admin/library/book/import", file(rows), nil); err != nil {
		return err
	}
	var lent []string
	if err := b.db.Raw(`select c.accession_number from library_loan l join book_copy c on c.id = l.copy_id`).Scan(&lent).Error; err != nil {
		return fmt.Errorf("looking for loans: %w", err)
	}
	_, students := b.plan.people()
	all := loans()
	slices.SortStableFunc(all, func(a, b loan) int { return b.days - a.days })
	for i, l := range all {
		code := accession(l.book, l.copy)
		who := b.students[students[(i*29+5)%len(students)].number]
		if who == nil || slices.Contains(lent, code) {
			continue
		}
		b.at(b.weekday(-l.days), 12, 10+i, b.latest)
		if err := b.post(ctx, "/school-admin/library/loan/issue", fields{"code": code, "studentId": who.ID}, nil); err != nil {
			return err
		}
		if l.back == 0 {
			continue
		}
		b.at(b.weekday(-l.days+l.back), 12, 10+i, b.latest)
		if err := b.post(ctx, "/school-admin/library/loan/return", fields{"code": code}, nil); err != nil {
			return err
		}
	}
	return nil
}

// weekday is the last day up to a number of days from today that is no weekend.
func (b *builder) weekday(days int) api.Date {
	day := b.today.AddDays(days)
	for slices.Contains(b.school.WeekendDays, int16(day.In(utc).Weekday())) {
		day = day.AddDays(-1)
	}
	return day
}
