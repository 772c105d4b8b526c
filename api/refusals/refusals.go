// Package refusals has the words of refusals in the languages besides English, a file for each: by the English of the code, as
// fmt.Sprintf takes it, and by what is put into it: labels of fields, states, months. It has no code, so that a corrected word
// compiles nothing anew but itself.
package refusals

import "embed"

// Files are the words, as <language>.json.
//
//go:embed *.json
var Files embed.FS
