package paper

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
)

// em is the size texts are shaped in: PDF measures glyphs in thousandths of the font's size.
const em = 1000

// typesetter makes lines of glyphs of texts: ligatures, conjuncts and marks as the script
// wants them, right to left where it is written so.
type typesetter struct {
	fonts   fontChoice
	split   shaping.Segmenter
	shaper  shaping.HarfbuzzShaper
	wrapper shaping.LineWrapper
}

// line is one line of a text.
type line struct {
	text  string
	runs  []run // from left to right
	width float64
}

// run is a part of a line in one font.
type run struct {
	font   *typeface
	glyphs []glyph
}

// glyph is a shape of a font and where its origin is on the line, in thousandths of the
// font's size. text is what it stands for; nothing where another glyph says it.
type glyph struct {
	id   uint16
	x, y float64
	text string
}

func newTypesetter() *typesetter {
	return &typesetter{fonts: fontChoice{faces: map[*typeface]*font.Face{}, owners: map[*font.Face]*typeface{}}}
}

// lines breaks a text where it is wider than width, in points; a break in the text is one.
func (t *typesetter) lines(text string, size float64, heavy bool, width float64) []line {
	var out []line
	for _, paragraph := range strings.Split(text, "\n") {
		out = append(out, t.paragraph([]rune(printableText(paragraph)), size, heavy, width)...)
	}
	return out
}

// printableText is a text without what has no shape: other control characters than blanks.
func printableText(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\r':
			return ' '
		case unicode.Is(unicode.Cc, r):
			return -1
		}
		return r
	}, text)
}

func (t *typesetter) paragraph(text []rune, size float64, heavy bool, width float64) []line {
	if len(text) == 0 {
		return []line{{}}
	}
	t.fonts.bold = heavy
	direction := di.DirectionLTR
	for _, r := range text {
		if d, strong := directionOf(r); strong {
			direction = d
			break
		}
	}
	parts := t.split.Split(shaping.Input{Text: text, RunEnd: len(text), Direction: direction, Size: fixed.I(em),
		Language: language.NewLanguage("en")}, &t.fonts)
	shaped := make([]shaping.Output, len(parts))
	for i, part := range parts {
		if part.Face == nil { // nothing but blanks
			part.Face = t.fonts.face(regular)
		}
		shaped[i] = t.shaper.Shape(part)
	}
	most := fixed.Int26_6(math.MaxInt32)
	if width > 0 {
		most = fixed.Int26_6(min(width/size*em*64, math.MaxInt32))
	}
	wrapped, _ := t.wrapper.WrapParagraphF(shaping.WrapConfig{Direction: direction}, most, text, shaping.NewSliceIterator(shaped))
	out := make([]line, len(wrapped))
	for i, w := range wrapped {
		out[i] = t.line(w, text, size)
	}
	return out
}

// directionOf is the direction a letter is written in; marks and digits have none.
func directionOf(r rune) (d di.Direction, strong bool) {
	switch language.LookupScript(r) {
	case language.Arabic, language.Hebrew, language.Thaana:
		return di.DirectionRTL, unicode.IsLetter(r)
	}
	return di.DirectionLTR, unicode.IsLetter(r)
}

func (t *typesetter) line(wrapped shaping.Line, text []rune, size float64) line {
	first, last := len(text), 0
	for _, o := range wrapped {
		first, last = min(first, o.Runes.Offset), max(last, o.Runes.Offset+o.Runes.Count)
	}
	out := line{text: strings.TrimSpace(string(text[min(first, last):last]))}
	visual := slices.Clone(wrapped)
	slices.SortFunc(visual, func(a, b shaping.Output) int { return cmp.Compare(a.VisualIndex, b.VisualIndex) })
	x := 0.0
	for _, o := range visual {
		r := run{font: t.fonts.owners[o.Face]}
		said := -1
		start := x
		for _, g := range o.Glyphs {
			shape := glyph{id: uint16(g.GlyphID), x: x + unit(g.XOffset), y: unit(g.YOffset)}
			if at := g.TextIndex(); at != said {
				said = at
				shape.text = string(text[at:min(at+g.RunesCount(), len(text))])
			}
			r.glyphs = append(r.glyphs, shape)
			x += unit(g.Advance)
		}
		x = start + unit(o.Advance)
		out.runs = append(out.runs, r)
	}
	out.width = x / em * size
	return out
}

func unit(v fixed.Int26_6) float64 { return float64(v) / 64 }
