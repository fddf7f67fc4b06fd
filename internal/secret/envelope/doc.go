// Package envelope seals values. Each secret has a random data key, under which
// each of its values is sealed by AES-256-GCM; the data key is itself sealed
// ("wrapped") by a master key of a Ring. Changing the master key then means
// wrapping small keys again, not sealing everything anew.
//
// What is sealed is bound to where it stands: the row's id, its owner and the
// name of the value are additional data, so that a row's content is of no use
// in another row, under another owner or another name.
//
// The package is pure: it reads no file and knows no database.
package envelope
