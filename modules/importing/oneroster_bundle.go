package importing

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"homeroom/sheet"
)

const (
	// maxBundle is how large a bundle may be when it is unpacked; maxBundleCells, how many cells and records it may have: each
	// takes more memory than its bytes.
	maxBundle      = 200 << 20
	maxBundleCells = 3_000_000
	// maxConverted is how large the table may be that it is read as, maxConvertedRows how many rows are made of it: more than a
	// file may have.
	maxConverted     = 64 << 20
	maxConvertedRows = 100_001
)

// bundleFiles are those that are read.
var bundleFiles = []string{"orgs", "users", "roles", "enrollments", "classes", "courses", "demographics"}

// rosterBundle are a bundle's records that are in force, by file and by column.
type rosterBundle map[string][]map[string]string

// convertBundle makes a table of a bundle; any other file stays as it is.
func convertBundle(file io.Reader) (io.Reader, error) {
	body, err := io.ReadAll(file)
	if err != nil || !bytes.HasPrefix(body, []byte("PK\x03\x04")) {
		return bytes.NewReader(body), err
	}
	b, err := readBundle(body)
	if err != nil {
		return nil, err
	}
	if b == nil { // a workbook is a zip, too
		return bytes.NewReader(body), nil
	}
	if schools := b.where("orgs", "type", "school"); len(schools) > 1 {
		return nil, sheet.BadFile("has %d schools: send a bundle of this school alone", len(schools))
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	head := make([]string, len(rosterSheet))
	for i, c := range rosterSheet {
		head[i] = c.Name
	}
	if err := w.Write(head); err != nil {
		return nil, err
	}
	for _, record := range b.rows() {
		row := make([]string, len(head))
		for i, name := range head {
			row[i] = record[name]
		}
		if err := w.Write(row); err != nil {
			return nil, err
		}
		if out.Len() > maxConverted { // one guardian's name may be in the rows of all students
			return nil, sheet.BadFile("has more text than can be read: divide it")
		}
	}
	w.Flush()
	return &out, w.Error()
}

// readBundle unpacks the CSV files; nil: it has none of users.
func readBundle(body []byte) (rosterBundle, error) {
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return nil, sheet.BadFile("is no zip that can be read").Because(err)
	}
	b, left, cells := rosterBundle{}, int64(maxBundle), maxBundleCells
	for _, f := range archive.File {
		name, isCSV := strings.CutSuffix(path.Base(f.Name), ".csv")
		if !isCSV || !slices.Contains(bundleFiles, name) {
			continue
		}
		open, err := f.Open()
		if err != nil {
			return nil, sheet.BadFile("is no zip that can be read").Because(err)
		}
		text, err := io.ReadAll(io.LimitReader(open, left+1))
		_ = open.Close()
		if left -= int64(len(text)); left < 0 {
			return nil, sheet.BadFile("is larger than 200 MiB when it is unpacked")
		}
		if err == nil {
			b[name], err = readRecords(text, &cells)
		}
		if cells < 0 {
			return nil, sheet.BadFile("has more records than one school's: divide it")
		}
		if err != nil {
			return nil, sheet.BadFile("has a %s.csv that cannot be read", name).Because(err)
		}
	}
	if b["users"] == nil {
		return nil, nil
	}
	return b, nil
}

// readRecords reads the records of a file, and stops when their cells are more than are left.
func readRecords(text []byte, left *int) ([]map[string]string, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	r.FieldsPerRecord = -1
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return []map[string]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	out := []map[string]string{}
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		record := map[string]string{}
		for i, cell := range cells[:min(len(cells), len(head))] {
			if cell = strings.TrimSpace(cell); cell != "" {
				record[strings.TrimSpace(head[i])] = cell
			}
		}
		if *left -= 1 + len(record); *left < 0 {
			return nil, nil
		}
		if record["status"] != "tobedeleted" { // who is gone stays as they are here: an import removes nobody
			out = append(out, record)
		}
	}
}

