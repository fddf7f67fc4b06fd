package devinit

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSettingsFrom(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		environ  []string
		wantHome string
		wantBase string
		wantErr  bool
	}{
		"an empty environment gives the defaults":          {nil, "/home/goblin", "/", false},
		"an empty value counts as unset":                   {[]string{"GOBLINLAB_HOME="}, "/home/goblin", "/", false},
		"the home can be elsewhere":                        {[]string{"GOBLINLAB_HOME=/data/me/"}, "/data/me", "/", false},
		"a base URL gains its slashes":                     {[]string{"GOBLINLAB_JUPYTER_BASE=team/nb"}, "/home/goblin", "/team/nb/", false},
		"a base URL of slashes alone is the root":          {[]string{"GOBLINLAB_JUPYTER_BASE=//"}, "/home/goblin", "/", false},
		"a relative home is refused":                       {[]string{"GOBLINLAB_HOME=me"}, "", "", true},
		"the whole file system is no home":                 {[]string{"GOBLINLAB_HOME=/x/.."}, "", "", true},
		"a colon would break the account file":             {[]string{"GOBLINLAB_HOME=/a:b"}, "", "", true},
		"of a name given twice the last counts, like HOME": {[]string{"GOBLINLAB_HOME=/a", "GOBLINLAB_HOME=/b"}, "/b", "/", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := SettingsFrom(tc.environ)
			if (err != nil) != tc.wantErr {
				t.Fatalf("error %v, want one: %t", err, tc.wantErr)
			}
			if got.Home != tc.wantHome || got.JupyterBase != tc.wantBase {
				t.Errorf("home %q base %q, want %q and %q", got.Home, got.JupyterBase, tc.wantHome, tc.wantBase)
			}
			if err == nil && !slices.Contains(got.Environ, "HOME="+tc.wantHome) {
				t.Errorf("HOME is not the home volume: %q", got.Environ)
			}
		})
	}
}

