package team

import (
	"context"
	"fmt"
	"strings"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/reservation"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/task"
	"github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Used is what the live instances, live runs and volumes of a team take from
// its quota, counted from rows (P73), without the consumers of the given ids.
// Inside a transaction, call Lock first, so that two admissions cannot pass
// each other (P85). The database sums: a team of a thousand runs is admitted to
// a thousand times.
func Used(ctx context.Context, c *ent.Client, teamID string, except ...string) (spec.Quota, error) {
	ctx = authz.AsSystem(ctx)
	var q spec.Quota
	runs := c.Run.Query().Where(run.TeamID(teamID), HoldingRun(), letIn(run.FieldID))
	instances := c.Instance.Query().Where(instance.TeamID(teamID), LiveInstance(), letIn(instance.FieldID))
	if len(except) > 0 {
		runs.Where(run.IDNotIn(except...))
		instances.Where(instance.IDNotIn(except...))
	}
	var sums []sums
	err := runs.Aggregate(func(s *sql.Selector) string {
		t := sql.Table(task.Table)
		s.Join(t).On(s.C(run.FieldTaskID), t.C(task.FieldID))
		return columns(s.Dialect(), t.C(task.FieldSpec))
	}).Scan(ctx, &sums)
	if err != nil {
		return q, fmt.Errorf("what the runs of team %s use: %w", teamID, err)
	}
	for _, r := range sums {
		r.add(&q)
	}
	sums = sums[:0]
	err = instances.Aggregate(func(s *sql.Selector) string {
		return columns(s.Dialect(), s.C(instance.FieldStartedSpec), s.C(instance.FieldSpec))
	}).Scan(ctx, &sums)
	if err != nil {
		return q, fmt.Errorf("what the instances of team %s use: %w", teamID, err)
	}
	for _, r := range sums {
		r.add(&q)
	}
	return q, usedStorage(ctx, c, teamID, &q)
}

// usedStorage adds the volumes of a team, and those of others that it mounts,
// which take no room.
func usedStorage(ctx context.Context, c *ent.Client, teamID string, q *spec.Quota) error {
	var disks []struct{ N, Bytes int64 }
	err := c.Volume.Query().Where(volume.TeamID(teamID)).Aggregate(ent.As(ent.Count(), "n"), func(s *sql.Selector) string {
		return sql.As(whole(s.Dialect(), "SUM("+s.C(volume.FieldSizeBytes)+")"), "bytes")
	}).Scan(ctx, &disks)
	if err != nil {
		return fmt.Errorf("volumes of team %s: %w", teamID, err)
	}
	for _, d := range disks {
		q.Volumes, q.StorageBytes = q.Volumes+d.N, q.StorageBytes+d.Bytes
	}
	claims, err := claimsOf(ctx, c, []string{teamID})
	q.Volumes += int64(len(claims))
	return err
}

// letIn leaves out what waits for its turn. What is live without a word of
// admission counts as let in.
func letIn(id string) func(*sql.Selector) {
	return func(s *sql.Selector) {
		r := sql.Table(reservation.Table)
		s.Where(sql.NotExists(sql.Dialect(s.Dialect()).Select(r.C(reservation.FieldConsumerID)).From(r).Where(sql.And(
			sql.ColumnsEQ(r.C(reservation.FieldConsumerID), s.C(id)), sql.EQ(r.C(reservation.FieldState), reservation.StateWaiting)))))
	}
}

// sums are those of one query, named as its columns are.
type sums struct{ Pods, CPU, Memory, GPU int64 }

func (s sums) add(q *spec.Quota) {
	q.Pods += s.Pods
	q.CPUMilli += s.CPU
	q.MemoryBytes += s.Memory
	q.GPU += s.GPU
}

// columns are the sums of the resources that documents say, the first document
// that there is of each row.
func columns(d string, documents ...string) string {
	out := []string{sql.As("COUNT(*)", "pods")}
	for _, c := range [][2]string{{"cpu", "cpuMilli"}, {"memory", "memoryBytes"}, {"gpu", "gpu"}} {
		said := make([]string, len(documents))
		for i, doc := range documents {
			if said[i] = "json_extract(" + doc + ", '$.resources." + c[1] + "')"; d == dialect.Postgres {
				said[i] = "(" + doc + "->'resources'->>'" + c[1] + "')::bigint"
			}
		}
		out = append(out, sql.As(whole(d, "SUM(COALESCE("+strings.Join(append(said, "0"), ", ")+"))"), c[0]))
	}
	return strings.Join(out, ", ")
}

// whole is a sum as a whole number: that of nothing is 0, and PostgreSQL's sums
// of big numbers are decimal ones.
func whole(d, sum string) string {
	if sum = "COALESCE(" + sum + ", 0)"; d == dialect.Postgres {
		sum += "::bigint"
	}
	return sum
}
