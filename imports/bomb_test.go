package imports_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// workbook is an .xlsx of one sheet, as its parts are written.
func workbook(t *testing.T, rows, texts string) []byte {
	t.Helper()
	const head, main = `<?xml version="1.0" encoding="UTF-8"?>`, `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	const rels = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, part := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" ` +
			`Type="` + rels + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook ` + main + ` xmlns:r="` + rels + `"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship ` +
			`Id="r1" Type="` + rels + `/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`},
		{"xl/sharedStrings.xml", `<sst ` + main + `>` + texts + `</sst>`},
		{"xl/worksheets/sheet1.xml", `<worksheet ` + main + `><sheetData>` + rows + `</sheetData></worksheet>`},
	} {
		w, err := archive.Create(part[0])
		if err == nil {
			_, err = w.Write([]byte(head + part[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

const bookHead = `<row r="1"><c r="A1" t="inlineStr"><is><t>admissionNumber</t></is></c>` +
	`<c r="B1" t="inlineStr"><is><t>firstName</t></is></c></row>`

// bookRow is a student's row with more cells behind.
func bookRow(n int, more string) string {
	return fmt.Sprintf(`<row r="%[1]d"><c r="A%[1]d"><v>%[1]d</v></c><c r="B%[1]d" t="inlineStr"><is><t>Asha</t></is></c>%[2]s</row>`, n, more)
}

func repeat(n int, of func(i int) string) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(of(i))
	}
	return out.String()
}

// A small file must not become more in memory than an instance has.
func TestImport_FileThatGrowsWhenItIsRead_IsRefused(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	huge := `<si><t>` + strings.Repeat("A", 1<<20) + `</t></si>`
	runs := `<si>` + strings.Repeat(`<r><t>`+strings.Repeat("B", 1<<10)+`</t></r>`, 1<<10) + `</si>`
	short := `<si><t>` + strings.Repeat("A", 2<<10) + `</t></si>`
	far := func(cell string) string {
		return bookHead + repeat(3200, func(i int) string { return bookRow(i+2, fmt.Sprintf(`<c r="XFD%d"><v>%s</v></c>`, i+2, cell)) })
	}
	named := func(n int) string {
		return bookHead + bookRow(2, repeat(n, func(int) string { return `<c t="s"><v>0</v></c>` }))
	}
	many := roster2()
	many["roles"] += repeat(1_100_000, func(i int) string { return fmt.Sprintf("\nx%d,,u1", i) })
	copied := roster2()
	copied["users"] = "sourcedId,status,enabledUser,username,givenName,familyName,identifier,sms,agentSourcedIds\ng1,,true,g1," +
		strings.Repeat("M", 200<<10) + ",Rao,,+919876500301,"
	copied["roles"] = "sourcedId,status,userSourcedId,roleType,role,orgSourcedId\nr3,,g1,primary,parent,s1"
	copied["users"] += repeat(500, func(i int) string { return fmt.Sprintf("\nu%[1]d,,true,u%[1]d,Asha,Rao,R-%[1]d,,g1", i) })
	copied["roles"] += repeat(500, func(i int) string { return fmt.Sprintf("\nr-u%[1]d,,u%[1]d,primary,student,s1", i) })
	for what, at := range map[string]struct{ path, file, says string }{
		"cells in the last column":       {"student", string(workbook(t, far("1"), "")), "more cells"},
		"one long text in many cells":    {"student", string(workbook(t, named(100), huge)), "longer text"},
		"one long text of many runs":     {"student", string(workbook(t, named(100), runs)), "longer text"},
		"one text in very many cells":    {"student", string(workbook(t, named(1<<17), short)), "more text"},
		"a row of a number without end":  {"student", string(workbook(t, bookHead+bookRow(1_500_000, ""), "")), "more rows"},
		"a bundle of very many records":  {"oneroster", bundle(t, many), "more records"},
		"a bundle with one name in many": {"oneroster", bundle(t, copied), "more text"},
	} {
		a := o.Send(t, "POST", "/school-admin/"+at.path+"/import?dryRun=true", "text/csv", []byte(at.file))
		if a.Status != 422 || !strings.Contains(string(a.Body), at.says) {
			t.Errorf("%s: a file of %d bytes: %d %.300s", what, len(at.file), a.Status, a.Body)
		}
	}
	a := o.Send(t, "POST", "/school-admin/student/import?dryRun=true", "text/csv",
		workbook(t, bookHead+bookRow(2, `<c r="C2"><v></v></c>`)+bookRow(3, `<c r="XFD3"><v>1</v></c>`), ""))
	if a.Status != 200 || !strings.Contains(string(a.Body), "more cells than the header") || !strings.Contains(string(a.Body), `"creates":1`) {
		t.Errorf("a stray cell in one row: %d %s", a.Status, a.Body)
	}
}

func TestImport_PhotosThatGrowWhenTheyAreUnpacked_AreRefused(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for i := range 14 {
		w, err := archive.Create(fmt.Sprintf("%d.jpg", i))
		if err == nil {
			_, err = w.Write(make([]byte, 6<<20))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	a := o.Send(t, "POST", "/school-admin/student/photo/import?dryRun=true", "application/zip", out.Bytes())
	if a.Status != 422 || !strings.Contains(string(a.Body), "MB of photos") {
		t.Errorf("a file of %d bytes: %d %.300s", out.Len(), a.Status, a.Body)
	}
}
