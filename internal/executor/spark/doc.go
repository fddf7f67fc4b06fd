// Package spark is the executor of a Spark application: a container runs
// spark-submit against Kubernetes and waits for the application's end. In
// cluster mode the driver is a pod of its own, which spark-submit makes with the
// rights of the task's service account.
package spark
