package paper

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
)

// fontUse is a font as a file uses it: the glyphs it takes, and what they stand for.
type fontUse struct {
	face   *typeface
	index  int // its name on the pages
	font   *font.Face
	widths map[uint16]float64
	texts  map[uint16]string
}

func newFontUse(t *typeface, index int) *fontUse {
	return &fontUse{face: t, index: index, font: font.NewFace(t.load()), widths: map[uint16]float64{0: 0}, texts: map[uint16]string{}}
}

// take notes that a glyph is used, and says how wide it is.
func (u *fontUse) take(g glyph) float64 {
	width, known := u.widths[g.id]
	if !known || g.id == 0 {
		width = float64(int(u.font.HorizontalAdvance(font.GID(g.id))*em/float32(u.face.font.Upem()) + 0.5))
		u.widths[g.id] = width
	}
	if _, said := u.texts[g.id]; !said && g.text != "" {
		u.texts[g.id] = g.text
	}
	return width
}

// writeTo writes the font with no glyphs but those that were used.
func (u *fontUse) writeTo(p *pdf) int {
	name := fmt.Sprintf("HMRM%c%c+%s", 'A'+u.index/26%26, 'A'+u.index%26, u.face.file[strings.LastIndex(u.face.file, "/")+1:])
	ids := slices.Sorted(maps.Keys(u.widths))
	file := u.subset(ids)
	fontFile := p.stream(file, fmt.Sprintf("/Length1 %d", len(file)))
	unicode := p.stream(u.toUnicode(), "")
	extents, _ := u.font.FontHExtents()
	scale := em / float32(u.face.font.Upem())
	descriptor := p.reserve()
	p.object(descriptor, "<< /Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [-1000 -500 2000 1200] /ItalicAngle 0 "+
		"/Ascent %.0f /Descent %.0f /CapHeight 700 /StemV 80 /FontFile2 %d 0 R >>", name, extents.Ascender*scale, extents.Descender*scale,
		fontFile)
	var widths strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&widths, "%d [%s] ", id, num(u.widths[id]))
	}
	descendant := p.reserve()
	p.object(descendant, "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "+
		"/Supplement 0 >> /FontDescriptor %d 0 R /CIDToGIDMap /Identity /DW 1000 /W [%s] >>", name, descriptor, widths.String())
	number := p.reserve()
	p.object(number, "<< /Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R >>",
		name, descendant, unicode)
	return number
}

// toUnicode says which text each glyph stands for.
func (u *fontUse) toUnicode() []byte {
	var out bytes.Buffer
	out.WriteString("/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n" +
		"/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n" +
		"/CMapName /Adobe-Identity-UCS def /CMapType 2 def\n1 begincodespacerange <0000> <FFFF> endcodespacerange\n")
	ids := slices.Sorted(maps.Keys(u.texts))
	for part := range slices.Chunk(ids, 100) {
		fmt.Fprintf(&out, "%d beginbfchar\n", len(part))
		for _, id := range part {
			fmt.Fprintf(&out, "<%04X> <%s>\n", id, utf16Hex(u.texts[id])[4:])
		}
		out.WriteString("endbfchar\n")
	}
	out.WriteString("endcmap CMapName currentdict /CMap defineresource pop end end\n")
	return out.Bytes()
}

// subset is the font's file in which glyphs keep their numbers, and those that are not used
// have no outline.
func (u *fontUse) subset(ids []uint16) []byte {
	tables := map[string][]byte{}
	for _, name := range []string{"head", "hhea", "hmtx", "maxp", "loca", "glyf", "cvt ", "fpgm", "prep"} {
		if raw, err := u.face.raw.RawTable(opentype.MustNewTag(name)); err == nil {
			tables[name] = slices.Clone(raw)
		}
	}
	outlines, kept := outlinesOf(tables), map[int]bool{}
	for _, id := range ids {
		outlines.keep(int(id), kept)
	}
	var glyf bytes.Buffer
	loca := make([]byte, 0, 4*len(outlines))
	for id, outline := range outlines {
		loca = binary.BigEndian.AppendUint32(loca, uint32(glyf.Len()))
		if kept[id] {
			glyf.Write(outline)
			glyf.Write(make([]byte, -glyf.Len()&3))
		}
	}
	tables["loca"] = binary.BigEndian.AppendUint32(loca, uint32(glyf.Len()))
	tables["glyf"] = glyf.Bytes()
	binary.BigEndian.PutUint16(tables["head"][50:], 1) // loca has long offsets
	blankMetrics(tables, kept)
	return joinTables(tables)
}

