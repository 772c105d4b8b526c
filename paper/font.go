package paper

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"sync"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/language"
)

// The fonts are embedded because those that PDF readers bring know Western Europe only.
//
//go:embed fonts/noto/*.gz fonts/dejavu/*.gz fonts/droid/*.gz
var fontFiles embed.FS

// typeface is a font of the binary. It is unpacked and parsed when a text needs it first.
type typeface struct {
	file string
	once sync.Once
	font *font.Font
	raw  *opentype.Loader
}

var (
	regular = &typeface{file: "noto/NotoSans-Regular"}
	bold    = &typeface{file: "noto/NotoSans-Bold"}
	// symbols has arrows, ticks and the like.
	symbols = &typeface{file: "dejavu/DejaVuSansCondensed"}
	// eastAsian has Chinese, Japanese and Korean: one file for all three, a tenth of the size that Noto's are.
	eastAsian = &typeface{file: "droid/DroidSansFallback"}

	// scripts have fonts of their own. Latin with Vietnamese, Greek and Cyrillic are in regular
	// and bold. There is one weight of these: what is bold is drawn with a thicker line.
	scripts = map[language.Script]*typeface{
		language.Arabic: noto("Arabic"), language.Armenian: noto("Armenian"), language.Bengali: noto("Bengali"),
		language.Devanagari: noto("Devanagari"), language.Ethiopic: noto("Ethiopic"), language.Georgian: noto("Georgian"),
		language.Gujarati: noto("Gujarati"), language.Gurmukhi: noto("Gurmukhi"), language.Hebrew: noto("Hebrew"),
		language.Kannada: noto("Kannada"), language.Khmer: noto("Khmer"), language.Lao: noto("Lao"),
		language.Malayalam: noto("Malayalam"), language.Meetei_Mayek: noto("MeeteiMayek"), language.Myanmar: noto("Myanmar"),
		language.Ol_Chiki: noto("OlChiki"), language.Oriya: noto("Oriya"), language.Sinhala: noto("Sinhala"), language.Tamil: noto("Tamil"),
		language.Han: eastAsian, language.Hiragana: eastAsian, language.Katakana: eastAsian, language.Hangul: eastAsian,
		language.Bopomofo: eastAsian, language.Telugu: noto("Telugu"), language.Thaana: noto("Thaana"), language.Thai: noto("Thai"),
		language.Tifinagh: noto("Tifinagh"),
	}
)

func noto(script string) *typeface { return &typeface{file: "noto/NotoSans" + script + "-Regular"} }

// load parses the font. The files are part of the program: one that cannot be read is a fault
// of the build, which the tests of the package find.
func (t *typeface) load() *font.Font {
	t.once.Do(func() {
		if err := t.parse(); err != nil {
			panic(fmt.Sprintf("paper: font %s: %v", t.file, err))
		}
	})
	return t.font
}

func (t *typeface) parse() error {
	packed, err := fontFiles.Open("fonts/" + t.file + ".ttf.gz")
	if err != nil {
		return err
	}
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	file, err := io.ReadAll(unpacked)
	if err != nil {
		return err
	}
	if t.raw, err = opentype.NewLoader(bytes.NewReader(file)); err != nil {
		return err
	}
	t.font, err = font.NewFont(t.raw)
	return err
}

// fontChoice chooses a font for every character of a text: that of its script, or the body's.
// It belongs to one document, as faces are not safe for concurrent use.
type fontChoice struct {
	faces  map[*typeface]*font.Face
	owners map[*font.Face]*typeface
	bold   bool
	script language.Script
}

// SetScript says which script the next characters are written in.
func (f *fontChoice) SetScript(s language.Script) { f.script = s }

// ResolveFace is the font of a character. Marks that several scripts share stay with the
// letters they belong to.
func (f *fontChoice) ResolveFace(r rune) *font.Face {
	body := regular
	if f.bold {
		body = bold
	}
	order := []*typeface{body, scripts[f.script], symbols, eastAsian}
	if own := language.LookupScript(r); own == f.script || own == language.Inherited {
		order = []*typeface{scripts[f.script], body, symbols, eastAsian}
	}
	for _, t := range order {
		if t == nil {
			continue
		}
		face := f.face(t)
		if _, has := face.NominalGlyph(r); has {
			return face
		}
	}
	return f.face(body)
}

func (f *fontChoice) face(t *typeface) *font.Face {
	face, known := f.faces[t]
	if !known {
		face = font.NewFace(t.load())
		f.faces[t], f.owners[face] = face, t
	}
	return face
}
