package courier

import (
	"testing"
	"time"
)

func TestCredentialsAreNotWholeInParts(t *testing.T) {
	t.Parallel()
	data, err := newCredentials(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if secret, c, err := trust(data); err != nil || len(secret) < 40 || c.InsecureSkipVerify {
		t.Error(err)
	}
	for k := range data {
		if k == "tls.key" { // the agent's alone
			continue
		}
		part := map[string][]byte{}
		for other, v := range data {
			if other != k {
				part[other] = v
			}
		}
		if _, _, err := trust(part); err == nil {
			t.Errorf("taken without %s", k)
		}
	}
}
