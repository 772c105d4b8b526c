package tenancy

import "github.com/google/uuid"

// FileKey is where the bytes of a school's file are kept. It follows from the two ids and is never
// read from a row: a row is data that somebody may have written, and could name another school's.
func FileKey(school, file uuid.UUID) string { return school.String() + "/" + file.String() }

// ThumbnailKey is where the small picture of a file is kept.
func ThumbnailKey(school, file uuid.UUID) string { return FileKey(school, file) + "-thumbnail" }
