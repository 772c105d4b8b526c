package api

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

//go:embed words/*.json
var wordFiles embed.FS

// wordsOf are the texts people are told, by language. English has them all and stands in
// for languages nobody has written.
var wordsOf = func() map[string]wordBook {
	books := map[string]wordBook{}
	files, err := wordFiles.ReadDir("words")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		text, err := wordFiles.ReadFile("words/" + f.Name())
		if err != nil {
			panic(err)
		}
		var book wordBook
		if err := json.Unmarshal(text, &book); err != nil {
			panic(fmt.Errorf("words/%s: %w", f.Name(), err))
		}
		books[strings.TrimSuffix(f.Name(), path.Ext(f.Name()))] = book
	}
	return books
}()

// wordBook is one language. What is in braces is filled in.
type wordBook struct {
	Notices map[string]noticeWords `json:"notices"`
	Phrases map[string]string      `json:"phrases"`
}

// noticeWords are the words of a notice; what is empty, the teller says itself.
type noticeWords struct {
	Title  string `json:"title"`
	Body   string `json:"body"`
	Teaser string `json:"teaser"`
}

// Text is something to be said in the school's language: a name in api/words, and what is
// filled in for its {placeholders}.
type Text struct {
	Name   string
	Values Values
}

// Values are filled in: texts, whatever else prints itself, and phrases of api/words (a
// Text), which are said in the same language.
type Values map[string]any

// language is the one a locale is spoken in: hi-IN is hi.
func language(locale string) string {
	tag, _, _ := strings.Cut(strings.ReplaceAll(locale, "_", "-"), "-")
	if tag = strings.ToLower(tag); wordsOf[tag].Notices == nil {
		return "en"
	}
	return tag
}

// Say is a phrase in the language of a locale.
func Say(locale string, t Text) (string, error) {
	lang := language(locale)
	words, known := wordsOf[lang].Phrases[t.Name]
	if !known {
		return "", fmt.Errorf("no phrase is called %q", t.Name)
	}
	return fill(lang, words, t.Values)
}

// In fills in what a notice says in the language of a locale, where its teller has not
// said it. Notify and NotifyIn do so by themselves.
func (n *Notice) In(locale string) error {
	if n.Text.Name == "" {
		return nil
	}
	lang := language(locale)
	words, known := wordsOf[lang].Notices[n.Text.Name]
	if !known {
		return fmt.Errorf("no notice is called %q", n.Text.Name)
	}
	for _, part := range []struct {
		into  *string
		words string
	}{{&n.Title, words.Title}, {&n.Body, words.Body}, {&n.Teaser, words.Teaser}} {
		if *part.into != "" {
			continue
		}
		var err error
		if *part.into, err = fill(lang, part.words, n.Text.Values); err != nil {
			return fmt.Errorf("notice %s: %w", n.Text.Name, err)
		}
	}
	return nil
}

// fill fills in what is in braces.
func fill(lang, words string, values Values) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(words, "{")
		out.WriteString(before)
		if !found {
			return strings.TrimSpace(out.String()), nil
		}
		name, after, _ := strings.Cut(rest, "}")
		value, given := values[name]
		if !given {
			return "", fmt.Errorf("{%s} is not given", name)
		}
		switch v := value.(type) {
		case string:
			out.WriteString(v)
		case Text:
			said, err := Say(lang, v)
			if err != nil {
				return "", err
			}
			out.WriteString(said)
		default:
			fmt.Fprint(&out, v)
		}
		words = after
	}
}
