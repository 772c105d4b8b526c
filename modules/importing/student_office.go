package importing

import (
	"slices"
	"strings"

	"homeroom/sheet"
)

// The columns that offices have and an export does not: they are spread over the others when a row is read.
var (
	colFullName = len(studentSheet)
	colContact  = colFullName + 1 // the family's phone
	colParents  = colFullName + 2 // the first column of the first parent
)

// parents are blocks of columns that name a guardian by what they are to the child.
var parents = []struct {
	column, relation string
	names            []string // in the languages of schools
}{
	{"father", "FATHER", []string{"father", "fathers", "dad", "पिता", "पिता का", "الأب", "والد", "baba", "ya baba", "la baba"}},
	{"mother", "MOTHER", []string{"mother", "mothers", "mum", "mom", "माता", "माता का", "الأم", "والدة", "mama", "ya mama", "la mama"}},
	{"guardian", "GUARDIAN", []string{"guardian", "guardians", "parent", "parents", "parentGuardian", "carer", "अभिभावक", "अभिभावक का",
		"ولي الأمر", "mlezi", "ya mlezi", "la mlezi"}},
}

// The columns of each parent, counted from the parent's first.
const (
	colParentName = iota
	colParentLast
	colParentPhone
	colParentEmail
	colParentOccupation
	colParentRelation
	parentWidth
)

// officeSheet is what a file of students may have: the documented columns, and those that offices keep.
var officeSheet = append(append(slices.Clone(studentSheet),
	sheet.Column{Name: "fullName",
		Also: []string{"name", "studentName", "studentsName", "nameOfStudent", "nameOfTheStudent", "pupilName", "pupil", "student", "childName",
			"nameOfPupil", "learnerName", "studentFullName", "नाम", "छात्र का नाम", "विद्यार्थी का नाम", "اسم الطالب", "الاسم", "الاسم الكامل",
			"jina", "jina la mwanafunzi", "jina kamili"},
		Check: sheet.Text(200)},
	sheet.Column{Name: "contactPhone", Also: []string{"mobile", "mobileNo", "mobileNumber", "contact", "contactNo", "contactNumber",
		"phoneNo", "phoneNumber", "telephone", "tel",
		"whatsapp", "whatsappNo", "whatsappNumber", "मोबाइल", "मोबाइल नंबर", "फ़ोन", "फोन नंबर", "الهاتف", "رقم الهاتف", "الجوال", "رقم الجوال",
		"simu", "namba ya simu"}, Phone: true},
), parentColumns()...)

func parentColumns() (out []sheet.Column) {
	for _, p := range parents {
		also := func(before []string, after ...string) (out []string) {
			for _, name := range p.names {
				for _, word := range after {
					out = append(out, name+" "+word)
				}
				for _, word := range before {
					out = append(out, word+" "+name)
				}
			}
			return out
		}
		out = append(out,
			sheet.Column{Name: p.column + "Name", Also: append(also([]string{"اسم", "jina", "name of", "name of the"}, "name", "full name",
				"first name", "नाम"), p.names...), Check: sheet.Text(200)},
			sheet.Column{Name: p.column + "LastName", Also: also([]string{"اسم عائلة"}, "surname", "last name", "उपनाम"), Check: sheet.Text(100)},
			sheet.Column{Name: p.column + "Phone", Also: also([]string{"هاتف", "رقم هاتف", "جوال", "رقم جوال", "simu", "namba ya simu"}, "mobile",
				"mobile no", "mobile number", "phone", "phone no",
				"phone number", "contact", "contact no", "contact number", "tel", "telephone", "cell", "whatsapp", "मोबाइल", "मोबाइल नंबर", "फ़ोन",
				"फोन"), Phone: true},
			sheet.Column{Name: p.column + "Email",
				Also: also([]string{"بريد", "barua pepe"}, "email", "email id", "email address", "e mail", "ईमेल"), Check: sheet.Email},
			sheet.Column{Name: p.column + "Occupation", Also: also([]string{"مهنة", "وظيفة", "kazi"}, "occupation", "profession", "job", "व्यवसाय"),
				Check: sheet.Text(100)},
			sheet.Column{Name: p.column + "Relation", Also: also([]string{"صلة", "uhusiano"}, "relation", "relationship", "संबंध"),
				Check: relations},
		)
	}
	return out
}

