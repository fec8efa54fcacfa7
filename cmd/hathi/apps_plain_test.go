package main_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// awaitGate lets a script wait until the test makes a file, or gives up with a 504.
const awaitGate = `
$awaitGate = static function (): void {
	for ($i = 0; !file_exists($_GET['gate']); ++$i) {
		if ($i > 10000) {
			http_response_code(504);
			exit('nobody opened the gate');
		}
		usleep(1000);
		clearstatcache();
	}
};
`

const (
	// gatedScript flushes a first piece and sends the second when the gate opens.
	gatedScript = awaitGate + `
echo "first\n";
if (ob_get_level() > 0) {
	ob_flush();
}
flush();
$awaitGate();
echo "second\n";`

	// finishScript writes a file after its response is complete and the gate is open.
	finishScript = awaitGate + `
header('X-Finish: yes');
echo 'finished';
$first = $_GET['function']();
echo 'too late';
$awaitGate();
file_put_contents($_GET['result'], json_encode([$first, $_GET['function'](), headers_sent(), $_GET['id']]));`

	// hintScript sends early hints and its response when the gate opens.
	hintScript = awaitGate + `
header('Link: </app.css>; rel=preload; as=style');
headers_send(103);
header_remove('Link');
$awaitGate();
header('X-Final: yes');
echo 'page';`

	// threadScript names its thread before and after a flush.
	threadScript = `echo basename(readlink('/proc/thread-self')), "\n";
if (ob_get_level() > 0) {
	ob_flush();
}
flush();
echo basename(readlink('/proc/thread-self')), "\n";`
)

