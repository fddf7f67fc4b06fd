package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/goblinlab/goblinlab/internal/app"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// codeFindings is the exit code of a doctor that found something and left it.
const codeFindings = 3

// exitError ends the program with a code of its own.
type exitError struct {
	code int
	text string
}

func (e exitError) Error() string { return e.text }

func doctor() *cobra.Command {
	c := &cobra.Command{
		Use: "doctor", Short: "Compare the database with the cluster's volumes; adopt or delete what has no counterpart", Args: cobra.NoArgs,
		Long: `Compare the database with the cluster's volumes, and list
  - claims with GoblinLab's labels that no volume stands for, as after the restore of an older database,
  - volumes whose claim is gone,
  - disks that their storage kept after the claim was deleted.
Nothing is changed unless --adopt or --delete names it, by the reference in the list. It works beside a running server.

It ends with 0 when nothing is found or all of it was adopted or deleted, with 3 when something is left, with 1 when it failed.`,
		Example: "  goblinlab doctor\n  goblinlab doctor --json\n  goblinlab doctor --adopt claim:team-lab/data-vol-d0k3\n  goblinlab doctor --delete disk:pvc-1f0c --yes",
	}
	f := treatment{in: os.Stdin, out: os.Stdout}
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	c.Flags().StringSliceVar(&f.adopt, "adopt", nil, "make volumes of these")
	c.Flags().StringSliceVar(&f.remove, "delete", nil, "delete these for good")
	c.Flags().BoolVar(&f.yes, "yes", false, "do not ask before something is deleted")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := load(cmd)
		if err != nil {
			return err
		}
		if path, ok := strings.CutPrefix(cfg.Database, "sqlite:"); ok {
			if _, err := os.Stat(path); err != nil {
				return fmt.Errorf("there is no GoblinLab in %s: name its folder with --data", cfg.Data)
			}
		}
		d, err := db.Open(cmd.Context(), cfg.Database)
		if err != nil {
			return err
		}
		defer d.Close()
		if _, err := d.Migrate(cmd.Context()); err != nil {
			return err
		}
		s, err := app.Volumes(d, cfg)
		if err != nil {
			return err
		}
		return f.run(cmd.Context(), s)
	}
	return c
}

// patient is what the doctor looks at.
type patient interface {
	Findings(ctx context.Context) ([]volume.Finding, error)
	AdoptFinding(ctx context.Context, f volume.Finding) (id string, err error)
	DeleteFinding(ctx context.Context, f volume.Finding) error
}

type treatment struct {
	in            io.Reader
	out           io.Writer
	json, yes     bool
	adopt, remove []string
}

// outcome is a finding with what was done about it.
type outcome struct {
	volume.Finding
	Done  string `json:"done,omitempty"` // adopted or deleted
	Error string `json:"error,omitempty"`
}

func (t *treatment) run(ctx context.Context, p patient) error {
	found, err := p.Findings(ctx)
	if err != nil {
		return err
	}
	if err := t.known(found); err != nil {
		return err
	}
	list := make([]outcome, len(found))
	left, failed := 0, 0
	in := bufio.NewScanner(t.in)
	for i, f := range found {
		list[i].Finding = f
		done, err := t.treat(ctx, p, f, in)
		switch list[i].Done = done; {
		case err != nil:
			list[i].Error = err.Error()
			failed++
		case done == "":
			left++
		}
	}
	if err := t.print(list); err != nil {
		return err
	}
	switch {
	case failed > 0:
		return fmt.Errorf("%d of %d could not be mended", failed, len(list))
	case left > 0:
		return exitError{codeFindings, fmt.Sprintf("%d found; adopt or delete them with --adopt REF or --delete REF", left)}
	}
	return nil
}

// known refuses references of which nothing was found, before anything is done.
func (t *treatment) known(found []volume.Finding) error {
	for _, ref := range slices.Concat(t.adopt, t.remove) {
		if !slices.ContainsFunc(found, func(f volume.Finding) bool { return f.Ref == ref }) {
			return fmt.Errorf("nothing of the reference %q is found; `goblinlab doctor` lists what there is", ref)
		}
		if slices.Contains(t.adopt, ref) && slices.Contains(t.remove, ref) {
			return fmt.Errorf("%q is both to adopt and to delete; choose one", ref)
		}
	}
	return nil
}

func (t *treatment) treat(ctx context.Context, p patient, f volume.Finding, in *bufio.Scanner) (done string, err error) {
	switch {
	case slices.Contains(t.adopt, f.Ref):
		if _, err := p.AdoptFinding(ctx, f); err != nil {
			return "", err
		}
		return "adopted", nil
	case slices.Contains(t.remove, f.Ref):
		if !t.yes {
			fmt.Fprintf(os.Stderr, "Type the name “%s” to delete %s for good, with its data: ", f.Name, f.Ref)
			if !in.Scan() || strings.TrimSpace(in.Text()) != f.Name {
				return "", errors.New("not deleted: the name was not typed; --yes does not ask")
			}
		}
		if err := p.DeleteFinding(ctx, f); err != nil {
			return "", err
		}
		return "deleted", nil
	}
	return "", nil
}

func (t *treatment) print(list []outcome) error {
	if t.json {
		e := json.NewEncoder(t.out)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"findings": list})
	}
	if len(list) == 0 {
		fmt.Fprintln(t.out, "The database and the cluster's volumes agree.")
		return nil
	}
	for _, o := range list {
		fmt.Fprintf(t.out, "%s\n  %s: “%s”, %s", o.Ref, kinds[o.Kind], o.Name, quantity.Memory(o.SizeBytes))
		if o.Team != "" {
			fmt.Fprintf(t.out, ", team %s", o.Team)
		}
		if o.Owner != "" {
			fmt.Fprintf(t.out, ", owner %s", o.Owner)
		}
		if len(o.Pods) > 0 {
			fmt.Fprintf(t.out, ", mounted by %s", strings.Join(o.Pods, ", "))
		}
		fmt.Fprintln(t.out)
		switch {
		case o.Error != "":
			fmt.Fprintf(t.out, "  failed: %s\n", o.Error)
		case o.Done != "":
			fmt.Fprintf(t.out, "  %s\n", o.Done)
		case o.Why != "":
			fmt.Fprintf(t.out, "  cannot be adopted: %s\n", why(o.Why))
		}
	}
	return nil
}

var kinds = map[string]string{
	volume.ClaimWithoutVolume: "a claim with GoblinLab's labels that no volume stands for",
	volume.VolumeWithoutClaim: "a volume whose claim is gone",
	volume.DiskWithoutClaim:   "a disk that its storage kept",
}

var reasons = map[string]string{
	"no-team": "no team has its namespace", "no-owner": "nobody in the team could own it", "claim-gone": "there is nothing left of it",
	"claim-anew": "a claim of its name is there already", "claim-ending": "it is being deleted", "claim-block": "it is a raw device",
	"claim-access-mode": "it can be mounted neither as ReadWriteOnce nor as ReadWriteMany", "claim-not-bound": "it has no disk",
}

func why(code string) string {
	if text, ok := reasons[code]; ok {
		return text
	}
	return code
}
