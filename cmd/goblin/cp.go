package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func cp() *cobra.Command {
	c := &cobra.Command{
		Use: "cp [-r] SOURCE TARGET", Short: "Copy files to, from and between volumes", Args: cobra.ExactArgs(2),
		Long: `Copy files to, from and between volumes. A path in a volume is written VOLUME:/PATH, with the volume's name,
TEAM/NAME where several teams have one of the name, or its id, as that of a share:

    goblin cp model.bin data:/models/
    goblin cp -r data:/results ./results

What broke off goes on where it stood, also when the command is run again. Each file is checked by its
SHA-256. What is there already and the same is left; what differs is replaced with --force alone.`,
	}
	var o copyOptions
	c.Flags().BoolVarP(&o.recursive, "recursive", "r", false, "copy folders with what is in them")
	c.Flags().BoolVarP(&o.force, "force", "f", false, "replace files that differ")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		s, e, err := signedIn()
		if err != nil {
			return err
		}
		cl := newClient(s.Current, e.Token)
		cl.http.Timeout = 0 // transfers take their time; a quiet connection is ended all the same
		t := &transfer{copyOptions: o, client: cl, tell: newProgress(cmd.ErrOrStderr()), warn: func(f string, a ...any) { warn(cmd, f, a...) }}
		started := time.Now()
		err = t.run(cmd.Context(), args[0], args[1])
		t.tell.end()
		if err != nil {
			return asFailure(err)
		}
		took := time.Since(started)
		return say(cmd, map[string]any{"files": t.files, "bytes": t.bytes, "same": t.same, "skipped": t.skipped, "seconds": took.Seconds()},
			fmt.Sprintf("%d files, %s in %s%s", t.files, amount(t.bytes), took.Round(time.Second/10), t.also()))
	}
	return c
}

// asFailure makes whatever went wrong end the program as a failure, not as a wrong call.
func asFailure(err error) error {
	if _, ok := err.(failure); ok { //nolint:errorlint // the outermost one says how to end
		return err
	}
	exit := exitFailed
	var f failure
	if as(err, &f) {
		exit = f.exit
	}
	return failure{exit, err}
}

type copyOptions struct{ recursive, force bool }

// transfer is one run of the command.
type transfer struct {
	copyOptions
	client *client
	tell   *progress
	warn   func(string, ...any)

	files, bytes, same, skipped int64
}

func (t *transfer) also() string {
	out := ""
	if t.same > 0 {
		out += fmt.Sprintf("; %d were there already", t.same)
	}
	if t.skipped > 0 {
		out += fmt.Sprintf("; %d links and special files were left out", t.skipped)
	}
	return out
}

// inVolume reads VOLUME:/PATH. A single letter before the colon, or a slash, is a local path.
func inVolume(arg string) (volume, p string, ok bool) {
	volume, p, ok = strings.Cut(arg, ":")
	if !ok || volume == "" || strings.HasPrefix(volume, ".") || strings.HasPrefix(volume, "/") || strings.HasPrefix(volume, "~") || p != "" && !strings.HasPrefix(p, "/") {
		return "", "", false
	}
	return volume, p, true
}

// place is a remote path as somebody typed it.
func (t *transfer) place(ctx context.Context, volume, p string) (remote, error) {
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." || part == "." {
			return remote{}, failf(exitUsage, "%q: write the path from the volume's root, without . and ..", p)
		}
	}
	id, err := t.find(ctx, volume)
	return remote{c: t.client, volume: id, path: strings.Trim(path.Clean("/"+p), "/")}, err
}

// find is the id of a volume by its name.
func (t *transfer) find(ctx context.Context, name string) (string, error) {
	if strings.HasPrefix(name, "vol-") || strings.HasPrefix(name, "shr-") { // of a volume, or of a share of one
		return name, nil
	}
	team, base, ok := strings.Cut(name, "/")
	if !ok {
		team, base = "", name
	}
	var ids, teams []string
	for after := ""; ; {
		var got struct {
			Volumes struct {
				Nodes []struct {
					ID, Name string
					Team     struct{ Name string }
				}
				PageInfo struct {
					HasNextPage bool
					EndCursor   string
				}
			}
		}
		page := ""
		if after != "" {
			page = fmt.Sprintf(", after: %q", after)
		}
		if err := t.client.graph(ctx, `{ volumes(first: 200`+page+`) { nodes { id name team { name } } pageInfo { hasNextPage endCursor } } }`, &got); err != nil {
			return "", err
		}
		for _, v := range got.Volumes.Nodes {
			if v.Name == base && (team == "" || v.Team.Name == team) {
				ids, teams = append(ids, v.ID), append(teams, v.Team.Name+"/"+v.Name+" ("+v.ID+")")
			}
		}
		if after = got.Volumes.PageInfo.EndCursor; !got.Volumes.PageInfo.HasNextPage {
			break
		}
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", failf(exitFailed, "there is no volume %q that you may see", name)
	}
	return "", failf(exitFailed, "there are %d volumes %q; write one of %s", len(ids), name, strings.Join(teams, ", "))
}

