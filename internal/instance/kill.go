package instance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// struckFor is how long an app's row tells of a kill below it; the history keeps it.
const struckFor = time.Hour

// kill is a process that the kernel killed since the memory of the container,
// which went on, was used up (P75).
type kill struct {
	Number  int64     `json:"number"` // in this container
	At      time.Time `json:"at"`
	App     string    `json:"app"`     // empty for a process that no app started
	Process string    `json:"process"` // empty when it is not known
	Limit   int64     `json:"limit"`   // bytes; 0 when it is not known, as Peak
	Peak    int64     `json:"peak"`
}

// askKills reads GET /memory of the start-up program; an older one has none.
func askKills(ctx context.Context, door *http.Client) ([]kill, error) {
	body, status, err := get(ctx, door, "/memory", "", maxStatus)
	if err != nil || status == http.StatusNotFound {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("ask for memory: status %d", status)
	}
	var m struct {
		Kills []kill `json:"kills"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("read memory: %w", err)
	}
	for i := range m.Kills {
		m.Kills[i].App, m.Kills[i].Process = clip(m.Kills[i].App), clip(m.Kills[i].Process)
	}
	return m.Kills, nil
}

// args are those of the words about it.
func (k kill) args() map[string]any {
	amount := func(n int64) string {
		if n <= 0 {
			return "–"
		}
		return quantity.Memory(n)
	}
	process := k.Process
	if process == "" {
		process = "@noun.process"
	}
	return map[string]any{"process": process, "limit": amount(k.Limit), "peak": amount(k.Peak)}
}

// struck are the apps, with the reason of those below which something was
// killed lately.
func struck(apps []spec.App, kills []kill, now time.Time) []spec.App {
	if len(kills) == 0 {
		return apps
	}
	out := make([]spec.App, len(apps))
	for i, a := range apps {
		for _, k := range kills { // the newest last
			if k.App == a.Name && now.Sub(k.At) < struckFor {
				a.Reason = &spec.Reason{Code: reason.ProcessOOMKilled, Args: k.args()}
			}
		}
		out[i] = a
	}
	return out
}

// lastOutOfMemory is when the node last said that the pod's memory was used up.
func lastOutOfMemory(events []*corev1.Event, p *corev1.Pod) time.Time {
	var last time.Time
	for _, e := range events {
		if e.Reason == reason.OutOfMemory && e.InvolvedObject.UID == p.UID && history.LastTime(e).After(last) {
			last = history.LastTime(e)
		}
	}
	return last
}

// keepKills writes what was killed into the history, each once.
func (s *Service) keepKills(ctx context.Context, i *ent.Instance, pod string, kills []kill) error {
	if len(kills) == 0 {
		return nil
	}
	key := func(k kill) string {
		return "kill/" + pod + "/" + strconv.FormatInt(k.At.Unix(), 10) + "/" + strconv.FormatInt(k.Number, 10)
	}
	newest := key(kills[len(kills)-1])
	v, _ := s.polls.LoadOrStore(i.ID, &poll{})
	last := v.(*poll)
	last.mu.Lock()
	defer last.mu.Unlock()
	if last.kept == newest {
		return nil
	}
	changed := false
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		changed = false
		for _, k := range kills {
			args := k.args()
			args["app"] = k.App
			if k.App == "" {
				args["app"] = "@noun.container"
			}
			added, err := history.Observe(ctx, tx.Event, history.Entry{TeamID: i.TeamID, SubjectID: i.ID, At: k.At,
				Severity: entevent.SeverityWarning, Source: entevent.SourcePlatform, Type: "process-killed", Args: args, DedupeKey: key(k)})
			if err != nil {
				return err
			}
			changed = changed || added
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep kills of %s: %w", i.ID, err)
	}
	last.kept = newest
	if changed {
		s.happened(ctx, i.TeamID, i.ID)
	}
	return nil
}
