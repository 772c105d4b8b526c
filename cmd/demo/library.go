package demo

import (
	"context"
	"fmt"
	"net/http"
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

// booksDone is the condition that the library has books.
const booksDone = `exists (select from book)`

// loansDone is the condition that the first loans were made, and that some are of late.
func (p *plan) loansDone(today api.Date) string {
	return fmt.Sprintf(`(select count(*) from library_loan) >= %d and exists (select from library_loan where issued_on >= '%s')`,
		len(p.loans()), today.AddDays(-14))
}

// loan is a copy that was lent: days before today, and how many later it came back; 0: it has not.
type loan struct {
	book, copy, days, back int
}

// loans are one for every fourteenth student, some of them late, some back, the earliest first.
func (p *plan) loans() []loan {
	var out []loan
	for i := range p.seats() / 14 {
		l := loan{book: i % len(titles), copy: i / len(titles), days: 2 + i*5%34}
		if i%3 == 0 {
			l.back = 1 + i%12
		}
		if l.back >= l.days {
			l.back = 0
		}
		out = append(out, l)
	}
	slices.SortStableFunc(out, func(a, b loan) int { return b.days - a.days })
	return out
}

// addBooks takes the library's books in.
func (b *builder) addBooks(ctx context.Context) error {
	rows := [][]string{words("title author publisher publishedYear category price accessionNumber shelf")}
	for i, t := range titles {
		for n := range copies {
			rows = append(rows, []string{t.title, t.author, "Green Shelf", fmt.Sprint(1950 + i*4), t.category, fmt.Sprint(25_000 + i*1_500),
				accession(i, n), fmt.Sprintf("%s-%d", strings.ToUpper(t.category[:1]), i+1)})
		}
	}
	b.at(b.today.AddDays(-90), 10, 0, b.latest)
	return b.takeIn(ctx, "/school-admin/library/book/import", "books", rows)
}

// lentCopy is a copy that was lent before.
type lentCopy struct {
	Code string
	Out  bool
	Days int // for how many
}

// lend lends books, and takes some back: at first what was lent in the last weeks, later what is lent then.
func (b *builder) lend(ctx context.Context) error {
	var lent []lentCopy
	err := b.db.Raw(`select c.accession_number as code, l.closed_on is null as out, ?::date - l.issued_on as days from library_loan l
		join book_copy c on c.id = l.copy_id order by l.issued_on, c.accession_number`, b.today).Scan(&lent).Error
	if err != nil {
		return fmt.Errorf("looking for loans: %w", err)
	}
	all := b.plan.loans()
	if len(lent) >= len(all) {
		return b.lendLately(ctx, lent)
	}
	for i, l := range all {
		code := accession(l.book, l.copy)
		if slices.ContainsFunc(lent, func(c lentCopy) bool { return c.Code == code }) {
			continue
		}
		if err := b.issue(ctx, code, i, b.weekday(-l.days)); err != nil {
			return err
		}
		if l.back == 0 {
			continue
		}
		if err := b.takeBack(ctx, code, i, b.weekday(-l.days+l.back)); err != nil {
			return err
		}
	}
	return nil
}

// lentLately is how many books are lent, and taken back, where nothing was for some time.
const lentLately = 8

// lendLately takes the oldest loans back, and lends other copies in the last days.
func (b *builder) lendLately(ctx context.Context, lent []lentCopy) error {
	out, back := map[string]bool{}, 0
	for i, l := range lent {
		if !l.Out {
			continue
		}
		if back == lentLately || l.Days < lentLately {
			out[l.Code] = true
			continue
		}
		if err := b.takeBack(ctx, l.Code, i, b.weekday(-lentLately)); err != nil {
			return err
		}
		back++
	}
	for i := 0; i < lentLately; i++ {
		n := len(lent) + i
		code := accession(n%len(titles), n/len(titles)%copies)
		if out[code] {
			continue
		}
		if err := b.issue(ctx, code, n, b.weekday(i-lentLately)); err != nil {
			return err
		}
	}
	return nil
}

// issue lends a copy to the nth borrower, unless they have as many as they may.
func (b *builder) issue(ctx context.Context, code string, n int, day api.Date) error {
	_, students := b.plan.people()
	who := b.students[students[(n*29+5)%len(students)].number]
	if who == nil {
		return nil
	}
	b.at(day, 12, 10+n%45, b.latest)
	err := b.post(ctx, "/school-admin/library/loan/issue", fields{"code": code, "studentId": who.ID}, nil)
	if answered(err, http.StatusConflict) {
		return nil
	}
	return err
}

// takeBack takes a copy back.
func (b *builder) takeBack(ctx context.Context, code string, n int, day api.Date) error {
	b.at(day, 12, 55+n%45, b.latest)
	err := b.post(ctx, "/school-admin/library/loan/return", fields{"code": code}, nil)
	if answered(err, http.StatusConflict) {
		return nil
	}
	return err
}

// weekday is the last day up to a number of days from today that is no weekend.
func (b *builder) weekday(days int) api.Date {
	day := b.today.AddDays(days)
	for slices.Contains(b.school.WeekendDays, int16(day.In(utc).Weekday())) {
		day = day.AddDays(-1)
	}
	return day
}
