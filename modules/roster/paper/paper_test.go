package paper_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
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

func TestATableIsDrawnOverPagesAndABadLogoIsLeftOut(t *testing.T) {
	t.Parallel()
	printed := func(logo []byte) []byte {
		d := paper.New("Green Valley", "Report card")
		d.Logo(logo)
		d.Heading("Half-yearly")
		var rows [][]string
		for i := range 80 {
			rows = append(rows, []string{"Mathematics", fmt.Sprint(i), strings.Repeat("much to say ", i%7)})
		}
		d.Table([]paper.Column{{Title: "Subject", Width: 3}, {Title: "Marks", Width: 1, Number: true}, {Title: "Remark", Width: 3}}, append(rows, nil, []string{"Total"}))
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
