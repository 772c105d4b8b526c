package paper_test

import (
	"bytes"
	"strings"
	"testing"

	"homeroom/modules/roster/paper"
)

func TestADocumentIsTheSameWheneverItIsPrinted(t *testing.T) {
	t.Parallel()
	printed := func() []byte {
		d := paper.New("Łódź Школа", "Leaving certificate")
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

func TestALongTableGoesOnOnTheNextPagesUnderItsTitles(t *testing.T) {
	t.Parallel()
	pages := func(n int) int {
		doc := paper.New("Green Valley", "Statement")
		rows := make([][]string, n)
		for i := range rows {
			rows[i] = []string{"2026-11-30", strings.Repeat("a long narration ", 8), "1,500.00"}
		}
		doc.Table([]paper.Column{{Title: "Date", Width: 30}, {Title: "What", Width: 100}, {Title: "Amount", Width: 40, Right: true}}, rows)
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
