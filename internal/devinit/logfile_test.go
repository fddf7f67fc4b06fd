package devinit

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func someTime() time.Time { return time.Date(2026, 2, 3, 4, 5, 6, 7_000_000, time.UTC) }

func TestLogFileIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "logs/app.log")
	l := newLogFile(path, 1000, someTime)
	for i := range 500 {
		l.add(fmt.Appendf(nil, "line %d", i))
	}
	var total int64
	for _, f := range []string{path, path + ".1"} {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 1000 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %d bytes, mode %o", f, info.Size(), info.Mode().Perm())
		}
		total += info.Size()
	}
	if total < 1000 {
		t.Errorf("only %d bytes are kept", total)
	}
	got, err := l.tail(1 << 20)
	if err != nil || int64(len(got)) != total || !bytes.HasSuffix(got, []byte("2026-02-03T04:05:06.007Z line 499\n")) {
		t.Errorf("%d bytes of %d, %v: %s", len(got), total, err, got)
	}
}

func TestLogFileGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "app.log")
	newLogFile(path, 60, someTime).add([]byte("first"))
	l := newLogFile(path, 60, someTime)
	l.add([]byte("second")) // does not fit beside the first
	if got, err := l.tail(1000); err != nil || !strings.Contains(string(got), "first\n2026") || !strings.HasSuffix(string(got), "second\n") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLogFileTailIsWholeLinesWithoutGaps(t *testing.T) {
	t.Parallel()
	l := newLogFile(filepath.Join(t.TempDir(), "app.log"), 400, someTime)
	var all strings.Builder
	for i := range 20 {
		line := strings.Repeat("x", i)
		l.add([]byte(line))
		all.WriteString("2026-02-03T04:05:06.007Z " + line + "\n")
	}
	whole, err := l.tail(1000)
	if err != nil || !strings.HasSuffix(all.String(), string(whole)) || len(whole) < 400 {
		t.Fatalf("%d bytes, %v: %s", len(whole), err, whole)
	}
	for limit := range int64(len(whole) + 2) {
		got, err := l.tail(limit)
		if err != nil || int64(len(got)) > limit || !strings.HasSuffix(all.String(), string(got)) {
			t.Fatalf("at most %d bytes: %d, %v: %q", limit, len(got), err, got)
		}
		if len(got) > 0 && !bytes.HasPrefix(got, []byte("2026-")) {
			t.Fatalf("at most %d bytes begin in the middle of a line: %q", limit, got)
		}
		// No line more would have fitted.
		if rest := whole[:len(whole)-len(got)]; len(rest) > 0 {
			line := rest[bytes.LastIndexByte(rest[:len(rest)-1], '\n')+1:]
			if int64(len(got)+len(line)) <= limit {
				t.Fatalf("at most %d bytes: %d, though a line of %d is left", limit, len(got), len(line))
			}
		}
	}
}

func TestOutputHidesSecretsP96(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	out := NewOutput(&b)
	dir := t.TempDir()
	secrets := Secrets{Password: "tok3n", RootPassword: "r00t-pass"}
	out.keep(dir, []App{{Name: "lab"}}, redactor(secrets, []string{"GOBLINLAB_TOKEN=gl-1234", "OTHER=public"}))
	fmt.Fprintf(out.Prefixed("lab"), "http://x/?token=tok3n r00t-pass\n%s gl-1234 public", codeKey("tok3n"))
	fmt.Fprint(out.about("lab"), "ended with tok3n")
	fmt.Fprint(out.Prefixed("unknown"), "tok3n is told nowhere")
	data, ok, err := out.logOf("lab", 1000)
	if !ok || err != nil {
		t.Fatalf("%t %v", ok, err)
	}
	for where, text := range map[string]string{"container": b.String(), "file": string(data)} {
		for _, secret := range []string{"tok3n", "r00t-pass", "gl-1234", codeKey("tok3n")} {
			if strings.Contains(text, secret) {
				t.Errorf("%s: %q stands in %s", where, secret, text)
			}
		}
		if !strings.Contains(text, "http://x/?token=[hidden] [hidden]") || !strings.Contains(text, "[hidden] [hidden] public") {
			t.Errorf("%s: %s", where, text)
		}
	}
	if !strings.HasSuffix(string(data), "Z [goblin-init] ended with [hidden]\n") || strings.Contains(string(data), "[lab]") {
		t.Errorf("file: %s", data)
	}
}

func TestShortSecretsHideNoWords(t *testing.T) {
	t.Parallel()
	if got := redactor(Secrets{Password: "a"}, nil).Replace("a banana"); got != "a banana" {
		t.Errorf("got %q", got)
	}
}

func TestLogEndpoint(t *testing.T) {
	t.Parallel()
	out := NewOutput(&strings.Builder{})
	out.keep(t.TempDir(), []App{{Name: "lab"}, {Name: "quiet"}}, strings.NewReplacer())
	fmt.Fprint(out.Prefixed("lab"), "one\ntwo\nthree")
	handler := StatusHandler(NewBoard(nil, time.Now), &killWatch{}, Secrets{Password: "tok3n"}, out)
	for name, tc := range map[string]struct {
		path, auth string
		code       int
		want       string // the end of the body
	}{
		"without the password":           {"/apps/lab/log", "", 401, ""},
		"with a wrong one":               {"/apps/lab/log", "Bearer nope", 401, ""},
		"the whole":                      {"/apps/lab/log", "Bearer tok3n", 200, "one\n.*two\n.*three\n"},
		"its last bytes, in whole lines": {"/apps/lab/log?bytes=40", "Bearer tok3n", 200, "three\n"},
		"an app that said nothing":       {"/apps/quiet/log", "Bearer tok3n", 200, ""},
		"an app that nobody knows":       {"/apps/..%2fsecret/log", "Bearer tok3n", 404, "no such app\n"},
		"bytes that are no number":       {"/apps/lab/log?bytes=all", "Bearer tok3n", 400, "must be a number from 1 to 1048576\n"},
		"more bytes than there can be":   {"/apps/lab/log?bytes=1048577", "Bearer tok3n", 400, "must be a number from 1 to 1048576\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, tc.path, nil)
			if tc.auth != "" {
				r.Header.Set("Authorization", tc.auth)
			}
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, r)
			body := rec.Body.String()
			lines := strings.Count(body, "\n")
			last := tc.want[strings.LastIndex(strings.TrimSuffix(tc.want, "\n"), "*")+1:]
			if rec.Code != tc.code || !strings.HasSuffix(body, last) || tc.code == 200 && lines != strings.Count(tc.want, "\n") {
				t.Errorf("got %d %q, want %d %q", rec.Code, body, tc.code, tc.want)
			}
		})
	}
}
