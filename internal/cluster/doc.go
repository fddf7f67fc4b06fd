// Package cluster tells what the cluster can hold: the shape of each node, what
// is free on it, how a request fits now. It also keeps what GoblinLab needs
// once in a cluster: its priority classes.
package cluster
