package paper_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"homeroom/paper"
)

// names are written in the scripts of the languages of schools.
var names = map[string]string{
	"Hindi": "श्रीकृष्ण द्विवेदी, ज्ञानेश्वर", "Marathi": "ज्ञानदेव तुकाराम", "Tamil": "ஸ்ரீநிவாசன் கௌரி", "Arabic": "محمد عبد الله الهاشمي",
	"Urdu": "محمد علی چودھری ٹنڈو", "Vietnamese": "Nguyễn Thị Ánh Tuyết", "Bengali": "শ্রী রবীন্দ্রনাথ ঠাকুর", "Telugu": "శ్రీనివాస రావు",
	"Kannada": "ಕೃಷ್ಣಮೂರ್ತಿ", "Malayalam": "ശ്രീകുമാർ", "Gujarati": "જ્ઞાનેશ્વરી પટેલ", "Punjabi": "ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ", "Odia": "ଶ୍ରୀକାନ୍ତ ମିଶ୍ର",
	"Sinhala": "ශ්\u200dරී ලාල් පෙරේරා", "Nepali": "विष्णुप्रसाद श्रेष्ठ", "Thai": "สมชาย ใจดี", "Lao": "ສົມພອນ", "Khmer": "សុខ ចាន់ណា",
	"Burmese": "အောင်ဆန်း", "Amharic": "አበበ ቢቂላ", "Hebrew": "דוד בן-גוריון", "Armenian": "Արամ", "Georgian": "გიორგი", "Greek": "Ελένη",
	"Russian": "Екатерина Щукина", "Yoruba": "Adébáyọ̀ Ṣọlá", "Polish": "Łukasz Żółć", "Turkish": "İğdır Şükrü", "Swahili": "Wanjikũ Ng'ang'a",
	"Santali": "ᱥᱟᱱᱛᱟᱲᱤ", "Meitei": "ꯃꯤꯇꯩ", "Dhivehi": "އިބްރާހީމް", "Berber": "ⵎⴰⵙⵉⵏ", "Chinese": "王小明，欧阳娜娜 龔詩穎 陳", "Japanese": "佐藤さくら・高橋ケンジ 髙﨑 ー「東京」", "Korean": "김민준 최예린 뷁", "wide": "ＡＢＣ１２３",
	"money": "₹1,23,456.00 € £ ₦ ¥ ₫ 100 % – ✓ →",
}

func TestNames_InEveryScript_HaveTheirGlyphs(t *testing.T) {
	t.Parallel()
	d := paper.New(paper.Letterhead{Name: "Kendriya Vidyalaya केन्द्रीय विद्यालय", Lines: []string{"नई दिल्ली"}}, "Names")
	for language, name := range names {
		before := d.Missing()
		d.Field(language, name)
		d.Heading(name)
		d.Table([]paper.Column{{Title: language, Width: 1}, {Title: name, Width: 1, Number: true}}, [][]string{{name, name}})
		if n := d.Missing() - before; n > 0 {
			t.Errorf("%s: %d glyphs of %q are missing", language, n, name)
		}
	}
	save(t, "scripts", d)
}

// shown are the parts of a line as a page draws them: where each begins, and its glyphs from left to right.
type shown struct {
	x      float64
	glyphs []string
}

var (
	page   = regexp.MustCompile(`(?s)/FlateDecode /Length \d+ >>\nstream\n(.*?)\nendstream`)
	drawn  = regexp.MustCompile(`(?s)/ActualText <FEFF([0-9A-F]*)> >> BDC\nBT\n(.*?)ET\n`)
	placed = regexp.MustCompile(`/F\d+ |1 0 0 1 ([\d.]+) [\d.]+ Tm|<([0-9A-F]{4})>`)
)