func TestSettingsFromKeepsWhatTheImageSets(t *testing.T) {
	t.Parallel()
	got, err := SettingsFrom([]string{"PATH=/opt/bin", "HOME=/root", "SHELL=/bin/zsh"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"HOME=/home/goblin", "LANG=C.UTF-8", "LOGNAME=root", "PATH=/opt/bin", "SHELL=/bin/zsh", "USER=root"}
	if !slices.Equal(got.Environ, want) {
		t.Errorf("environment %q, want %q", got.Environ, want)
	}
}

func TestBackoffNext(t *testing.T) {
	t.Parallel()
	b := Backoff{Min: time.Second, Max: 30 * time.Second, Stable: time.Minute}
	for name, tc := range map[string]struct{ previous, ran, want time.Duration }{
		"the first end waits the least":             {0, time.Millisecond, time.Second},
		"each further one waits twice as long":      {4 * time.Second, time.Second, 8 * time.Second},
		"it never waits longer than the most":       {16 * time.Second, time.Second, 30 * time.Second},
		"at the most it stays there":                {30 * time.Second, time.Second, 30 * time.Second},
		"an app that ran for long starts over":      {30 * time.Second, time.Minute, time.Second},
		"an app that ran just too short does not":   {time.Second, time.Minute - 1, 2 * time.Second},
		"a clock that went back does not wait less": {4 * time.Second, -time.Hour, 8 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := b.Next(tc.previous, tc.ran); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestSplitSecrets(t *testing.T) {
	t.Parallel()
	got, rest, found := SplitSecrets([]string{"A=1", "PASSWORD=p=q", "ROOT_PASSWORD=r", "PASSWORD_HINT=none"})
	if want := (Secrets{Password: "p=q", RootPassword: "r"}); got != want || !found {
		t.Errorf("got %#v, found %t", got.Password, found)
	}
	if want := []string{"A=1", "PASSWORD_HINT=none"}; !slices.Equal(rest, want) {
		t.Errorf("left %q, want %q", rest, want)
	}
	if _, _, found := SplitSecrets([]string{"A=1"}); found {
		t.Error("found secrets where there are none")
	}
}

func TestSetAccountHome(t *testing.T) {
	t.Parallel()
	const others = "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\nrooty:x:9:9::/root:/bin/sh\n"
	for name, tc := range map[string]struct {
		in, want string
		changed  bool
	}{
		"root moves":                   {"root:x:0:0:root:/root:/bin/bash\n" + others, "root:x:0:0:root:/h:/bin/bash\n" + others, true},
		"root is there already":        {"root:x:0:0:root:/h:/bin/bash\n", "root:x:0:0:root:/h:/bin/bash\n", false},
		"there is no root":             {others, others, false},
		"a broken line is left as is":  {"root:x:0\n", "root:x:0\n", false},
		"no line break at the end":     {"root:x:0:0::/root:/bin/sh", "root:x:0:0::/h:/bin/sh", true},
		"an empty file stays so":       {"", "", false},
		"an entry without shell moves": {"root:x:0:0::/root:", "root:x:0:0::/h:", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, changed := SetAccountHome(tc.in, "root", "/h")
			if got != tc.want || changed != tc.changed {
				t.Errorf("got %q, %t; want %q, %t", got, changed, tc.want, tc.changed)
			}
		})
	}
}

func TestSessionEnvironment(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ variable, wantShell, wantSSH string }{
		"a plain value":                  {"A=b", "export A='b'\n", "SetEnv \"A=b\"\n"},
		"an empty value":                 {"A=", "export A=''\n", "SetEnv \"A=\"\n"},
		"quotes, backslash and dollar":   {`A=it's "x" \ $HOME`, `export A='it'\''s "x" \ $HOME'` + "\n", `SetEnv "A=it's \"x\" \\ $HOME"` + "\n"},
		"a line break only in the shell": {"A=1\n2", "export A='1\n2'\n", ""},
		"a name that no shell can hold":  {"a.b-c=1", "", ""},
		"a name that starts with digits": {"1A=1", "", ""},
		"what a login sets itself":       {"HOME=/root", "", ""},
		"what sshd sets itself":          {"SSH_CONNECTION=1", "", ""},
		"the token, if a caller forgot":  {"PASSWORD=secret", "", ""},
		"root's password, the same":      {"ROOT_PASSWORD=secret", "", ""},
		"the hand-over":                  {"GOBLIN_INIT_SECRETS_FD=3", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, shell, _ := strings.Cut(shellExports([]string{tc.variable}), "\n")
			if shell != tc.wantShell {
				t.Errorf("shell reads %q, want %q", shell, tc.wantShell)
			}
			if got := sshdSetEnv([]string{tc.variable}); got != tc.wantSSH {
				t.Errorf("sshd reads %q, want %q", got, tc.wantSSH)
			}
		})
	}
}

func TestHasListener(t *testing.T) {
	t.Parallel()
	const head = "  sl  local_address rem_address   st tx_queue rx_queue\n"
	for name, tc := range map[string]struct {
		table string
		want  bool
	}{
		"an IPv4 socket that listens":     {"   0: 00000000:0016 00000000:0000 0A 00000000:00000000\n", true},
		"an IPv6 socket that listens":     {"   0: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 0\n", true},
		"a connection from that port":     {"   0: 0100007F:0016 0100007F:9C40 01 00000000:00000000\n", false},
		"a connection to that port":       {"   0: 0100007F:9C40 0100007F:0016 0A 00000000:00000000\n", false},
		"another port that listens":       {"   0: 00000000:1600 00000000:0000 0A 00000000:00000000\n", false},
		"nothing but the heading":         {"", false},
		"a line that is cut short":        {"   0: 0000\n", false},
		"the second line of two":          {"   0: 00000000:0050 00000000:0000 0A 0\n   1: 00000000:0016 00000000:0000 0A 0\n", true},
		"a port that is no hexadecimal":   {"   0: 00000000:zz 00000000:0000 0A 0\n", false},
		"an address without a port in it": {"   0: 00000000 00000000:0000 0A 0\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := hasListener(strings.NewReader(head+tc.table), 22); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		stat       string
		pid, above int
		ok         bool
	}{
		"a plain name":             {"12 (sh) S 7 12 12 0", 12, 7, true},
		"a name with parentheses":  {"12 (a) R 9 (b) S 7 12", 12, 7, true},
		"an empty file":            {"", 0, 0, false},
		"a line that is cut short": {"12 (sh) S", 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pid, above, ok := parseStat([]byte(tc.stat))
			if ok != tc.ok || ok && (pid != tc.pid || above != tc.above) {
				t.Errorf("got %d below %d, %t", pid, above, ok)
			}
		})
	}
}

func TestOutputKeepsLinesWhole(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	out := NewOutput(&b)
	copyLines(out.Prefixed("app"), strings.NewReader("one\r\n\ntwo"))
	copyLines(out.Prefixed("long"), strings.NewReader(strings.Repeat("x", maxLine+1)))
	want := "[app] one\n[app] \n[app] two\n[long] " + strings.Repeat("x", maxLine) + "\n[long] x\n"
	if b.String() != want {
		t.Errorf("got %q", b.String())
	}
}
