// Package files works on the files of one volume and on nothing else.
//
// Everything goes through an os.Root, so that no path and no symbolic link
// leads out of the volume, whoever changes what while we look. Only files,
// folders and symbolic links are ever touched: a device, a FIFO or a socket is
// shown and never opened, since opening alone may act or wait for ever.
//
// Names are bytes. Where they travel as text, as in addresses and JSON, they are
// percent-encoded (Ref); what is shown of them is made valid UTF-8 (Show).
//
// Uploads are kept in the folder Hidden of the volume until they are whole, then
// renamed. Their offset is the size of that file: nothing else has to be
// remembered when the process is killed.
//
// Frozen copies of folders, which flows run, are in the folder Frozen, each under
// a name that the platform chose. They are made beside, moved into their place
// whole, and then measured:
//
//	Freeze: there? ──no──▶ copy in Hidden ─▶ rename ─┐
//	          └──yes───────────────────────────────▶ digest
//
// so that Freeze may be asked again after an end at any moment.
package files
