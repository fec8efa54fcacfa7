package main_test

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// expired is the status for a wrong CSRF token.
var expired = map[string]int{"symfony": 403, "laravel": 419}

var tokenField = regexp.MustCompile(`name="_token" value="([^"]+)"`)

// token finds a page's CSRF token.
func token(page string) string {
	m := tokenField.FindStringSubmatch(page)
	if m == nil {
		return ""
	}
	return html.UnescapeString(m[1])
}

// value finds the text of the element with an id.
func value(page, id string) string {
	_, rest, _ := strings.Cut(page, `id="`+id+`">`)
	text, _, _ := strings.Cut(rest, "<")
	return strings.TrimSpace(text)
}

// login logs a user in and returns the reply to the form.
func login(c *client, user, password string) (reply, error) {
	page, err := c.trySend(http.MethodGet, "/login", "", nil)
	if err != nil {
		return reply{}, err
	}
	form := url.Values{"user": {user}, "password": {password}, "_token": {token(page.body)}}
	return c.trySend(http.MethodPost, "/login", "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

func frameworkSuite(t *testing.T, a application, _ variant, s *server, c *client) {
	run := func(name string, test func(t *testing.T, c *client)) {
		t.Run(name, func(t *testing.T) { test(t, c.visitor().on(t)) })
	}

	run("pages, JSON and files", func(t *testing.T, c *client) {
		home := c.get("/").is(t, 200)
		if mode, boots := value(home.body, "mode"), value(home.body, "boots"); mode != a.mode || boots == "" {
			t.Errorf("mode %q, boots %q", mode, boots)
		}
		if opcache := value(home.body, "opcache"); !strings.HasPrefix(opcache, "on") {
			t.Errorf("OPcache is %q", opcache)
		}
		if rows := strings.Count(c.get("/table").is(t, 200).has(t, "Elephant &lt;50&gt;").body, "<tr class="); rows != 50 {
			t.Errorf("%d rows", rows)
		}
		r := c.get("/api/hello").is(t, 200)
		if r.body != `{"message":"Hello World"}` || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%q, Content-Type %q", r.body, r.Header.Get("Content-Type"))
		}
		echo := object(t, c.send(http.MethodPut, "/api/echo?q=1", "application/json", strings.NewReader(`{"a":["ö"]}`)).is(t, 200).body)
		if got := fmt.Sprint(echo); got != "map[json:map[a:[ö]] method:PUT post:"+emptyPost(echo)+" query:map[q:1]]" {
			t.Errorf("echo: %s", got)
		}
		isServedAsAFile(t, c, filepath.Join(a.root, "app.css"), "/app.css", "text/css")
	})

	run("large JSON there and back", func(t *testing.T, c *client) {
		text := strings.Repeat("0123456789abcdef", 5<<20/16)
		for _, body := range [][]byte{[]byte(`{"text":"` + text + `"}`)} {
			echo := object(t, c.send(http.MethodPost, "/api/echo", "application/json", unsized(body)).is(t, 200).body)
			if json, _ := echo["json"].(map[string]any); json["text"] != text {
				t.Error("the text has changed")
			}
		}
	})

	run("visitors log in and stay apart", func(t *testing.T, c *client) {
		nobody, bob := c.visitor(), c.visitor()
		if r, err := login(c, "alice", "builder"); err != nil || r.StatusCode != 401 {
			t.Fatalf("alice with bob's password: %d, %v", r.StatusCode, err)
		}
		r := c.post("/login", url.Values{"user": {"alice"}, "password": {"wonderland"}, "_token": {"guessed"}})
		r.is(t, expired[a.name])
		for visitor, credentials := range map[*client][2]string{c: {"alice", "wonderland"}, bob: {"bob", "builder"}} {
			r, err := login(visitor, credentials[0], credentials[1])
			if err != nil || r.StatusCode != 303 || !strings.HasSuffix(r.Header.Get("Location"), "/me") {
				t.Fatalf("%s: %d to %q, %v", credentials[0], r.StatusCode, r.Header.Get("Location"), err)
			}
		}
		for range 4 {
			for visitor, user := range map[*client]any{c: "alice", bob: "bob", nobody: nil} {
				r := visitor.get("/me")
				if got := object(t, r.body)["user"]; got != user || (r.StatusCode == 200) != (user != nil) {
					t.Fatalf("%v is seen as %v (%d)", user, got, r.StatusCode)
				}
			}
		}
		page := c.get("/login").is(t, 200).has(t, "<strong>alice</strong>")
		c.post("/logout", url.Values{"_token": {token(page.body)}}).is(t, 303)
		c.get("/me").is(t, 401)
		bob.get("/me").is(t, 200)
	})

	run("the session's cookie is for the server only", func(t *testing.T, c *client) {
		r := c.get("/login").is(t, 200)
		for _, cookie := range r.Cookies() {
			if cookie.Name == "hathi_"+a.name {
				if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" {
					t.Errorf("%s", cookie.Raw)
				}
				return
			}
		}
		t.Errorf("no session cookie in %q", r.Header["Set-Cookie"])
	})

	run("a form's message is shown once", func(t *testing.T, c *client) {
		message := `<b>"message"</b> over ` + c.name
		page := c.get("/form").is(t, 200)
		c.post("/form", url.Values{"message": {message}, "_token": {"guessed"}}).is(t, expired[a.name])
		c.visitor().post("/form", url.Values{"message": {message}, "_token": {token(page.body)}}).is(t, expired[a.name])
		c.post("/form", url.Values{"message": {message}, "_token": {token(page.body)}}).is(t, 303)
		c.visitor().get("/form").hides(t, "Received")
		shown := c.get("/form").is(t, 200)
		if !strings.Contains(html.UnescapeString(shown.body), "Received: "+message) || strings.Contains(shown.body, "<b>") {
			t.Errorf("%.1000q", shown.body)
		}
		c.get("/form").hides(t, "Received")

		empty := c.post("/form", url.Values{"message": {""}, "_token": {token(shown.body)}})
		if a.name == "laravel" { // redirects back to where the error is shown
			empty.is(t, 302)
			empty = c.get("/form")
		} else {
			empty.is(t, 422)
		}
		empty.has(t, `class="error"`)
	})

	run("uploads", func(t *testing.T, c *client) {
		c.get("/upload").is(t, 200).has(t, "multipart/form-data")
		for _, file := range []upload{
			{"file", "small.txt", []byte("small")},
			{"file", "binary.bin", pattern(300_000, 3)},
			{"file", "größe.bin", bytes.Repeat([]byte("\x00\r\n--"), 20_000)},
		} {
			body, contentType := multipartBody(map[string]string{"a": "b"}, upload{"other", "other.txt", []byte("other")}, file)
			for _, reader := range []func() reply{
				func() reply { return c.send(http.MethodPost, "/upload", contentType, bytes.NewReader(body)) },
				func() reply { return c.send(http.MethodPost, "/upload", contentType, unsized(body)) },
			} {
				got := object(t, reader().is(t, 200).body)
				if got["name"] != file.name || got["size"] != float64(len(file.data)) || got["sha256"] != digest(file.data) {
					t.Errorf("%s arrived as %v", file.name, got)
				}
			}
		}
	})

	run("pieces arrive one by one", func(t *testing.T, c *client) { piecesArriveApart(t, c, "/stream?pieces=3&ms=60") })

	run("HEAD", func(t *testing.T, c *client) {
		for _, path := range []string{"/", "/table", "/api/hello", "/app.css"} {
			isEmptyForHEAD(t, c, path)
		}
		c.get("/api/hello").is(t, 200) // the connection is still good
	})

	run("errors show nothing to visitors", func(t *testing.T, c *client) {
		c.get("/nowhere").is(t, 404).hides(t, filepath.Dir(a.root), "Stack trace")
		c.get("/error").is(t, 500).hides(t, "thrown by", filepath.Dir(a.root), "Exception", "Stack trace")
		c.send(http.MethodDelete, "/login", "", nil).is(t, 405)
		c.get("/api/hello").is(t, 200)
	})

	if a.name == "laravel" {
		run("notes are kept in the database", func(t *testing.T, c *client) {
			c.send(http.MethodPost, "/api/notes", "application/json", strings.NewReader(`{"body":"no title"}`)).is(t, 422).has(t, `"title"`)
			note := object(t, c.send(http.MethodPost, "/api/notes", "application/json", strings.NewReader(`{"title":"over `+c.name+`"}`)).is(t, 201).body)
			path := fmt.Sprintf("/api/notes/%.0f", note["id"])
			if got := object(t, c.get(path).is(t, 200).body)["title"]; got != "over "+c.name {
				t.Errorf("title %v", got)
			}
			if r := c.send(http.MethodDelete, path, "", nil).is(t, 204); r.body != "" {
				t.Errorf("204 with the body %q", r.body)
			}
			c.get(path).is(t, 404)
		})
	}

	run("100 requests at once", func(t *testing.T, c *client) { together(t, c, s, frameworkKinds(a)) })
}

// emptyPost is how the framework echoes that there were no form fields.
func emptyPost(echo map[string]any) string { return fmt.Sprint(echo["post"]) }
