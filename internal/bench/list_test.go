//go:build bench

package bench

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/graph"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

const listQuery = `{ instances(first: 50) { edges { cursor node { id name state createdAt owner { id displayName } team { id name } image { id name reference } resources { cpuMilli memoryBytes gpu } } } pageInfo { hasNextPage endCursor } } }`

// benchList is B7: CPU of this process for one page of 50 of 10,000 instances
// with owner, team and image, against the same rows by SQL and encoding/json.
func benchList(t *testing.T) outcome {
	d := testkit.DB(t)
	c := testkit.NewCast(t, d)
	fill(t, d.Client, c, 10_000)
	cfg := config.Default()
	cfg.URL = "http://localhost:8080"
	api := graph.New(graph.Deps{
		DB: d, Broker: event.NewLocal(), Config: cfg,
		Account:   account.New(account.Deps{DB: d, Broker: event.NewLocal(), Config: cfg}),
		Teams:     team.New(team.Deps{DB: d}),
		Images:    image.New(image.Deps{DB: d}),
		Instances: instance.New(instance.Deps{DB: d}),
	})
	as := testkit.As(t, d, c.Member)
	ours := func() {
		body, err := json.Marshal(map[string]string{"query": listQuery})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body)).WithContext(as)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if w.Code != http.StatusOK || bytes.Contains(w.Body.Bytes(), []byte(`"errors"`)) || w.Body.Len() < 5000 {
			t.Fatalf("%d %.300s", w.Code, w.Body)
		}
	}
	raw := func() {
		b, err := rawList(d.SQL, c.Team.ID)
		if err != nil || len(b) < 5000 {
			t.Fatalf("%v %.300s", err, b)
		}
	}
	cost := func(f func()) func() series {
		return func() series {
			var out series
			for range 20 { // 20 batches of 10: the clock of CPU time is coarse
				start := cpu()
				for range 10 {
					f()
				}
				out = append(out, (cpu()-start)/10)
			}
			return out
		}
	}
	ours()
	raw()
	return compare(7, contender{"SQL and encoding/json (the limit)", cost(raw)}, contender{"GoblinLab's API", cost(ours)})
}

func fill(t *testing.T, client *ent.Client, c testkit.Cast, n int) {
	t.Helper()
	ctx := authz.AsSystem(t.Context())
	img := client.Image.Create().SetName("Python").SetReference("registry.example/python:1").SaveX(ctx)
	for start := 0; start < n; start += 500 {
		var b []*ent.InstanceCreate
		for i := start; i < min(n, start+500); i++ {
			b = append(b, client.Instance.Create().SetTeamID(c.Team.ID).SetOwnerID(c.Member.ID).SetName(fmt.Sprint("lab ", i)).
				SetObjectName(fmt.Sprint("lab-", i)).SetImageID(img.ID).
				SetSpec(spec.Instance{ImageID: img.ID, Resources: spec.Resources{CPUMilli: 2000, MemoryBytes: 4 << 30}}))
		}
		if err := client.Instance.CreateBulk(b...).Exec(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

type rawNode struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	State     string         `json:"state"`
	CreatedAt time.Time      `json:"createdAt"`
	Owner     map[string]any `json:"owner"`
	Team      map[string]any `json:"team"`
	Image     map[string]any `json:"image"`
	Resources spec.Resources `json:"resources"`
}

func rawList(d *sql.DB, team string) ([]byte, error) {
	rows, err := d.Query(`SELECT i.id, i.name, i.state, i.created_at, i.spec, u.id, u.display_name, t.id, t.name, m.id, m.name, m.reference
		FROM instances i JOIN users u ON u.id = i.owner_id JOIN teams t ON t.id = i.team_id JOIN images m ON m.id = i.image_id
		WHERE i.team_id = $1 ORDER BY i.id DESC LIMIT 51`, team)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []map[string]any
	for rows.Next() {
		var n rawNode
		var js []byte
		var s spec.Instance
		var uid, uname, tid, tname, mid, mname, mref string
		if err := rows.Scan(&n.ID, &n.Name, &n.State, &n.CreatedAt, &js, &uid, &uname, &tid, &tname, &mid, &mname, &mref); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(js, &s); err != nil {
			return nil, err
		}
		n.Owner, n.Team = map[string]any{"id": uid, "displayName": uname}, map[string]any{"id": tid, "name": tname}
		n.Image, n.Resources = map[string]any{"id": mid, "name": mname, "reference": mref}, s.Resources
		out = append(out, map[string]any{"cursor": n.ID, "node": n})
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"data": map[string]any{"instances": map[string]any{"edges": out}}})
}
