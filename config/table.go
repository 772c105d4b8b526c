package config

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"text/tabwriter"
)

// Table is the configuration as a table of variable, default and meaning.
func Table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		def := f.Tag.Get("envDefault")
		if def == "" {
			def = "-"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", f.Tag.Get("env"), def, f.Tag.Get("help"))
	}
	_ = w.Flush()
	return b.String()
}

// String prints the configuration with its secrets masked.
func (c Config) String() string {
	var b strings.Builder
	v := reflect.ValueOf(c)
	for _, f := range reflect.VisibleFields(v.Type()) {
		text := fmt.Sprint(v.FieldByIndex(f.Index).Interface())
		if text != "" && text != "[]" {
			switch f.Tag.Get("secret") {
			case "all":
				text = "(set)"
			case "url":
				text = maskURL(text)
			}
		}
		fmt.Fprintf(&b, "%s=%s\n", f.Tag.Get("env"), text)
	}
	return b.String()
}

// GoString keeps %#v from printing what String masks.
func (c Config) GoString() string { return c.String() }

func maskURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "(set)"
	}
	return u.Redacted()
}