func (b rosterBundle) where(file, column, value string) (out []map[string]string) {
	for _, r := range b[file] {
		if r[column] == value {
			out = append(out, r)
		}
	}
	return out
}

func byID(records []map[string]string) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, r := range records {
		out[r["sourcedId"]] = r
	}
	return out
}

// rosterPlace is a division by the names it has here.
type rosterPlace struct{ class, division string }

// employeeTypes are what the standard's roles are here. Who is none of them, and no student, is no record of their own.
var employeeTypes = map[string]string{"teacher": "TEACHER", "aide": "SUPPORT", "counselor": "SUPPORT", "proctor": "SUPPORT",
	"principal": "ADMIN", "siteAdministrator": "ADMIN", "systemAdministrator": "ADMIN", "administrator": "ADMIN"}

// rows are the bundle's people, subjects and assignments as rows of a table.
func (b rosterBundle) rows() (out []map[string]string) {
	users, courses, born := byID(b["users"]), byID(b["courses"]), byID(b["demographics"])
	role := map[string]string{}
	for _, r := range b["roles"] {
		if role[r["userSourcedId"]] == "" || r["roleType"] == "primary" {
			role[r["userSourcedId"]] = r["role"]
		}
	}
	for id, u := range users { // 1.1 says it of the user
		role[id] = cmp.Or(role[id], u["role"])
	}
	places := b.places(courses)
	home, since := map[string]rosterPlace{}, map[string]string{}
	members, taught := map[string][]string{}, map[string][]map[string]string{}
	for _, e := range b["enrollments"] {
		class, user := e["classSourcedId"], e["userSourcedId"]
		switch place, isHome := places[class]; {
		case e["role"] == "teacher":
			taught[class] = append(taught[class], e)
		case e["role"] == "student" && isHome:
			home[user], since[user] = place, e["beginDate"]
		case e["role"] == "student":
			members[class] = append(members[class], user)
		}
	}
	for _, u := range b["users"] {
		id := u["sourcedId"]
		record := map[string]string{"firstName": cmp.Or(u["preferredGivenName"], u["givenName"]), "email": u["email"],
			"lastName": cmp.Or(u["preferredFamilyName"], u["familyName"])}
		if record["lastName"] == record["firstName"] { // of who has one name the standard wants both
			record["lastName"] = ""
		}
		number := cmp.Or(u["identifier"], u["username"], id)
		switch kind := employeeTypes[role[id]]; {
		case role[id] == "student":
			record["part"], record["admissionNumber"] = "STUDENT", number
			record["class"], record["division"], record["enrolledFrom"] = home[id].class, home[id].division, since[id]
			record["dateOfBirth"] = born[id]["birthDate"]
			if sex := born[id]["sex"]; sex != "" && sex != "unspecified" {
				record["gender"] = strings.ToUpper(sex)
			}
			guardians(record, u, users, role)
		case kind != "":
			record["part"], record["employeeCode"], record["employeeType"] = "EMPLOYEE", number, kind
			record["phone"] = cmp.Or(u["phone"], u["sms"])
		default:
			continue
		}
		out = append(out, record)
	}
	return append(out, b.lessons(users, courses, places, home, members, taught)...)
}

// places are the divisions: the homerooms, each in the class that its course is called after.
func (b rosterBundle) places(courses map[string]map[string]string) map[string]rosterPlace {
	places := map[string]rosterPlace{}
	for _, c := range b.where("classes", "classType", "homeroom") {
		class := cmp.Or(courses[c["courseSourcedId"]]["title"], c["grades"], c["title"])
		division := strings.Trim(strings.TrimPrefix(c["title"], class), " -–/")
		if division == "" {
			division = cmp.Or(c["classCode"], "A")
		}
		places[c["sourcedId"]] = rosterPlace{class, division}
	}
	return places
}

