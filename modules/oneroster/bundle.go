package oneroster

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"

	"homeroom/api"
	"homeroom/tenancy"
)

type exportRequest struct {
	Demographics bool `json:"demographics" doc:"Whether dates of birth and genders of students are in the bundle; unless asked for, they are not"`
}

// dataFiles are all files that the standard knows, of which its manifest has to say whether they are in the bundle.
var dataFiles = []string{"academicSessions", "categories", "classes", "classResources", "courses", "courseResources", "demographics",
	"enrollments", "lineItemLearningObjectiveIds", "lineItems", "lineItemScoreScales", "orgs", "resources", "resultLearningObjectiveIds",
	"results", "resultScoreScales", "roles", "scoreScales", "userProfiles", "userResources", "users"}

// reads are the permissions that a bundle takes, besides that of its row.
var reads = []string{"employee", "class", "division", "subject", "academic-year"}

// export writes the roster of the active academic year. A key may fetch it every night; it was made with a fresh proof.
func export(c api.Ctx, r exportRequest) (api.File, error) {
	for _, module := range reads {
		if err := c.Permit(module, api.Read); err != nil {
			return api.File{}, err
		}
	}
	if c.User.Key == nil {
		if err := c.NeedFresh(); err != nil {
			return api.File{}, err
		}
	}
	var year []struct{ ID string }
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select id::text as id from academic_year where active`, Scan: tenancy.Collect(&year)})
	if err != nil {
		return api.File{}, fmt.Errorf("reading the active year: %w", err)
	}
	if len(year) == 0 {
		return api.File{}, errNoYear
	}
	var bundle bytes.Buffer
	archive := zip.NewWriter(&bundle)
	wanted := slices.DeleteFunc(slices.Clone(files), func(f file) bool { return f.name == "demographics" && !r.Demographics })
	if err := writeFile(archive, "manifest", manifest(c, wanted)); err != nil {
		return api.File{}, err
	}
	for _, f := range wanted {
		rows, err := f.read(c)
		if err == nil {
			err = writeFile(archive, f.name, rows)
		}
		if err != nil {
			return api.File{}, err
		}
	}
	if err := archive.Close(); err != nil {
		return api.File{}, fmt.Errorf("closing a bundle: %w", err)
	}
	name := fmt.Sprintf("oneroster-%s-%s.zip", c.School.Code, c.Today())
	return api.File{Name: name, ContentType: "application/zip", Body: bundle.Bytes()}, nil
}

var errNoYear = api.Conflict("No academic year is active: there is no roster of today")

// manifest says which files there are. All are whole: what is not in one is not at the school any more.
func manifest(c api.Ctx, written []file) [][]string {
	rows := [][]string{{"propertyName", "value"}, {"manifest.version", "1.0"}, {"oneroster.version", "1.2"}}
	for _, name := range dataFiles {
		mode := "absent"
		if slices.ContainsFunc(written, func(f file) bool { return f.name == name }) {
			mode = "bulk"
		}
		rows = append(rows, []string{"file." + name, mode})
	}
	return append(rows, []string{"source.systemName", "Homeroom"}, []string{"source.systemCode", c.School.Code})
}

// writeFile adds a file to the bundle. Cells are as they are, also where a spreadsheet would take one for a formula: the standard's
// readers are programs, to which a name with a quote before it is another name.
func writeFile(archive *zip.Writer, name string, rows [][]string) error {
	to, err := archive.Create(name + ".csv")
	if err != nil {
		return fmt.Errorf("adding %s to a bundle: %w", name, err)
	}
	w := csv.NewWriter(to)
	w.UseCRLF = true
	if err := w.WriteAll(rows); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}
