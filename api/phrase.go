package api

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/language"

	"homeroom/api/refusals"
)

// Phrase is words for people with the values in them: what a refusal says. English stands in the code, as fmt.Sprintf takes it,
// and is the key by which refusals/ has it in each other language.
type Phrase struct {
	format string
	values []any
}

// Say is a phrase. A value may be a phrase itself, or several.
func Say(format string, values ...any) Phrase { return Phrase{format, values} }

// String is the phrase in English.
func (p Phrase) String() string {
	if len(p.values) == 0 {
		return p.format
	}
	return fmt.Sprintf(p.format, p.values...)
}

// Error lets a phrase be the reason that a function fails for.
func (p Phrase) Error() string { return p.String() }

// Phrases are several in a row.
type Phrases []Phrase

func (all Phrases) String() string { return all.join(Phrase.String) }

func (all Phrases) join(say func(Phrase) string) string {
	said := make([]string, len(all))
	for i, p := range all {
		said[i] = say(p)
	}
	return strings.Join(said, ", ")
}

// catalogue is a language besides English that refusals are worded in: its words by the English.
type catalogue map[string]string

var catalogues = func() map[string]catalogue {
	all := map[string]catalogue{}
	for _, name := range []string{"ar", "hi", "sw"} {
		text, err := refusals.Files.ReadFile(name + ".json")
		if err != nil {
			panic(err)
		}
		words := catalogue{}
		if err := json.Unmarshal(text, &words); err != nil {
			panic(fmt.Errorf("refusals/%s.json: %w", name, err))
		}
		all[name] = words
	}
	return all
}()

// catalogueFor is the language that an Accept-Language asks for first, of those there are; nil: English.
func catalogueFor(header string) catalogue {
	wanted, _, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return nil
	}
	for _, tag := range wanted {
		base, _ := tag.Base()
		if words := catalogues[base.String()]; words != nil || base.String() == "en" {
			return words
		}
	}
	return nil
}

// verb is a place of a phrase. Languages that put the values in another order number them: %[2]s.
var verb = regexp.MustCompile(`%(?:\[(\d)\])?[a-z%]`)

// say is the phrase in the language, if that has words for it.
func (c catalogue) say(p Phrase) (string, bool) {
	if len(p.values) == 1 && (p.format == "%s" || p.format == "%v") { // nothing but a value
		if inner, is := p.values[0].(Phrase); is {
			return c.say(inner)
		}
		p = Say(fmt.Sprint(p.values[0]))
	}
	words, known := c[p.format]
	if !known {
		return p.String(), false
	}
	next := 0
	return verb.ReplaceAllStringFunc(words, func(place string) string {
		if place == "%%" {
			return "%"
		}
		if number := verb.FindStringSubmatch(place)[1]; number != "" {
			next, _ = strconv.Atoi(number)
			next--
		}
		if next++; next > len(p.values) {
			return place
		}
		return c.value(p.values[next-1])
	}), true
}

// value is a value of a phrase: what has words of its own by these, a day and a number as the language writes them.
func (c catalogue) value(v any) string {
	switch v := v.(type) {
	case Phrase:
		said, _ := c.say(v)
		return said
	case Phrases:
		return v.join(func(p Phrase) string { return c.value(p) })
	case Date:
		return c.figures(strconv.Itoa(v.Day)) + " " + c[v.Month.String()] + " " + c.figures(strconv.Itoa(v.Year))
	case *Date:
		if v != nil {
			return c.value(*v)
		}
	case int, int64, float64:
		return c.figures(fmt.Sprint(v))
	}
	text := fmt.Sprint(v)
	if words, known := c[text]; known {
		return words
	}
	if strings.Trim(text, digits) == "" {
		return c.figures(text)
	}
	if words, known := c[Label(text)]; known && wireName.MatchString(text) {
		return words
	}
	return c.isolated(text)
}

// wireName is what a field may be called.
var wireName = regexp.MustCompile(`^[a-z][A-Za-z]*$`)

const (
	digits    = "0123456789" // has the language's own
	direction = "direction"  // is rtl for a language that is written from right to left
)

// figures are a number in the digits of the language.
func (c catalogue) figures(number string) string {
	own := []rune(c[digits])
	if len(own) != len(digits) {
		return number
	}
	return strings.Map(func(r rune) rune {
		if i := strings.IndexRune(digits, r); i >= 0 {
			return own[i]
		}
		return r
	}, number)
}

var latinLetter = regexp.MustCompile(`\p{Latin}|\p{Devanagari}|\p{Sc}|^\+\d`)

// isolated keeps a name from turning the words around it, where the two are written in different directions.
func (c catalogue) isolated(text string) string {
	if c[direction] != "rtl" || !latinLetter.MatchString(text) {
		return text
	}
	return "\u2068" + text + "\u2069"
}
