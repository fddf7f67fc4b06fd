// Package system tries the whole of GoblinLab from outside: real processes, a
// real cluster, the API over HTTP and sockets, a browser. Its tests have the
// build tag cluster; scripts/with-services.sh starts what they need.
package system
