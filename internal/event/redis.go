package event

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"
)

const channel = "goblinlab:events"

// Redis carries messages between processes; inside each it is a Local broker.
type Redis struct {
	*Local
	client redis.UniversalClient
	self   string // this process, so that its own messages are not delivered twice
}

var _ Broker = (*Redis)(nil)

type envelope struct {
	From string  `json:"f"`
	M    Message `json:"m"`
}

// NewRedis makes a broker whose Run must be running.
func NewRedis(client redis.UniversalClient, self string) *Redis {
	return &Redis{Local: NewLocal(), client: client, self: self}
}

// Publish delivers here at once and to the other processes through Redis. A
// failure is logged: readers also poll.
func (r *Redis) Publish(ctx context.Context, m Message) {
	r.Local.Publish(ctx, m)
	b, err := json.Marshal(envelope{r.self, m})
	if err != nil {
		slog.Error("event not encoded", "err", err)
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	if err := r.client.Publish(ctx, channel, b).Err(); err != nil {
		slog.Warn("event not published to the other processes", "topic", m.Topic, "id", m.ID, "err", err)
	}
}

// Run receives the other processes' messages until ctx ends; go-redis
// reconnects by itself.
func (r *Redis) Run(ctx context.Context) {
	ps := r.client.Subscribe(ctx, channel)
	defer ps.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case msg, ok := <-ps.Channel():
			if !ok {
				return
			}
			var e envelope
			if err := json.Unmarshal([]byte(msg.Payload), &e); err != nil {
				slog.Warn("event not understood", "err", err)
				continue
			}
			if e.From != r.self {
				r.Local.Publish(ctx, e.M)
			}
		}
	}
}