func plainSuite(t *testing.T, a application, v variant, s *server, c *client) {
	run := func(name string, test func(t *testing.T, c *client)) {
		t.Run(name, func(t *testing.T) { test(t, c.visitor().on(t)) })
	}

	run("pages, JSON and files", func(t *testing.T, c *client) {
		c.get("/").is(t, 200).has(t, "<h1>Hathi: plain PHP</h1>")
		if r := c.get("/hello").is(t, 200); r.body != "Hello World" || r.Header.Get("Content-Length") != "11" {
			t.Errorf("%q, Content-Length %q", r.body, r.Header.Get("Content-Length"))
		}
		query := object(t, c.get("/get?a=1&b%5B%5D=x&b%5B%5D=y%20z").is(t, 200).body)
		if got := fmt.Sprint(query); got != "map[a:1 b:[x y z]]" {
			t.Errorf("$_GET is %s", got)
		}
		if mode := object(t, c.get("/counter").body)["mode"]; mode != a.mode {
			t.Errorf("/counter ran in mode %v", mode)
		}
		// A script that is asked for by its file runs from scratch, also beside a worker.
		if mode := object(t, c.get("/counter.php").body)["mode"]; mode != "classic" {
			t.Errorf("/counter.php ran in mode %v", mode)
		}
		isServedAsAFile(t, c, filepath.Join(a.root, "fixtures/books.xml"), "/fixtures/books.xml", "text/xml")
	})

	run("$_SERVER describes the request", func(t *testing.T, c *client) {
		r := c.mustExchange(c.request(http.MethodGet, "/server?x=%2F1", nil, "X-Two-Words", "a", "X-Two-Words", "b"))
		server := object(t, r.is(t, 200).body)
		host, port, _ := strings.Cut(s.https, ":")
		for name, want := range map[string]any{
			"REQUEST_METHOD": "GET", "REQUEST_URI": "/server?x=%2F1", "QUERY_STRING": "x=%2F1", "HTTPS": "on",
			"SERVER_PROTOCOL":   map[string]string{"h1": "HTTP/1.1", "h2": "HTTP/2.0", "h3": "HTTP/3.0"}[c.name],
			"HTTP_X_TWO_WORDS":  "a, b",
			"HTTP_HOST":         s.https,
			"SERVER_NAME":       host,
			"SERVER_PORT":       port,
			"REMOTE_ADDR":       "127.0.0.1",
			"DOCUMENT_ROOT":     a.root,
			"GATEWAY_INTERFACE": "CGI/1.1",
		} {
			if server[name] != want {
				t.Errorf("%s is %v, want %v", name, server[name], want)
			}
		}
	})

	run("getallheaders has what the client sent", func(t *testing.T, c *client) {
		req := c.request(http.MethodPost, "/echo", strings.NewReader("{}"), "Content-Type", "application/json",
			"x-lower-case", "ä", "X-Twice", "1", "X-Twice", "2", "Cookie", "a=b; c=d", "User-Agent", "test", "Accept-Encoding", "identity")
		headers, _ := object(t, c.mustExchange(req).is(t, 200).body)["headers"].(map[string]any)
		for name, want := range map[string]string{
			"Host": s.https, "Content-Type": "application/json", "Content-Length": "2", "X-Lower-Case": "ä",
			"X-Twice": "1, 2", "Cookie": "a=b; c=d", "User-Agent": "test", "Accept-Encoding": "identity",
		} {
			if headers[name] != want {
				t.Errorf("%s is %v, want %q", name, headers[name], want)
			}
			delete(headers, name)
		}
		if len(headers) > 0 {
			t.Errorf("the client did not send %v", headers)
		}
	})

	run("headers and cookies arrive line by line", func(t *testing.T, c *client) {
		r := c.get("/headers").is(t, 201)
		cookies := r.Header["Set-Cookie"]
		if len(cookies) != 3 || cookies[0] != "plain=value%20with%20spaces" || cookies[2] != "raw=a%20b; Path=/; Secure" ||
			!regexp.MustCompile(`^options=x%3Dy; expires=Wed, 18 May 2033 03:33:20 GMT; Max-Age=\d+; path=/; HttpOnly; SameSite=Strict$`).MatchString(cookies[1]) {
			t.Errorf("Set-Cookie: %q", cookies)
		}
		if got := r.Header["X-Hathi-Test"]; !slices.Equal(got, []string{"two"}) {
			t.Errorf("X-Hathi-Test: %q", got)
		}
		if got := r.Header["X-Hathi-Many"]; !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("X-Hathi-Many: %q", got)
		}
		if got := r.Header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
			t.Errorf("Content-Type: %q", got)
		}
		r = c.get("/headers?status=307&location=/elsewhere").is(t, 307)
		if got := r.Header.Get("Location"); got != "/elsewhere" {
			t.Errorf("Location: %q", got)
		}
		// The jar sends them back.
		if got := object(t, c.get("/cookie").body); got["plain"] != "value with spaces" || got["options"] != "x=y" || got["raw"] != "a b" {
			t.Errorf("$_COOKIE is %v", got)
		}
	})

	run("sessions belong to their visitor", func(t *testing.T, c *client) {
		other := c.visitor()
		ids := map[any]bool{}
		for i := 1; i <= 3; i++ {
			for _, visitor := range []*client{c, other} {
				session := object(t, visitor.get("/session").is(t, 200).body)
				ids[session["id"]] = true
				if session["count"] != float64(i) {
					t.Errorf("visit %d is counted as %v", i, session["count"])
				}
			}
		}
		if len(ids) != 2 {
			t.Errorf("two visitors had the sessions %v", ids)
		}
		// A script that leaves by exit with its session open has still stored it.
		c.get("/session?exit=1").is(t, 200)
		if count := object(t, c.get("/session").body)["count"]; count != 5.0 {
			t.Errorf("the fifth visit is counted as %v", count)
		}
	})

	run("forms arrive in $_POST", func(t *testing.T, c *client) {
		long := strings.Repeat("ö&=+% ", 40_000)
		post := object(t, c.post("/post", url.Values{"a[b][]": {"1", "2"}, "long": {long}}).is(t, 200).body)
		if post["long"] != long {
			t.Error("a long field has changed")
		}
		if got := fmt.Sprint(post["a"]); got != "map[b:[1 2]]" {
			t.Errorf("$_POST['a'] is %s", got)
		}
	})

	run("raw bodies of every size arrive in php://input", func(t *testing.T, c *client) {
		for _, size := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 6 << 20} {
			body := pattern(size, size)
			sum := digest(body)
			for _, sized := range []bool{true, false} {
				reader := unsized(body)
				if sized {
					reader = bytes.NewReader(body)
				}
				got := object(t, c.send(http.MethodPut, "/input", "application/octet-stream", reader).is(t, 200).body)
				if got["length"] != float64(size) || got["sha256"] != sum || got["same_when_read_again"] != true || got["method"] != "PUT" {
					t.Errorf("%d bytes (length known: %v): %v", size, sized, got)
				}
			}
		}
		body := pattern(200_000, 1)
		if r := c.send(http.MethodPost, "/input?echo=1", "application/octet-stream", bytes.NewReader(body)).is(t, 200); r.body != string(body) {
			t.Error("the body has changed on its way there and back")
		}
	})

	run("uploads", func(t *testing.T, c *client) {
		files := []upload{
			{"one", "small.txt", []byte("small")},
			{"many[]", "300 KB.bin", pattern(300_000, 1)},
			{"many[]", "zeros and newlines.bin", bytes.Repeat([]byte("\x00\r\n--\xff"), 1000)},
			{"named[x][y]", "größe.txt", pattern(64<<10, 2)},
			{"nothing", "empty.txt", nil},
		}
		for _, sized := range []bool{true, false} {
			body, contentType := multipartBody(map[string]string{"field": "value"}, files...)
			reader := unsized(body)
			if sized {
				reader = bytes.NewReader(body)
			}
			got := object(t, c.send(http.MethodPost, "/upload", contentType, reader).is(t, 200).body)
			if post := fmt.Sprint(got["post"]); post != "map[field:value]" {
				t.Errorf("$_POST is %s", post)
			}
			arrived, _ := got["files"].([]any)
			if len(arrived) != len(files) {
				t.Fatalf("%d files arrived, want %d", len(arrived), len(files))
			}
			for i, field := range []string{"one", "many[0]", "many[1]", "named[x][y]", "nothing"} {
				file, _ := arrived[i].(map[string]any)
				if file["field"] != field || file["name"] != files[i].name || file["size"] != float64(len(files[i].data)) ||
					file["sha256"] != digest(files[i].data) || file["is_uploaded"] != true || file["moved"] != true {
					t.Errorf("%s arrived as %v", field, file)
				}
			}
		}
		c.post("/upload", url.Values{"field": {"value"}}).is(t, 400)
	})

	run("a first piece arrives before the last is made", func(t *testing.T, c *client) {
		gate := filepath.Join(t.TempDir(), "gate")
		resp, err := c.Do(c.request(http.MethodGet, "/gated?gate="+gate, nil))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		r := bufio.NewReader(resp.Body)
		if line, err := r.ReadString('\n'); line != "first\n" {
			t.Fatalf("%q, %v", line, err)
		}
		writeFile(t, gate, "")
		if line, err := r.ReadString('\n'); line != "second\n" {
			t.Fatalf("%q, %v", line, err)
		}
		piecesArriveApart(t, c, "/stream?pieces=3&ms=60")
		c.get("/stream?pieces=2&ms=0&sse=1").is(t, 200).has(t, "id: 2\ndata: piece 2\n\n")
	})

	run("large responses arrive whole", func(t *testing.T, c *client) {
		for _, lines := range []int{0, 1, 2621, 2622, 50_000} { // 262,144 bytes leave in one piece
			if r := c.get("/large?id=x&lines="+strconv.Itoa(lines)).is(t, 200); r.body != largeBody("x", lines) {
				t.Errorf("%d lines: %d bytes, not the expected %d", lines, len(r.body), 100*lines)
			}
		}
	})

	run("HEAD", func(t *testing.T, c *client) {
		for _, path := range []string{"/hello", "/headers", "/large?lines=5000", "/fixtures/books.xml", "/stream?ms=0"} {
			isEmptyForHEAD(t, c, path)
		}
		c.get("/hello").is(t, 200) // the connection is still good
	})

	run("errors show nothing to visitors", func(t *testing.T, c *client) {
		c.get("/nowhere").is(t, 404).hides(t, a.root)
		c.get("/nowhere.php").is(t, 404).hides(t, a.root)
		for _, path := range []string{"/exception", "/fatal?kind=user", "/fatal?kind=compile", "/exception.php"} {
			c.get(path).is(t, 500).hides(t, a.root, "thrown", "raised", "Twice", "Stack trace")
			c.get("/hello").is(t, 200)
		}
		s.waitLog("thrown by exception.php")
		s.waitLog("raised by fatal.php")
		if r := c.get("/exit").is(t, 202); r.body != "before exit\nshutdown function\n" {
			t.Errorf("exit: %q", r.body)
		}
	})

	run("libxml2 collects errors and reads through PHP's streams", func(t *testing.T, c *client) {
		for range 3 {
			got := object(t, c.get("/xml").is(t, 200).body)
			if errors, _ := got["errors"].([]any); len(errors) == 0 || got["dom_through_wrapper"] != true ||
				got["dom_loaded"] != true || got["internal_errors_before"] != false {
				t.Fatalf("%v", got)
			}
		}
	})

	run("the script goes on after finish_request", func(t *testing.T, c *client) {
		for _, function := range []string{"fastcgi_finish_request", "frankenphp_finish_request", `Hathi\finish_request`} {
			dir := t.TempDir()
			gate, result := filepath.Join(dir, "gate"), filepath.Join(dir, "result")
			id := strconv.Itoa(len(function))
			query := url.Values{"function": {function}, "gate": {gate}, "result": {result}, "id": {id}}
			if r := c.get("/finish?"+query.Encode()).is(t, 200); r.body != "finished" || r.Header.Get("X-Finish") != "yes" {
				t.Errorf("%s: %q", function, r.body)
			}
			if exists(result) {
				t.Errorf("%s: the script has not waited", function)
			}
			writeFile(t, gate, "")
			var got string
			s.eventually("the script has ended", func() bool {
				b, _ := os.ReadFile(result)
				got = string(b)
				return got != ""
			})
			if want := `[true,false,true,"` + id + `"]`; got != want {
				t.Errorf("%s: %s, want %s", function, got, want)
			}
		}
	})

	run("early hints arrive before the response is made", func(t *testing.T, c *client) {
		gate := filepath.Join(t.TempDir(), "gate")
		var mu sync.Mutex
		var hints []string
		trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
			mu.Lock()
			defer mu.Unlock()
			hints = append(hints, fmt.Sprint(code, header["Link"]))
			return os.WriteFile(gate, nil, 0o644)
		}}
		req := c.request(http.MethodGet, "/hint?gate="+gate, nil)
		r := c.mustExchange(req.WithContext(httptrace.WithClientTrace(context.Background(), trace))).is(t, 200)
		mu.Lock()
		defer mu.Unlock()
		if want := []string{"103 [</app.css>; rel=preload; as=style]"}; !slices.Equal(hints, want) {
			t.Errorf("hints %q, want %q", hints, want)
		}
		if r.body != "page" || r.Header.Get("X-Final") != "yes" || r.Header.Get("Link") != "" {
			t.Errorf("after the hints: %q %v", r.body, r.Header)
		}
	})

	run("PHP runs on the threads it is told to", func(t *testing.T, c *client) {
		threads := map[string]map[string]bool{} // of each process
		for range 10 {
			pid, _, _ := strings.Cut(c.get("/pid").body, "\n")
			ids := strings.Fields(c.get("/thread").is(t, 200).body)
			if len(ids) != 2 {
				t.Fatalf("threads %q", ids)
			}
			if v.env != nil && ids[0] == ids[1] {
				t.Errorf("still on thread %s after a resume", ids[0])
			}
			if threads[pid] == nil {
				threads[pid] = map[string]bool{}
			}
			threads[pid][ids[0]], threads[pid][ids[1]] = true, true
		}
		for pid, ids := range threads {
			if v.options != "" && len(ids) > 1 {
				t.Errorf("process %s ran PHP on the threads %v", pid, ids)
			}
		}
	})

	run("100 requests at once", func(t *testing.T, c *client) { together(t, c, s, plainKinds(a)) })
}

// pattern is n bytes that depend on a seed.
func pattern(n, seed int) []byte {
	b := make([]byte, n)
	x := uint32(seed)*2654435761 + 1
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// largeBody is what large.php answers.
func largeBody(id string, lines int) string {
	var b strings.Builder
	for i := 1; i <= lines; i++ {
		line := fmt.Sprintf("%d %s ", i, id)
		b.WriteString(line + strings.Repeat(".", 99-len(line)) + "\n")
	}
	return b.String()
}
