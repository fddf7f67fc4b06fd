// Package spec holds the plain values that describe what users ask for: the
// resources, mounts, ports and environment of an instance, the command of a
// task, the quota of a team. They are stored as JSON columns, travel through
// services, and are what the manifest builders read. The package imports
// nothing of GoblinLab, so that ent/schema may import it.
package spec
