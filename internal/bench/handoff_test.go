//go:build bench

package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/work"
	"github.com/goblinlab/goblinlab/worker"
)

// benchHandoff is B5: from work handed over to the handler's first line.
func benchHandoff(t *testing.T) outcome {
	o, err := redis.ParseURL(testkit.RedisURL(t))
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(o)
	t.Cleanup(func() { client.Close() })
	const n = 200
	return compare(7,
		contender{"Redis BLPOP (the limit)", func() series { return blpop(t, client, n) }},
		contender{"GoblinLab, one process", func() series { return inProcess(t, n) }},
		contender{"GoblinLab, across processes", func() series { return across(t, o, n) }},
		contender{"asynq at its defaults", func() series { return asynqDefaults(t, o, 6) }},
	)
}

func blpop(t *testing.T, c *redis.Client, n int) series {
	var out series
	got := make(chan time.Time, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for ctx.Err() == nil {
			if r, err := c.BLPop(ctx, 5*time.Second, "bench:blpop").Result(); err == nil && len(r) == 2 {
				got <- time.Now()
			}
		}
	}()
	time.Sleep(20 * time.Millisecond)
	for range n {
		start := time.Now()
		if err := c.RPush(ctx, "bench:blpop", "x").Err(); err != nil {
			t.Fatal(err)
		}
		out = append(out, (<-got).Sub(start))
		time.Sleep(time.Millisecond)
	}
	return out
}

// handled is a queue whose handler tells when it began.
func handled(ctx context.Context) (*work.Queue, chan time.Time) {
	q, got := work.New(), make(chan time.Time, 1)
	q.Register("bench", func(context.Context, string) (time.Duration, error) {
		got <- time.Now()
		return 0, nil
	})
	go q.Run(ctx, 16)
	return q, got
}

func inProcess(t *testing.T, n int) series {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	q, got := handled(ctx)
	var out series
	for i := range n {
		start := time.Now()
		q.Kick("bench", fmt.Sprint(i))
		out = append(out, (<-got).Sub(start))
		time.Sleep(time.Millisecond)
	}
	return out
}

// across uses two connections, as a server and a worker have.
func across(t *testing.T, o *redis.Options, n int) series {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	q, got := handled(ctx)
	recv, send := redis.NewClient(o), redis.NewClient(o)
	defer recv.Close()
	defer send.Close()
	go worker.Receive(ctx, recv, q)
	r := worker.NewRemote(send)
	go r.Run(ctx)
	time.Sleep(20 * time.Millisecond)
	var out series
	for i := range n {
		start := time.Now()
		r.Kick("bench", fmt.Sprint(i))
		out = append(out, (<-got).Sub(start))
		time.Sleep(time.Millisecond)
	}
	return out
}

func asynqDefaults(t *testing.T, o *redis.Options, n int) series {
	c := redis.NewClient(o)
	defer c.Close()
	got := make(chan time.Time, 1)
	srv := asynq.NewServerFromRedisClient(c, asynq.Config{LogLevel: asynq.ErrorLevel})
	if err := srv.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error { got <- time.Now(); return nil })); err != nil {
		t.Fatal(err)
	}
	defer srv.Shutdown()
	client := asynq.NewClientFromRedisClient(c)
	var out series
	for i := range n {
		time.Sleep(time.Duration(137*(i+1)) * time.Millisecond) // not in step with its polling
		start := time.Now()
		if _, err := client.Enqueue(asynq.NewTask("bench", nil)); err != nil {
			t.Fatal(err)
		}
		out = append(out, (<-got).Sub(start))
	}
	return out
}