// draw draws a text and reads how the page draws it.
func draw(t *testing.T, text string) (parts []shown) {
	t.Helper()
	d := paper.New(paper.Letterhead{Name: "Green Valley"}, "Names")
	d.Text(text)
	want := ""
	for _, unit := range utf16.Encode([]rune(text)) {
		want += fmt.Sprintf("%04X", unit)
	}
	for _, stream := range page.FindAllSubmatch(save(t, "", d), -1) {
		z, err := zlib.NewReader(bytes.NewReader(stream[1]))
		if err != nil {
			continue
		}
		content, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range drawn.FindAllSubmatch(content, -1) {
			if string(line[1]) != want {
				continue
			}
			for _, at := range placed.FindAllSubmatch(line[2], -1) {
				switch {
				case len(at[2]) > 0:
					parts[len(parts)-1].glyphs = append(parts[len(parts)-1].glyphs, string(at[2]))
				case len(at[1]) == 0:
					parts = append(parts, shown{})
				case len(parts[len(parts)-1].glyphs) == 0:
					if parts[len(parts)-1].x, err = strconv.ParseFloat(string(at[1]), 64); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	if len(parts) == 0 {
		t.Fatalf("%q is not drawn", text)
	}
	return parts
}

func TestArabic_IsDrawnJoinedAndFromRightToLeft(t *testing.T) {
	t.Parallel()
	glyphs := func(text string) []string { return draw(t, text)[0].glyphs }
	alone, meems, hahs, dal := glyphs("م")[0], glyphs("ممم"), glyphs("ححح"), glyphs("مد")[0]
	if len(meems) != 3 || len(hahs) != 3 || slices.Contains(meems, alone) || meems[0] == meems[1] || meems[1] == meems[2] {
		t.Fatalf("three letters are drawn as %v, one alone as %s: they are not joined", meems, alone)
	}
	// The last letter stands leftmost: a dal that ends, a meem and a hah in the middle, a meem that begins.
	if got, want := glyphs("محمد"), []string{dal, meems[1], hahs[1], meems[2]}; !slices.Equal(got, want) {
		t.Errorf("the word is drawn as %v, want %v", got, want)
	}
	if lam, alef := glyphs("لا"), glyphs("ا")[0]; len(lam) != 1 || lam[0] == alef {
		t.Errorf("lam and alef are drawn as %v, want one glyph", lam)
	}
	// Words in two scripts: each line begins on its own side.
	if latin, arabic := two(t, "Asha محمد"); arabic <= latin {
		t.Errorf("the Arabic word begins at %g, the Latin one before it at %g", arabic, latin)
	}
	if latin, arabic := two(t, "محمد Asha"); arabic <= latin {
		t.Errorf("the Latin word begins at %g, the Arabic one before it at %g, which is not to its right", latin, arabic)
	}
}

// two is where the Latin and the Arabic part of a text begin.
func two(t *testing.T, text string) (latin, arabic float64) {
	t.Helper()
	a := draw(t, "A")[0].glyphs[0]
	for _, part := range draw(t, text) {
		if slices.Contains(part.glyphs, a) {
			latin = part.x
		} else if len(part.glyphs) > 3 { // a blank may be drawn with it
			arabic = part.x
		}
	}
	return latin, arabic
}

func TestDevanagari_IsDrawnWithItsConjuncts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"क": 1, "क्ष": 1, "ज्ञ": 1, "श्री": 2, "द्वि": 2, "कृष्ण": 4} {
		if got := draw(t, text)[0].glyphs; len(got) != want {
			t.Errorf("%s is drawn as %d glyphs, want %d", text, len(got), want)
		}
	}
	ka := draw(t, "क")[0].glyphs[0]
	if got := draw(t, "कि")[0].glyphs; len(got) != 2 || got[1] != ka {
		t.Errorf("the vowel of कि is drawn behind its letter: %v", got)
	}
}

func TestCharacter_OfNoFont_IsCountedAsMissing(t *testing.T) {
	t.Parallel()
	d := paper.New(paper.Letterhead{Name: "Green Valley"}, "Names")
	d.Field("Name", "𓀀")
	if d.Missing() != 1 {
		t.Errorf("%d glyphs are missing, want 1", d.Missing())
	}
}

func TestDocument_PrintedTwice_IsTheSame(t *testing.T) {
	t.Parallel()
	printed := func() []byte {
		d := paper.New(paper.Letterhead{Name: "Łódź Школа"}, "Leaving certificate")
		d.Field("Name", "José Ñandú Ελένη श्री محمد")
		d.Signatures("Principal")
		return save(t, "", d)
	}
	first := printed()
	if !bytes.HasPrefix(first, []byte("%PDF-")) {
		t.Error("not a PDF")
	}
	if !bytes.Equal(first, printed()) {
		t.Error("not the same one")
	}
}

func TestDocument_OfFourScripts_IsSmall(t *testing.T) {
	t.Parallel()
	d := paper.New(paper.Letterhead{Name: "Green Valley"}, "Receipt")
	for _, language := range []string{"Hindi", "Tamil", "Arabic", "Vietnamese"} {
		d.Field(language, names[language])
	}
	if body := save(t, "four", d); len(body) > 60_000 {
		t.Errorf("%d bytes", len(body))
	}
}

func TestDocument_OfChineseJapaneseAndKorean_IsSmall(t *testing.T) {
	t.Parallel()
	d := paper.New(paper.Letterhead{Name: "Green Valley"}, "Receipt")
	for _, language := range []string{"Chinese", "Japanese", "Korean"} {
		d.Field(language, names[language])
	}
	if body := save(t, "east", d); len(body) > 60_000 {
		t.Errorf("%d bytes", len(body))
	}
}

func TestBadLogo_IsLeftOut(t *testing.T) {
	t.Parallel()
	printed := func(logo []byte) []byte {
		return save(t, "", paper.New(paper.Letterhead{Name: "Green Valley", Logo: logo}, "Report card"))
	}
	var logo bytes.Buffer
	if err := png.Encode(&logo, image.NewGray(image.Rect(0, 0, 30, 60))); err != nil {
		t.Fatal(err)
	}
	plain := printed(nil)
	if !bytes.Equal(plain, printed([]byte("GIF89a, or not"))) || !bytes.Equal(plain, printed(logo.Bytes()[:40])) {
		t.Error("what is no picture was printed")
	}
	if with := printed(logo.Bytes()); !bytes.Contains(with, []byte("/Subtype /Image")) || !bytes.Equal(with, printed(logo.Bytes())) {
		t.Error("the logo was not printed, or not the same way twice")
	}
}

func TestLongTable_GoesOnOnTheNextPages(t *testing.T) {
	t.Parallel()
	pages := func(n int) int {
		doc := paper.New(paper.Letterhead{Name: "Green Valley"}, "Statement")
		rows := make([][]string, n)
		for i := range rows {
			rows[i] = []string{"30 Nov 2026", strings.Repeat("a long narration ", i%9), fmt.Sprint(i)}
		}
		doc.Grid(paper.Grid{Groups: []paper.Group{{Title: "When", Span: 1}, {Title: "How much", Span: 2}}, Rows: rows,
			Columns: []paper.Column{{Title: "Date", Width: 30}, {Title: "What", Width: 100}, {Title: "Amount", Width: 40, Number: true}},
			Totals:  [][]string{{"Total", "", "1,500.00"}}})
		doc.Ruled("Remarks", 3)
		return bytes.Count(save(t, fmt.Sprintf("table-%d", n), doc), []byte("/Type /Page\n"))
	}
	if none, few, many := pages(0), pages(5), pages(60); none != 1 || few != 1 || many < 3 {
		t.Errorf("%d, %d and %d pages", none, few, many)
	}
}

// save is the finished document, also a file in the folder PAPERS to look at.
func save(t *testing.T, name string, d *paper.Document) []byte {
	t.Helper()
	body, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if folder := os.Getenv("PAPERS"); folder != "" && name != "" {
		if err := os.WriteFile(folder+"/"+name+".pdf", body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return body
}
