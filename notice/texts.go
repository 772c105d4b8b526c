package notice

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"

	"homeroom/api"
)

//go:embed texts/*.json
var textFiles embed.FS

// catalogues are the texts by language. English is complete, and used for languages that have no
// catalogue.
var catalogues = func() map[string]catalogue {
	all := map[string]catalogue{}
	files, err := textFiles.ReadDir("texts")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		text, err := textFiles.ReadFile("texts/" + f.Name())
		if err != nil {
			panic(err)
		}
		var c catalogue
		if err := json.Unmarshal(text, &c); err != nil {
			panic(fmt.Errorf("texts/%s: %w", f.Name(), err))
		}
		all[strings.TrimSuffix(f.Name(), path.Ext(f.Name()))] = c
	}
	return all
}()

// catalogue is one language. Placeholders are in braces.
type catalogue struct {
	Notices map[string]texts  `json:"notices"`
	Phrases map[string]string `json:"phrases"`
}

// texts are the parts of a notice; an empty part is set by the sender.
type texts struct {
	Title  string `json:"title"`
	Body   string `json:"body"`
	Teaser string `json:"teaser"`
}

// Text is something to be said in the school's language: a name in the catalogue, and the values
// of its {placeholders}.
type Text struct {
	Name   string
	Values Values
}

// Values are the values of placeholders: strings, anything that prints itself, phrases of the
// catalogue (a Text), which are translated into the same language, and days (On).
type Values map[string]any

// On is a day in words. The log has "on 2026-11-17", for it is read on any day; a message says "today" or "tomorrow",
// as of the day it arrives.
type On api.Date

// phrase is the day as it is said on another; zero: on any.
func (d On) phrase(said api.Date) Text {
	day := api.Date(d)
	if !said.IsZero() {
		for name, other := range map[string]api.Date{"day.today": said, "day.tomorrow": said.AddDays(1), "day.yesterday": said.AddDays(-1)} {
			if day == other {
				return Text{Name: name}
			}
		}
	}
	return Text{Name: "day.on", Values: Values{"date": day}}
}

// Translate is a phrase in the language of a locale.
func Translate(locale string, t Text) (string, error) { return translate(locale, t, api.Date{}) }

// InEveryLanguage is a phrase in each language, and as "" in that of a locale.
func InEveryLanguage(t Text, locale string) (map[string]string, error) {
	out := map[string]string{}
	for lang := range catalogues {
		words, err := Translate(lang, t)
		if err != nil {
			return nil, err
		}
		out[lang] = words
	}
	out[""] = out[language(locale)]
	return out, nil
}

func translate(locale string, t Text, said api.Date) (string, error) {
	lang := language(locale)
	phrase, known := catalogues[lang].Phrases[t.Name]
	if !known {
		return "", fmt.Errorf("no phrase is called %q", t.Name)
	}
	return fill(lang, phrase, t.Values, said)
}

// Translate fills in the title, body and teaser that are not set, in the language of a locale.
// Send and SendIn call it.
func (n *Notice) Translate(locale string) error { return n.translate(locale, api.Date{}) }

// translate words days as of the day it is said.
func (n *Notice) translate(locale string, said api.Date) error {
	if n.Text.Name == "" {
		return nil
	}
	lang := language(locale)
	known, ok := catalogues[lang].Notices[n.Text.Name]
	if !ok {
		return fmt.Errorf("no notice is called %q", n.Text.Name)
	}
	for _, part := range []struct {
		into *string
		text string
	}{{&n.Title, known.Title}, {&n.Body, known.Body}, {&n.Teaser, known.Teaser}} {
		if *part.into != "" {
			continue
		}
		var err error
		if *part.into, err = fill(lang, part.text, n.Text.Values, said); err != nil {
			return fmt.Errorf("notice %s: %w", n.Text.Name, err)
		}
	}
	return nil
}

// language is the catalogue for a locale: hi for hi-IN.
func language(locale string) string {
	tag, _, _ := strings.Cut(strings.ReplaceAll(locale, "_", "-"), "-")
	if tag = strings.ToLower(tag); catalogues[tag].Notices == nil {
		return "en"
	}
	return tag
}

// fill replaces the placeholders of a text.
func fill(lang, text string, values Values, said api.Date) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		out.WriteString(before)
		if !found {
			return strings.TrimSpace(out.String()), nil
		}
		name, after, _ := strings.Cut(rest, "}")
		value, given := values[name]
		if !given {
			return "", fmt.Errorf("{%s} has no value", name)
		}
		switch v := value.(type) {
		case string:
			out.WriteString(isolated(lang, v))
		case Text, On:
			words, isText := v.(Text)
			if !isText {
				words = v.(On).phrase(said)
			}
			phrase, err := translate(lang, words, said)
			if err != nil {
				return "", err
			}
			out.WriteString(phrase)
		default:
			out.WriteString(isolated(lang, fmt.Sprint(v)))
		}
		if value == "" && strings.HasSuffix(out.String(), " ") {
			after = strings.TrimPrefix(after, " ")
		}
		text = after
	}
}

// leftToRight is what an Arabic sentence would turn around: other letters, a currency's sign, the groups of a phone number or a day.
var leftToRight = regexp.MustCompile(`\p{Latin}|\p{Devanagari}|\p{Sc}|^\+\d|\d[ -]\d`)

// isolated keeps a name, an amount or a number from turning the words around it. A message that begins with a name stays one that is
// read from the right, since phones take its direction from the first letter that is not isolated.
func isolated(lang, value string) string {
	if lang != "ar" || !leftToRight.MatchString(value) {
		return value
	}
	return "\u2068" + value + "\u2069"
}
