package paper_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"

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
