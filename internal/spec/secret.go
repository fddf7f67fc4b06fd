package spec

// SecretKind says what a secret is for.
type SecretKind string

// The kinds of secrets.
const (
	SecretGit      SecretKind = "git"      // a git host: a token, or an SSH key
	SecretRegistry SecretKind = "registry" // of container images
	SecretKeytab   SecretKind = "keytab"   // Kerberos
	SecretGeneric  SecretKind = "generic"  // names with values
)

// SecretKey is one of the values of a secret, without the value.
type SecretKey struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	Text  bool   `json:"text"` // UTF-8 without NUL: a variable can hold it
	// Principals are whose keys a keytab holds.
	Principals []string `json:"principals,omitempty"`
}

// SecretAs says how a container gets a secret.
type SecretAs string

// The ways of delivery.
const (
	SecretAsAuto SecretAs = "auto" // what suits its kind
	SecretAsFile SecretAs = "file" // a folder with a file for each value
	SecretAsEnv  SecretAs = "env"  // variables
)

// SecretUse is a secret that an instance or a task gets.
type SecretUse struct {
	SecretID string   `json:"secretId"`
	As       SecretAs `json:"as"`
	// At is the absolute path of the folder for files. For variables it is the
	// name of the one that holds the only value, or a prefix that ends in "_" or is empty.
	At string `json:"at,omitempty"`
}
