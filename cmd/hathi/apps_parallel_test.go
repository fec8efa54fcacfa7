package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// kind is a kind of request whose answer shows whose it is.
type kind struct {
	name string
	ask  func(c *client, id string) error
}

// together sends 100 requests of all kinds at once, each from a visitor of its own
// and with an id of its own. HTTP/2 and HTTP/3 share four connections, so that
// both serving processes have work.
func together(t *testing.T, c *client, s *server, kinds []kind) {
	t.Helper()
	clients := []*client{c}
	if c.name != "h1" {
		for range 3 {
			clients = append(clients, s.client(t, c.name))
		}
	}
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range 100 {
		k, visitor, id := kinds[i%len(kinds)], clients[i%len(clients)].visitor(), fmt.Sprintf("%s-%d-%d", c.name, i, i*i)
		wg.Go(func() {
			<-begin
			if err := k.ask(visitor, id); err != nil {
				t.Errorf("%s, %s: %v", k.name, id, err)
			}
		})
	}
	close(begin)
	wg.Wait()
}

// expect sends a request and compares its status.
func (c *client) expect(status int, method, path, contentType string, body []byte, headers ...string) (reply, error) {
	req := c.request(method, path, bytes.NewReader(body), headers...)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	r, err := c.exchange(req)
	if err == nil && r.StatusCode != status {
		err = fmt.Errorf("status %d, want %d; body %.200q", r.StatusCode, status, r.body)
	}
	return r, err
}

// expectJSON is expect for a 200 whose body is an object.
func (c *client) expectJSON(method, path, contentType string, body []byte, headers ...string) (map[string]any, error) {
	r, err := c.expect(200, method, path, contentType, body, headers...)
	if err != nil {
		return nil, err
	}
	var m map[string]any
	return m, json.Unmarshal([]byte(r.body), &m)
}

// differs is an error if a value, as text, is not what it should be.
func differs(what string, got any, want string) error {
	if text := fmt.Sprint(got); text != want {
		return fmt.Errorf("%s is %.300q, want %.300q", what, text, want)
	}
	return nil
}

const formType = "application/x-www-form-urlencoded"

// bodySize gives every request another size, on both sides of 64 KiB.
func bodySize(id string) int { return 1000 + 7919*len(id) + int(pattern(1, len(id))[0])*500 }

func plainKinds(a application) []kind {
	return []kind{
		{"query, headers and cookies", func(c *client, id string) error {
			m, err := c.expectJSON(http.MethodGet, "/echo?ms=3&id="+id, "", nil, "X-Request", id, "Cookie", "id="+id)
			if err != nil {
				return err
			}
			headers, _ := m["headers"].(map[string]any)
			return differs("the answer", []any{m["query"], m["cookies"], headers["X-Request"], m["uri"]},
				fmt.Sprintf("[map[id:%s ms:3] map[id:%s] %s /echo?ms=3&id=%s]", id, id, id, id))
		}},
		{"form", func(c *client, id string) error {
			m, err := c.expectJSON(http.MethodPost, "/echo", formType, []byte("id="+id+"&x[]=1"))
			if err != nil {
				return err
			}
			return differs("$_POST", m["post"], "map[id:"+id+" x:[1]]")
		}},
		{"raw body", func(c *client, id string) error {
			body := append([]byte(id), pattern(bodySize(id), 1)...)
			r, err := c.expect(200, http.MethodPost, "/input?echo=1", "application/octet-stream", body)
			if err == nil && r.body != string(body) {
				err = fmt.Errorf("%d bytes came back as other %d bytes", len(body), len(r.body))
			}
			return err
		}},
		{"upload", func(c *client, id string) error {
			data := append([]byte(id), pattern(bodySize(id), 2)...)
			body, contentType := multipartBody(map[string]string{"id": id}, upload{"file", id + ".bin", data})
			m, err := c.expectJSON(http.MethodPost, "/upload", contentType, body)
			if err != nil {
				return err
			}
			files, _ := m["files"].([]any)
			if len(files) != 1 {
				return fmt.Errorf("files %v", files)
			}
			file := files[0].(map[string]any)
			return differs("the file", []any{m["post"], file["name"], file["sha256"]},
				fmt.Sprintf("[map[id:%s] %s.bin %s]", id, id, digest(data)))
		}},
		{"large response", func(c *client, id string) error {
			r, err := c.expect(200, http.MethodGet, "/large?lines=4000&id="+id, "", nil)
			if err == nil && r.body != largeBody(id, 4000) {
				err = fmt.Errorf("%d bytes, not what was asked for", len(r.body))
			}
			return err
		}},
		{"session", func(c *client, _ string) error {
			for count := 1; count <= 2; count++ {
				m, err := c.expectJSON(http.MethodGet, "/session", "", nil)
				if err == nil {
					err = differs("the count", m["count"], strconv.Itoa(count))
				}
				if err != nil {
					return err
				}
			}
			return nil
		}},
		{"stream", func(c *client, id string) error {
			n := 1 + len(id)%5
			r, err := c.expect(200, http.MethodGet, fmt.Sprintf("/stream?ms=1&pieces=%d", n), "", nil)
			if err == nil && strings.Count(r.body, "piece") != n {
				err = fmt.Errorf("%q instead of %d pieces", r.body, n)
			}
			return err
		}},
		{"exception", func(c *client, id string) error {
			_, err := c.expect(500, http.MethodGet, "/exception?id="+id, "", nil)
			return err
		}},
		{"nothing there", func(c *client, id string) error {
			_, err := c.expect(404, http.MethodGet, "/nowhere-"+id, "", nil)
			return err
		}},
		{"libxml2", func(c *client, _ string) error {
			m, err := c.expectJSON(http.MethodGet, "/xml", "", nil)
			if err == nil {
				err = differs("the answer", []any{m["dom_loaded"], m["dom_through_wrapper"]}, "[true true]")
			}
			return err
		}},
		{"script from scratch", func(c *client, id string) error {
			m, err := c.expectJSON(http.MethodGet, "/echo.php?id="+id, "", nil)
			if err != nil {
				return err
			}
			return differs("$_GET", m["query"], "map[id:"+id+"]")
		}},
	}
}

