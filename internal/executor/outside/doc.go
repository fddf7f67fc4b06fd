// Package outside calls addresses that users give, from the platform's own
// process, without letting them reach what only the platform may reach:
// loopback, link-local and metadata addresses never; private ones unless an
// administrator opened them. It is the address that is dialled that counts, not
// a name: a name that resolves differently the second time, and a redirect, get
// no further than the first call. No proxy is used, no cookie kept, and the
// user's headers do not follow a redirect to another place.
package outside
