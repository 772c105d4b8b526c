package api

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// ConsoleHeader has to be on every call that lives on a cookie. A page of another
// site can make a browser send cookies, and cannot make it send this.
const ConsoleHeader = "X-Homeroom-Console"

// Console marks an open row that reads or sets a cookie: it is for the console's own
// pages and those of the app, and refuses calls without their header.
func Console(r *Row) { r.Console = true }

// Cookie is what a browser keeps for the console. Scripts never see it, and it is
// sent to the path it names and from our own pages only.
type Cookie struct {
	Name   string
	Value  string
	Path   string
	Life   time.Duration // 0 makes the browser forget it
	Secure bool          // sent over https only
}

// browser is the other end of a console's call.
type browser struct{ g *gin.Context }

// Cookie is the value of a cookie the browser sent; empty if it did not.
func (c OpenCtx) Cookie(name string) string {
	if c.browser == nil {
		return ""
	}
	kept, err := c.browser.g.Request.Cookie(name)
	if err != nil {
		return ""
	}
	return kept.Value
}

// SetCookie has the browser keep a cookie, whether the call succeeds or is refused.
func (c OpenCtx) SetCookie(k Cookie) {
	if c.browser == nil {
		return
	}
	age := int(k.Life / time.Second)
	if age == 0 {
		age = -1
	}
	http.SetCookie(c.browser.g.Writer, &http.Cookie{
		Name: k.Name, Value: k.Value, Path: k.Path, MaxAge: age, Secure: k.Secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// ErrNotConsole refuses a row that is for the Console to calls from elsewhere.
var ErrNotConsole = Denied("This is for the console's own pages; the header " + ConsoleHeader + " is missing")

// fromConsole refuses what did not come from the console's own pages.
func fromConsole(g *gin.Context) error {
	if g.GetHeader(ConsoleHeader) == "" {
		return ErrNotConsole
	}
	return nil
}
