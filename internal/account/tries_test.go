package account

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	entaudit "github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/ent/signintry"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestGuessingIsSlowedAndStrangersLockNobodyOut(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	mine := l.browser()
	mine.link(l.user)
	if err := mine.set("", good); err != nil {
		t.Fatal(err)
	}
	stranger := func(n int) *jar { b := l.browser(); b.from = "198.51.100." + string(rune('0'+n)); return b }
	for n := range 5 {
		wants(t, stranger(n).password(l.user.Email, "wrong boring lamps"), "account.password.wrong")
	}
	// Also the right password waits now, in a browser that nobody knows.
	l.hold(t)
	wants(t, stranger(6).password(l.user.Email, good), "account.locked")
	// An address that nobody has is answered in the same way.
	for range 5 {
		wants(t, stranger(7).password("nobody@example.com", good), "account.password.wrong")
	}
	l.hold(t)
	wants(t, stranger(7).password("nobody@example.com", good), "account.locked")
	// In the browser of the person nothing is locked.
	if err := mine.password(l.user.Email, good); err != nil {
		t.Errorf("the person is locked out: %v", err)
	}
	if n := l.db.Client.Audit.Query().Where(entaudit.Action("user.locked")).CountX(l.sys); n != 2 {
		t.Errorf("%d entries tell of it", n)
	}
	// Each further one waits twice as long, up to a limit.
	b := accountBudget("x")
	for failures, want := range map[int]time.Duration{4: 0, 5: time.Second, 6: 2 * time.Second, 8: 8 * time.Second, 14: 512 * time.Second, 15: 15 * time.Minute, 1000: 15 * time.Minute} {
		if got := b.wait(failures); got != want {
			t.Errorf("after %d: %s, want %s", failures, got, want)
		}
	}
	// After the wait the right password counts, and forgets the wrong ones.
	l.db.Client.SignInTry.Update().SetUntil(time.Now().UTC()).ExecX(l.sys)
	if err := stranger(8).password(l.user.Email, good); err != nil {
		t.Error(err)
	}
	if n := l.db.Client.SignInTry.Query().Where(signintry.ID(accountBudget(l.user.Email).key)).CountX(l.sys); n != 0 {
		t.Error("wrong ones are still counted")
	}
}

// hold makes the waits that have begun last: the first is of a second, and a
// busy machine looks at a password for as long.
func (l *lab) hold(t *testing.T) {
	t.Helper()
	held := 0
	for _, row := range l.db.Client.SignInTry.Query().AllX(l.sys) {
		if row.Until.Sub(row.UpdatedAt) > 100*time.Millisecond {
			l.db.Client.SignInTry.UpdateOne(row).SetUntil(time.Now().UTC().Add(time.Minute)).ExecX(l.sys)
			held++
		}
	}
	if held == 0 {
		t.Error("nobody has to wait")
	}
}

func TestAKnownBrowserHasABudgetOfItsOwn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	mine := l.browser()
	mine.link(l.user)
	if err := mine.set("", good); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		wants(t, mine.password(l.user.Email, "wrong boring lamps"), "account.password.wrong")
	}
	l.hold(t)
	wants(t, mine.password(l.user.Email, good), "account.locked")
	// Another browser has the account's budget, which this one did not spend.
	if err := l.browser().password(l.user.Email, good); err != nil {
		t.Error(err)
	}
	// The cookie of a known browser of somebody else's helps nothing.
	other := testkit.User(t, l.db, "otto", authz.PlatformUser)
	thief := l.browser()
	thief.link(other)
	for range 5 {
		wants(t, thief.password(l.user.Email, "wrong boring lamps"), "account.password.wrong")
	}
	l.hold(t)
	wants(t, thief.password(l.user.Email, "wrong boring lamps"), "account.locked")
}

func TestAnAddressThatTriesManyAccountsIsSlowed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for n := range 30 {
		b := l.browser()
		b.from = "2001:db8::" + string("0123456789abcdef"[n%16])
		wants(t, b.password(string(rune('a'+n))+"@example.com", good), "account.password.wrong")
	}
	b := l.browser()
	b.from = "2001:db8::ffff" // the same subscriber
	l.hold(t)
	wants(t, b.password("new@example.com", good), "account.locked.address")
	b.from = "2001:db8:1::1"
	wants(t, b.password("new@example.com", good), "account.password.wrong")
}

func TestManyTriesAtOnceAreAllCounted(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var mu sync.Mutex
	got := map[string]int{}
	var wg sync.WaitGroup
	for range 24 {
		b := l.browser()
		wg.Go(func() {
			err := b.password(l.user.Email, "wrong boring lamps")
			mu.Lock()
			defer mu.Unlock()
			got[strings.Join(ids(err), " ")]++
		})
	}
	wg.Wait()
	if got["account.password.wrong"] > 6 || got["account.password.wrong"] < 5 || got["account.password.wrong"]+got["account.locked"] != 24 {
		t.Errorf("%v", got) // a sixth when comparing took longer than the first wait
	}
}

func TestAFloodOfSignInsTakesABoundedShare(t *testing.T) {
	t.Parallel()
	h := newHasher()
	h.waiting.Store(maxWaiting)
	_, _, err := h.compare(t.Context(), good, "")
	wants(t, err, "account.busy")
	h.waiting.Store(0)
	for range cap(h.slots) {
		h.slots <- struct{}{}
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	_, err = h.hash(ctx, good)
	wants(t, err, "account.busy")
}
