// Package server is the one HTTP address of the platform: the page, the API,
// sign-in, downloads, health, and in front of all of them the hosts of apps,
// which never reach the page or the API.
//
//	host <app>--<instance>.<ours> ──▶ the gateway, with cookies of its own
//	/graphql /auth /logs /terminal ─▶ session → viewer → service
//	POST /device/… ─────────────────▶ for programs that wait for a person (RFC 8628)
//	/healthz /readyz ───────────────▶ for machines
//	everything else ────────────────▶ the page
package server