// guardians adds those of a student's agents who can be reached by phone: they sign in with it.
func guardians(record, student map[string]string, users map[string]map[string]string, role map[string]string) {
	n := 0
	for id := range strings.SplitSeq(student["agentSourcedIds"], ",") {
		g := users[strings.TrimSpace(id)]
		phone := cmp.Or(g["sms"], g["phone"])
		if phone == "" || role[g["sourcedId"]] == "student" || n == maxGuardians {
			continue
		}
		n++
		at := "guardian" + string(rune('0'+n))
		record[at+"Relation"], record[at+"FirstName"], record[at+"LastName"] = "GUARDIAN", g["givenName"], g["familyName"]
		record[at+"Phone"], record[at+"Email"] = phone, g["email"]
	}
}

// lessons are the subjects, and who teaches them where: in the homerooms of who learns them.
func (b rosterBundle) lessons(users, courses map[string]map[string]string, places, home map[string]rosterPlace,
	members map[string][]string, taught map[string][]map[string]string) (out []map[string]string) {
	peopled := map[string]bool{} // classes that somebody sits in: those there will be
	for _, place := range home {
		peopled[place.class] = true
	}
	assign := func(e map[string]string, place rosterPlace, subject string) {
		teacher := users[e["userSourcedId"]]
		if teacher == nil || !peopled[place.class] || len(out) > maxConvertedRows {
			return
		}
		row := map[string]string{"part": "ASSIGNMENT", "teacher": cmp.Or(teacher["identifier"], teacher["username"], teacher["sourcedId"]),
			"class": place.class, "division": place.division, "subject": subject}
		if subject == "" {
			row["classTeacher"] = e["primary"]
		}
		out = append(out, row)
	}
	said, codes := map[[2]string]bool{}, b.codes(courses)
	var subjects []map[string]string
	for _, c := range b["classes"] {
		id := c["sourcedId"]
		if place, isHome := places[id]; isHome {
			for _, e := range taught[id] {
				assign(e, place, "")
			}
			continue
		}
		at := map[rosterPlace]bool{}
		for _, student := range members[id] {
			if place := home[student]; place.class != "" {
				at[place] = true
			}
		}
		course := courses[c["courseSourcedId"]]
		subject := subjectOf(c, course)
		all := slices.SortedFunc(maps.Keys(at), func(a, b rosterPlace) int {
			return strings.Compare(a.class+" "+a.division, b.class+" "+b.division)
		})
		for _, place := range all {
			if len(subjects)+len(out) > maxConvertedRows {
				break // each place times each teacher
			}
			if key := [2]string{subject, place.class}; !said[key] && !strings.ContainsAny(place.class, ",;") {
				said[key], said[[2]string{subject}] = true, true
				subjects = append(subjects, map[string]string{"part": "SUBJECT", "name": subject, "code": codes[subject], "classes": place.class})
			}
			for _, e := range taught[id] {
				assign(e, place, subject)
			}
		}
		if !said[[2]string{subject}] {
			said[[2]string{subject}] = true
			subjects = append(subjects, map[string]string{"part": "SUBJECT", "name": subject, "code": codes[subject]})
		}
	}
	return append(subjects, out...)
}

func subjectOf(class, course map[string]string) string {
	name, _, _ := strings.Cut(cmp.Or(class["subjects"], course["subjects"], course["title"], class["title"]), ",")
	return name
}

// codes are those of subjects that all of their classes have: many programs have a code for each class.
func (b rosterBundle) codes(courses map[string]map[string]string) map[string]string {
	out := map[string]string{}
	for _, c := range b["classes"] {
		course := courses[c["courseSourcedId"]]
		subject, code := subjectOf(c, course), cmp.Or(c["classCode"], course["courseCode"])
		if had, is := out[subject]; is && had != code {
			code = ""
		}
		out[subject] = code
	}
	return out
}
