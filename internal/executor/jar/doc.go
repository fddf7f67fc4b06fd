// Package jar is the executor of a Java archive: it runs java with an argument
// array in a container. The jar is a path of the container – in its image or on
// a mount – or a file of a volume, whose folder is mounted read-only at /code.
package jar