func frameworkKinds(a application) []kind {
	kinds := []kind{
		{"query", func(c *client, id string) error {
			m, err := c.expectJSON(http.MethodGet, "/api/echo?id="+id, "", nil)
			if err != nil {
				return err
			}
			return differs("the query", m["query"], "map[id:"+id+"]")
		}},
		{"form", func(c *client, id string) error {
			m, err := c.expectJSON(http.MethodPost, "/api/echo", formType, []byte("id="+id))
			if err != nil {
				return err
			}
			return differs("the fields", m["post"], "map[id:"+id+"]")
		}},
		{"JSON", func(c *client, id string) error {
			text := digest([]byte(id)) + strings.Repeat("x", bodySize(id))
			m, err := c.expectJSON(http.MethodPost, "/api/echo", "application/json", []byte(`{"id":"`+id+`","text":"`+text+`"}`))
			if err != nil {
				return err
			}
			return differs("the JSON", m["json"], "map[id:"+id+" text:"+text+"]")
		}},
		{"upload", func(c *client, id string) error {
			data := append([]byte(id), pattern(bodySize(id), 3)...)
			body, contentType := multipartBody(nil, upload{"file", id + ".bin", data})
			m, err := c.expectJSON(http.MethodPost, "/upload", contentType, body)
			if err != nil {
				return err
			}
			return differs("the file", []any{m["name"], m["sha256"]}, fmt.Sprintf("[%s.bin %s]", id, digest(data)))
		}},
		{"login", func(c *client, id string) error {
			user, password := "alice", "wonderland"
			if strings.HasSuffix(id, "6") || strings.HasSuffix(id, "4") {
				user, password = "bob", "builder"
			}
			if r, err := login(c, user, password); err != nil || r.StatusCode != 303 {
				return fmt.Errorf("login: status %d, %v", r.StatusCode, err)
			}
			m, err := c.expectJSON(http.MethodGet, "/me", "", nil)
			if err != nil {
				return err
			}
			return differs("the user", m["user"], user)
		}},
		{"nobody", func(c *client, _ string) error {
			_, err := c.expect(401, http.MethodGet, "/me", "", nil)
			return err
		}},
		{"form with a token", func(c *client, id string) error {
			page, err := c.expect(200, http.MethodGet, "/form", "", nil)
			if err != nil {
				return err
			}
			form := url.Values{"message": {id}, "_token": {token(page.body)}}
			if _, err = c.expect(303, http.MethodPost, "/form", formType, []byte(form.Encode())); err != nil {
				return err
			}
			if page, err = c.expect(200, http.MethodGet, "/form", "", nil); err != nil {
				return err
			}
			_, notice, _ := strings.Cut(page.body, "Received: ")
			notice, _, _ = strings.Cut(notice, "<")
			return differs("the notice", html.UnescapeString(notice), id)
		}},
		{"table", func(c *client, _ string) error {
			r, err := c.expect(200, http.MethodGet, "/table", "", nil)
			if err == nil && strings.Count(r.body, "<tr class=") != 50 {
				err = fmt.Errorf("not 50 rows: %.300q", r.body)
			}
			return err
		}},
		{"stream", func(c *client, id string) error {
			n := 1 + len(id)%5
			r, err := c.expect(200, http.MethodGet, fmt.Sprintf("/stream?ms=1&pieces=%d", n), "", nil)
			if err == nil && strings.Count(r.body, "piece") != n {
				err = fmt.Errorf("%q instead of %d pieces", r.body, n)
			}
			return err
		}},
		{"exception", func(c *client, id string) error {
			_, err := c.expect(500, http.MethodGet, "/error?id="+id, "", nil)
			return err
		}},
		{"nothing there", func(c *client, id string) error {
			_, err := c.expect(404, http.MethodGet, "/nowhere-"+id, "", nil)
			return err
		}},
	}
	if a.name == "laravel" {
		kinds = append(kinds, kind{"note", func(c *client, id string) error {
			r, err := c.expect(201, http.MethodPost, "/api/notes", "application/json", []byte(`{"title":"`+id+`"}`))
			if err != nil {
				return err
			}
			var note map[string]any
			if err := json.Unmarshal([]byte(r.body), &note); err != nil {
				return err
			}
			m, err := c.expectJSON(http.MethodGet, fmt.Sprintf("/api/notes/%v", note["id"]), "", nil)
			if err != nil {
				return err
			}
			return differs("the title", m["title"], id)
		}})
	}
	return kinds
}
