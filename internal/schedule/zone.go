package schedule

import (
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // images without a zone database know all zones, too
)

// zoneName is how a name in the IANA database looks.
var zoneName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,3}$`)

// zoneOffset is how people write an offset where a zone is asked for.
var zoneOffset = regexp.MustCompile(`^(?i)(?:UTC|GMT|Z)?\s*[+-]\s*\d{1,2}(?::?\d{2})?$`)

// notZones lie in a system's folder of zones and are none: the machine's own
// zone, templates, and copies that count leap seconds.
var notZones = []string{"local", "localtime", "posixrules", "factory", "posix/", "right/"}

// loadZone finds a zone by its name. A fixed offset is refused, since it does
// not follow the place's clocks, and so is the machine's zone, since every
// machine may have another.
func loadZone(name string) (*time.Location, *Error) {
	if name == "" {
		return time.UTC, nil
	}
	fail := func(id string) (*time.Location, *Error) {
		return nil, &Error{Field: "zone", Value: name, Position: 0, ID: id}
	}
	if zoneOffset.MatchString(name) {
		return fail("schedule.zone.offset")
	}
	lower := strings.ToLower(name)
	for _, not := range notZones {
		if lower == not || strings.HasSuffix(not, "/") && strings.HasPrefix(lower, not) {
			return fail("schedule.zone.local")
		}
	}
	if len(name) > 64 || !zoneName.MatchString(name) {
		return fail("schedule.zone.unknown")
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return fail("schedule.zone.unknown")
	}
	return zone, nil
}