// titles before a name are no part of it.
var titles = []string{"mr", "mrs", "ms", "shri", "smt", "sh", "श्री", "श्रीमती", "السيد", "السيدة", "bw", "bi"}

// splitName is a full name in two: "Rao, Asha" and "Asha Kumari Rao" are both by Rao.
func splitName(full string) (first, last string) {
	if last, first, comma := strings.Cut(full, ","); comma && strings.TrimSpace(first) != "" {
		return strings.TrimSpace(first), strings.TrimSpace(last)
	}
	words := strings.Fields(full)
	if len(words) > 1 && slices.Contains(titles, strings.ToLower(strings.TrimSuffix(words[0], "."))) {
		words = words[1:]
	}
	if len(words) < 2 {
		return strings.Join(words, " "), ""
	}
	return strings.Join(words[:len(words)-1], " "), words[len(words)-1]
}

// spread brings what the office's own columns say into the documented ones.
func (s *studentReading) spread(row int, cells []string, bad map[int]bool, found *sheet.Problems) {
	if full := cells[colFullName]; full != "" && cells[colFirstName] == "" {
		if cells[colLastName] != "" {
			cells[colFirstName] = full
		} else {
			cells[colFirstName], cells[colLastName] = splitName(full)
		}
	}
	var named [][]string // of the parents who are named
	var at []int
	for i, p := range parents {
		first := colParents + i*parentWidth
		block := cells[first : first+parentWidth]
		if !slices.ContainsFunc(block[:colParentRelation], func(cell string) bool { return cell != "" }) {
			continue
		}
		if block[colParentRelation] == "" {
			block[colParentRelation] = p.relation
		}
		named, at = append(named, block), append(at, first)
	}
	hasPhone := false
	for i := range maxGuardians {
		hasPhone = hasPhone || cells[colGuardians+i*guardianWidth+colGuardianPhone] != ""
	}
	contact := cells[colContact]
	for i, block := range named {
		if block[colParentPhone] == "" && !bad[at[i]+colParentPhone] && contact != "" {
			block[colParentPhone], contact = contact, ""
		}
		hasPhone = hasPhone || block[colParentPhone] != ""
	}
	if contact != "" && cells[colPhone] == "" &&
		!slices.ContainsFunc(named, func(block []string) bool { return block[colParentPhone] == contact }) {
		cells[colPhone] = contact
	}
	for i, block := range named {
		phone := block[colParentPhone]
		switch {
		case bad[at[i]+colParentPhone]: // it is an error already
		case phone == "" && !hasPhone:
			found.Add(row, officeSheet[at[i]+colParentPhone].Name, "is required: a guardian signs in with it")
		case phone == "" || takenPhone(cells, phone): // two parents with one phone are one account
			if s.leftOut == nil {
				s.leftOut = map[int]int{}
			}
			s.leftOut[row]++
		default:
			if bad[at[i]+colParentName] {
				continue
			}
			if block[colParentName] == "" {
				found.Add(row, officeSheet[at[i]+colParentName].Name, "is required")
				continue
			}
			if !placeGuardian(cells, block) {
				found.Addf(row, officeSheet[at[i]+colParentName].Name, "is one too many: a row names at most %d guardians", maxGuardians)
			}
		}
	}
}

func takenPhone(cells []string, phone string) bool {
	for i := range maxGuardians {
		if cells[colGuardians+i*guardianWidth+colGuardianPhone] == phone {
			return true
		}
	}
	return false
}

// placeGuardian puts a parent into the first place for guardians that is free.
func placeGuardian(cells, block []string) bool {
	for i := range maxGuardians {
		g := cells[colGuardians+i*guardianWidth : colGuardians+(i+1)*guardianWidth]
		if slices.ContainsFunc(g, func(cell string) bool { return cell != "" }) {
			continue
		}
		g[colRelation], g[colGuardianPhone], g[colGuardianEmail], g[colOccupation] = block[colParentRelation], block[colParentPhone],
			block[colParentEmail],
			block[colParentOccupation]
		if g[colGuardianFirst], g[colGuardianLast] = block[colParentName], block[colParentLast]; block[colParentLast] == "" {
			g[colGuardianFirst], g[colGuardianLast] = splitName(block[colParentName])
		}
		return true
	}
	return false
}
