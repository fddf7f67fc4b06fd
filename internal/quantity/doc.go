// Package quantity reads and writes amounts of CPU, memory and disk: as people type
// them ("0.5", "500m", "24Gi"), as they read them ("0.5 CPU", "24 GiB"), and
// as Kubernetes takes them. Amounts are whole thousandths of a core and whole
// bytes; nothing is rounded behind a user's back.
package quantity
