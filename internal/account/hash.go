package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alexedwards/argon2id"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// hashing is what a password costs: above OWASP's least (19 MiB, 2, 1). Hashes
// carry their own; one that was made with others is made anew when its password is next seen.
var hashing = argon2id.Params{Memory: 32 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// Bounds of hashing, so that a flood of sign-ins takes neither the memory nor the processors.
const (
	maxHashing = 4   // at once in this process: 128 MiB
	maxWaiting = 200 // for their turn
	hashWait   = 10 * time.Second
)

// hasher makes and compares hashes of passwords, a few at a time.
type hasher struct {
	params  *argon2id.Params
	slots   chan struct{}
	waiting atomic.Int32
	done    atomic.Int64  // for tests: how many were made or compared
	nobody  func() string // the hash of a password that nobody has
}

func newHasher() *hasher {
	h := &hasher{params: &hashing, slots: make(chan struct{}, min(maxHashing, max(1, runtime.NumCPU()/2)))}
	h.nobody = sync.OnceValue(func() string {
		text, err := argon2id.CreateHash(rand.Text(), h.params)
		if err != nil { // its source of random bytes never fails
			panic(err)
		}
		return text
	})
	return h
}

// turn waits for a slot. Who would wait too long is told so at once.
func (h *hasher) turn(ctx context.Context) (done func(), err error) {
	busy := fault.New(fault.Unavailable, "account.busy", nil)
	if h.waiting.Add(1) > maxWaiting {
		h.waiting.Add(-1)
		return nil, busy
	}
	defer h.waiting.Add(-1)
	ctx, stop := context.WithTimeout(ctx, hashWait)
	defer stop()
	select {
	case h.slots <- struct{}{}:
		h.done.Add(1)
		return func() { <-h.slots }, nil
	case <-ctx.Done():
		return nil, busy
	}
}

// hash makes a PHC string of a password.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	done, err := h.turn(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	text, err := argon2id.CreateHash(password, h.params)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return text, nil
}

// compare reports whether a password is that of a hash, and whether the hash
// was made with other parameters than today's. Without a hash it takes as long, and it is not.
func (h *hasher) compare(ctx context.Context, password, hash string) (same, old bool, err error) {
	missing := hash == ""
	if missing {
		hash = h.nobody()
	}
	done, err := h.turn(ctx)
	if err != nil {
		return false, false, err
	}
	defer done()
	same, params, err := argon2id.CheckHash(password, hash)
	if err != nil {
		return false, false, errors.New("a stored password hash cannot be read") // the cause might quote it
	}
	return same && !missing, *params != *h.params, nil
}
