package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/goblinlab/goblinlab/internal/account"
)

// How long a code waits to be used, and how long its cookie lasts.
const (
	codeLife   = time.Minute
	cookieLife = 12 * time.Hour
)

// grant is whose way to which app a code or a cookie stands for. It opens
// nothing by itself: the right is asked again each time.
type grant struct {
	UserID     string `json:"u"`
	SessionID  string `json:"s"` // that it was asked for in, and ends with
	InstanceID string `json:"i"`
	App        string `json:"a"`
}

const (
	codes   = "goblinlab:app-code:"
	cookies = "goblinlab:app-cookie:"
)

// issue keeps a grant under the hash of a new token.
func (g *Gateway) issue(ctx context.Context, kind string, gr grant, life time.Duration) (token string, err error) {
	b, err := json.Marshal(gr)
	if err != nil {
		return "", fmt.Errorf("encode grant: %w", err)
	}
	token = account.Token()
	if err := g.Redis.Set(ctx, kind+hash(token), b, life).Err(); err != nil {
		return "", fmt.Errorf("keep grant: %w", err)
	}
	return token, nil
}

// spend uses a code up; of several at once one gets its grant.
func (g *Gateway) spend(ctx context.Context, code string) (grant, bool, error) {
	return decode(g.Redis.GetDel(ctx, codes+hash(code)))
}

// lookup reads what a cookie stands for.
func (g *Gateway) lookup(ctx context.Context, cookie string) (grant, bool, error) {
	return decode(g.Redis.Get(ctx, cookies+hash(cookie)))
}

func decode(cmd *redis.StringCmd) (gr grant, ok bool, err error) {
	b, err := cmd.Bytes()
	if errors.Is(err, redis.Nil) {
		return grant{}, false, nil
	}
	if err != nil {
		return grant{}, false, fmt.Errorf("read grant: %w", err)
	}
	if err := json.Unmarshal(b, &gr); err != nil {
		return grant{}, false, fmt.Errorf("decode grant: %w", err)
	}
	return gr, true, nil
}

func hash(token string) string {
	h := sha256.Sum256([]byte(token))
	return hex.EncodeToString(h[:])
}