// blankMetrics makes the widths of the glyphs that are not used nothing, which packs well.
func blankMetrics(tables map[string][]byte, kept map[int]bool) {
	hmtx := tables["hmtx"]
	last := int(binary.BigEndian.Uint16(tables["hhea"][34:])) - 1 // its width is that of all that follow
	for id := range last {
		if !kept[id] && 4*id+4 <= len(hmtx) {
			copy(hmtx[4*id:], []byte{0, 0, 0, 0})
		}
	}
}

type outlines [][]byte

func outlinesOf(tables map[string][]byte) outlines {
	loca, glyf := tables["loca"], tables["glyf"]
	long := binary.BigEndian.Uint16(tables["head"][50:]) == 1
	at := func(i int) int {
		if long {
			return int(binary.BigEndian.Uint32(loca[4*i:]))
		}
		return 2 * int(binary.BigEndian.Uint16(loca[2*i:]))
	}
	out := make(outlines, binary.BigEndian.Uint16(tables["maxp"][4:]))
	for i := range out {
		out[i] = glyf[at(i):at(i+1)]
	}
	return out
}

// keep marks a glyph, and those that it is put together of.
func (o outlines) keep(id int, kept map[int]bool) {
	if id >= len(o) || kept[id] {
		return
	}
	kept[id] = true
	outline := o[id]
	if len(outline) < 10 || int16(binary.BigEndian.Uint16(outline)) >= 0 {
		return
	}
	const words, scaled, more, scaledTwice, matrix = 1, 8, 32, 64, 128
	for part := outline[10:]; len(part) >= 6; {
		flags := binary.BigEndian.Uint16(part)
		o.keep(int(binary.BigEndian.Uint16(part[2:])), kept)
		size := 6
		if flags&words != 0 {
			size += 2
		}
		switch {
		case flags&scaled != 0:
			size += 2
		case flags&scaledTwice != 0:
			size += 4
		case flags&matrix != 0:
			size += 8
		}
		if flags&more == 0 || size > len(part) {
			return
		}
		part = part[size:]
	}
}

// joinTables is a TrueType file of these tables.
func joinTables(tables map[string][]byte) []byte {
	names := slices.Sorted(maps.Keys(tables))
	binary.BigEndian.PutUint32(tables["head"][8:], 0)
	power, log := 1, 0
	for power*2 <= len(names) {
		power, log = power*2, log+1
	}
	out := []byte{0, 1, 0, 0}
	for _, n := range []int{len(names), power * 16, log, (len(names) - power) * 16} {
		out = binary.BigEndian.AppendUint16(out, uint16(n))
	}
	at, head := len(out)+16*len(names), 0
	for _, name := range names {
		if name == "head" {
			head = at
		}
		out = append(out, name...)
		for _, n := range []uint32{checksum(tables[name]), uint32(at), uint32(len(tables[name]))} {
			out = binary.BigEndian.AppendUint32(out, n)
		}
		at += (len(tables[name]) + 3) &^ 3
	}
	for _, name := range names {
		out = append(out, tables[name]...)
		out = append(out, make([]byte, -len(out)&3)...)
	}
	binary.BigEndian.PutUint32(out[head+8:], 0xB1B0AFBA-checksum(out))
	return out
}

func checksum(table []byte) (sum uint32) {
	for i := 0; i < len(table); i += 4 {
		var word [4]byte
		copy(word[:], table[i:])
		sum += binary.BigEndian.Uint32(word[:])
	}
	return sum
}
