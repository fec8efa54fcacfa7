package main_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

// piecesArriveApart checks that three flushed lines that are made 60 ms apart are
// also received apart. A busy machine can bring them together, so there are several
// attempts; a server that holds them back never passes.
func piecesArriveApart(t *testing.T, c *client, path string) {
	t.Helper()
	var gaps []time.Duration
	for range 8 {
		resp, err := c.Do(c.request(http.MethodGet, path, nil))
		if err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(resp.Body)
		var last time.Time
		gaps = nil
		for i := 1; i <= 3; i++ {
			line, err := r.ReadString('\n')
			if want := fmt.Sprintf("piece %d\n", i); line != want {
				t.Fatalf("%s: %q instead of %q (%v)", path, line, want, err)
			}
			now := time.Now()
			if i > 1 {
				gaps = append(gaps, now.Sub(last))
			}
			last = now
		}
		rest, err := io.ReadAll(r)
		resp.Body.Close()
		if len(rest) > 0 || err != nil {
			t.Fatalf("%s: after the last piece %q, %v", path, rest, err)
		}
		if gaps[0] > 20*time.Millisecond && gaps[1] > 20*time.Millisecond {
			return
		}
	}
	t.Errorf("%s: the pieces arrived %v apart", path, gaps)
}
