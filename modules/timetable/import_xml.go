package timetable

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"

	"homeroom/sheet"
)

// lessonHead are the columns of a table that is made of XML.
var lessonHead = []string{"class", "group", "day", "period", "subject", "teacher", "room"}

// convertXML makes a table of aSc's XML, or of FET's own file; any other file stays as it is.
func convertXML(file io.Reader) (io.Reader, error) {
	in := bufio.NewReader(file)
	start, err := in.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !bytes.HasPrefix(bytes.TrimLeft(start, "\ufeff \r\n\t"), []byte("<")) {
		return in, nil
	}
	rows, err := readXML(in)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	out := csv.NewWriter(&body)
	if err := out.WriteAll(rows); err != nil {
		return nil, err
	}
	return &body, nil
}

// readXML goes by the file's first element.
func readXML(in io.Reader) ([][]string, error) {
	decoder := xml.NewDecoder(in)
	decoder.CharsetReader = sheet.Charset
	for {
		token, err := decoder.Token()
		if err != nil {
			return nil, errNoTimetable.Because(err)
		}
		root, is := token.(xml.StartElement)
		if !is {
			continue
		}
		switch root.Name.Local {
		case "timetable":
			var f ascFile
			if err := decoder.DecodeElement(&f, &root); err != nil {
				return nil, errNoTimetable.Because(err)
			}
			return f.rows(), nil
		case "fet":
			var f fetFile
			if err := decoder.DecodeElement(&f, &root); err != nil {
				return nil, errNoTimetable.Because(err)
			}
			return f.rows()
		}
		return nil, errNoTimetable
	}
}

var errNoTimetable = sheet.BadFile("is no timetable of FET, and no XML that aSc TimeTables exports")