func (t *transfer) run(ctx context.Context, from, to string) error {
	fromVolume, fromPath, down := inVolume(from)
	toVolume, toPath, up := inVolume(to)
	switch {
	case down && up:
		return t.across(ctx, fromVolume, fromPath, toVolume, toPath)
	case up:
		r, err := t.place(ctx, toVolume, toPath)
		if err != nil {
			return err
		}
		return t.uploadAll(ctx, from, r, strings.HasSuffix(toPath, "/"))
	case down:
		r, err := t.place(ctx, fromVolume, fromPath)
		if err != nil {
			return err
		}
		return t.downloadAll(ctx, r, to)
	}
	return failf(exitUsage, "neither %q nor %q is in a volume; write one as VOLUME:/PATH", from, to)
}

// across has the server copy between volumes.
func (t *transfer) across(ctx context.Context, fromVolume, fromPath, toVolume, toPath string) error {
	from, err := t.place(ctx, fromVolume, fromPath)
	if err != nil {
		return err
	}
	to, err := t.place(ctx, toVolume, toPath)
	if err != nil {
		return err
	}
	e, err := from.stat(ctx)
	switch {
	case err != nil:
		return err
	case e == nil:
		return failf(exitFailed, "there is no /%s in the volume", from.path)
	case e.Kind == "folder" && !t.recursive:
		return failf(exitUsage, "/%s is a folder; copy it with -r", from.path)
	case from.path == "":
		return failf(exitUsage, "the root itself is not copied; name a folder in it")
	}
	if to, err = t.into(ctx, to, path.Base(from.path), strings.HasSuffix(toPath, "/")); err != nil {
		return err
	}
	var done struct{ Files, Bytes, Skipped int64 }
	err = from.long(ctx, "POST", "/copy", map[string]any{"from": ref(from.path), "to": ref(to.path), "toVolume": to.volume, "replace": t.force}, &done)
	t.files, t.bytes, t.skipped = done.Files, done.Bytes, done.Skipped
	return err
}

// into is where something of a name goes: into a folder that is there, or under the name that was typed.
func (t *transfer) into(ctx context.Context, to remote, name string, folder bool) (remote, error) {
	if to.path == "" {
		return to.in(name), nil
	}
	e, err := to.stat(ctx)
	if err != nil {
		return to, err
	}
	if e != nil && e.Kind == "folder" || folder {
		if e == nil {
			if err := to.ask(ctx, "POST", "/folder", parents, nil, nil); err != nil {
				return to, err
			}
		}
		return to.in(name), nil
	}
	return to, nil
}

// amount is a number of bytes for people.
func amount(n int64) string {
	switch f := float64(n); {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", f/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", f/(1<<20))
	default:
		return fmt.Sprintf("%.2f GiB", f/(1<<30))
	}
}

// progress shows on a terminal how far a file is.
type progress struct {
	w     io.Writer // nil where nobody looks
	name  string
	total int64
	done  int64
	from  int64
	began time.Time
	next  time.Time
	shown bool
}

func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	if !ok {
		return &progress{}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &progress{}
	}
	return &progress{w: w}
}

func (p *progress) begin(name string, at, total int64) {
	p.name, p.total, p.done, p.from, p.began = printable(filepath.Base(name)), total, at, at, time.Now()
}

func (p *progress) add(n int64) {
	p.done += n
	if now := time.Now(); p.w != nil && now.After(p.next) {
		p.next = now.Add(200 * time.Millisecond)
		speed := float64(p.done-p.from) / max(now.Sub(p.began).Seconds(), 0.001)
		share := 100.0
		if p.total > 0 {
			share = 100 * float64(p.done) / float64(p.total)
		}
		p.shown = true
		_, _ = fmt.Fprintf(p.w, "\r\x1b[K%s  %.0f %% of %s, %s/s", clipRunes(p.name, 40), share, amount(p.total), amount(int64(speed)))
	}
}

func (p *progress) end() {
	if p.shown {
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// printable keeps a file's name from moving the cursor.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(name, "?"))
}
