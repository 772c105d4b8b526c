package paper_test

import (
	"bytes"
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
