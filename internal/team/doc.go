// Package team keeps teams: people with roles, and one namespace of the cluster
// with a quota, defaults, an account without rights and closed doors.
//
// What a team uses is never counted up and down: it is computed from the rows
// of live instances, runs and volumes (P73). An admission locks the team's row
// and counts again, so that two at once cannot both take the last GPU (P85);
// the ResourceQuota of the namespace is the backstop.
package team
