// Package container is the executor of a container: an image and an argument
// array, without a shell unless the array starts one. Its settings are also
// those that other executors which run containers build on (Place).
package container
