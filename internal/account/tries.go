package account

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/signintry"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// budget is how many wrong passwords something may have before each further one
// has to wait, twice as long as the one before.
type budget struct {
	key  string
	free int
	most time.Duration // that one has to wait
	id   string        // message id of the refusal
	kept bool          // a right password takes back its own try alone
}

// Wrong passwords are forgotten after a day without another.
const triesLife = 24 * time.Hour

const triesRetries = 5 // of a row that another request makes at the same moment

// For whom wrong passwords are counted. An account's budget is everybody's who
// knows its address, so its wait is short; a browser in which the person was
// signed in before has a budget of its own, which no stranger can spend.
func accountBudget(email string) budget {
	return budget{key: "account:" + hash(email), free: 5, most: 15 * time.Minute, id: "account.locked"}
}

func addressBudget(address string) budget {
	return budget{key: "address:" + network(address), free: 30, most: 15 * time.Minute, id: "account.locked.address", kept: true}
}

func browserBudget(knownID string) budget {
	return budget{key: "browser:" + knownID, free: 10, most: 15 * time.Minute, id: "account.locked"}
}

func currentBudget(userID string) budget {
	return budget{key: "current:" + userID, free: 5, most: 15 * time.Minute, id: "account.locked"}
}

// network is what one subscriber has: an IPv4 address, or the first half of an IPv6 one.
func network(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil || a.Unmap().Is4() {
		return address
	}
	p, err := a.Prefix(64)
	if err != nil {
		return address
	}
	return p.String()
}

// wait is how long nothing is tried after so many wrong passwords.
func (b budget) wait(failures int) time.Duration {
	if failures < b.free {
		return 0
	}
	d := time.Second << min(failures-b.free, 20)
	return min(d, b.most)
}

// spend counts a try against budgets before it is made, so that many at once
// are counted, too. It refuses while one of them has to wait, and says how long.
func (s *Service) spend(ctx context.Context, userID string, budgets ...budget) error {
	var err error
	for range triesRetries {
		err = s.DB.Tx(ctx, func(tx *ent.Tx) error { return s.spendIn(ctx, tx, userID, budgets) })
		if !ent.IsConstraintError(err) {
			return err
		}
	}
	return err
}

func (s *Service) spendIn(ctx context.Context, tx *ent.Tx, userID string, budgets []budget) error {
	sys, now := authz.AsSystem(ctx), time.Now().UTC()
	rows := make([]*ent.SignInTry, len(budgets))
	for i, b := range budgets {
		q := tx.SignInTry.Query().Where(signintry.ID(b.key))
		if s.DB.Dialect == dialect.Postgres {
			q.ForUpdate()
		}
		row, err := q.Only(sys)
		if err != nil && !ent.IsNotFound(err) {
			return fmt.Errorf("tries: %w", err)
		}
		if row != nil && row.Until.After(now) {
			left := row.Until.Sub(now).Round(time.Second)
			return fault.New(fault.ResourceExhausted, b.id, fault.Args{"seconds": max(1, int(left.Seconds()))})
		}
		rows[i] = row
	}
	for i, b := range budgets {
		failures := 1
		if row := rows[i]; row != nil && now.Sub(row.UpdatedAt) < triesLife {
			failures = row.Failures + 1
		}
		until := now.Add(b.wait(failures))
		var err error
		if rows[i] == nil {
			err = tx.SignInTry.Create().SetID(b.key).SetFailures(failures).SetUntil(until).Exec(sys)
		} else {
			err = tx.SignInTry.UpdateOneID(b.key).SetFailures(failures).SetUntil(until).Exec(sys)
		}
		if err != nil {
			return fmt.Errorf("count a try: %w", err)
		}
		if failures == b.free { // once, where it begins: a flood is one entry
			err := audit.Record(ctx, tx, audit.Entry{Action: "user.locked", ObjectID: or(userID, "unknown"), After: map[string]any{"tries": failures}})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// refund takes tries back whose password was right.
func (s *Service) refund(ctx context.Context, budgets ...budget) error {
	return s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys, now := authz.AsSystem(ctx), time.Now().UTC()
		for _, b := range budgets {
			var err error
			if b.kept {
				err = tx.SignInTry.Update().Where(signintry.ID(b.key), signintry.FailuresGT(0)).AddFailures(-1).SetUntil(now).Exec(sys)
			} else {
				_, err = tx.SignInTry.Delete().Where(signintry.ID(b.key)).Exec(sys)
			}
			if err != nil {
				return fmt.Errorf("take a try back: %w", err)
			}
		}
		return nil
	})
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}
