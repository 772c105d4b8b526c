package paper_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"homeroom/paper"
)

func TestADocumentIsTheSameWheneverItIsPrinted(t *testing.T) {
	t.Parallel()
	printed := func() []byte {
		d := paper.New(paper.Letterhead{Name: "Łódź Школа"}, "Leaving certificate")
		d.Field("Name", "José Ñandú Ελένη")
		d.Signatures("Principal")
		body, err := d.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	first := printed()
	if !bytes.HasPrefix(first, []byte("%PDF-")) || !bytes.Equal(first, printed()) {
		t.Error("not a PDF, or not the same one")
	}
}

func TestATableIsDrawnOverPagesAndABadLogoIsLeftOut(t *testing.T) {
	t.Parallel()
	printed := func(logo []byte) []byte {
		d := paper.New(paper.Letterhead{Name: "Green Valley"}, "Report card")
		d.Logo(logo)
		d.Heading("Half-yearly")
		var rows [][]string
		for i := range 80 {
			rows = append(rows, []string{"Mathematics", fmt.Sprint(i), strings.Repeat("much to say ", i%7)})
		}
		d.Table([]paper.Column{{Title: "Subject", Width: 3}, {Title: "Marks", Width: 1, Number: true}, {Title: "Remark", Width: 3}},
			append(rows, nil, []string{"Total"}))
		d.Ruled("Remarks", 3)
		d.Signatures("Principal")
		body, err := d.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	var logo bytes.Buffer
	if err := png.Encode(&logo, image.NewGray(image.Rect(0, 0, 30, 60))); err != nil {
		t.Fatal(err)
	}
	plain := printed(nil)
	if n := bytes.Count(plain, []byte("/Type /Page\n")); n < 3 {
		t.Errorf("%d pages", n)
	}
	if !bytes.Equal(plain, printed([]byte("GIF89a, or not"))) || !bytes.Equal(plain, printed(logo.Bytes()[:40])) {
		t.Error("what is no picture was printed")
	}
	if with := printed(logo.Bytes()); !bytes.Contains(with, []byte("/Subtype /Image")) || !bytes.Equal(with, printed(logo.Bytes())) {
		t.Error("the logo was not printed, or not the same way twice")
	}
}

func TestALongTableGoesOnOnTheNextPagesUnderItsTitles(t *testing.T) {
	t.Parallel()
	pages := func(n int) int {
		doc := paper.New(paper.Letterhead{Name: "Green Valley"}, "Statement")
		rows := make([][]string, n)
		for i := range rows {
			rows[i] = []string{"2026-11-30", strings.Repeat("a long narration ", 8), "1,500.00"}
		}
		doc.Table([]paper.Column{{Title: "Date", Width: 30}, {Title: "What", Width: 100}, {Title: "Amount", Width: 40, Number: true}}, rows)
		body, err := doc.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(body, []byte("/Type /Page\n"))
	}
	if none, few, many := pages(0), pages(5), pages(60); none != 1 || few != 1 || many < 3 {
		t.Errorf("%d, %d and %d pages", none, few, many)
	}
}
