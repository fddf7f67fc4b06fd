// Pack turns root-file-system archives into one OCI image archive, without a
// container engine and without a registry.
//
// The result is a tar file of an OCI image layout: "oci-layout", "index.json"
// and content-addressed blobs (the layers as they are, uncompressed, the image
// configuration, the manifest). containerd, skopeo, podman and crane read it;
// the annotation io.containerd.image.name gives the image its name on import.
//
// Everything that could differ between two builds of equal inputs is fixed:
// the order of the entries, their owners, and their times, which come from
// SOURCE_DATE_EPOCH. Equal layers therefore give an equal archive.
//
// Formats: https://github.com/opencontainers/image-spec/blob/main/image-layout.md
// and config.md there.
package main
