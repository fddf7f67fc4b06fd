package model

// Connection is one page of a list.
type Connection[T any] struct {
	Nodes      []T
	PageInfo   *PageInfo
	TotalCount int // filled only when it was selected

	cursor func(T) string
}

// NewConnection makes a page whose cursors are made when somebody asks for them.
func NewConnection[T any](nodes []T, info *PageInfo, cursor func(T) string) Connection[T] {
	return Connection[T]{Nodes: nodes, PageInfo: info, cursor: cursor}
}

// Edge is a node with the cursor behind it.
type Edge[T any] struct {
	Node   T
	Cursor string
}

// PlainEdges are the nodes with their cursors.
func (c *Connection[T]) PlainEdges() []Edge[T] {
	return edges(*c, func(e Edge[T]) Edge[T] { return e })
}

func edges[T, E any](c Connection[T], wrap func(Edge[T]) E) []E {
	out := make([]E, len(c.Nodes))
	for i, n := range c.Nodes {
		out[i] = wrap(Edge[T]{Node: n, Cursor: c.cursor(n)})
	}
	return out
}

// InstanceConnection is a page of instances.
type InstanceConnection struct{ Connection[*Instance] }

// InstanceEdge is one of instances in a page.
type InstanceEdge struct{ Edge[*Instance] }

// RunConnection is a page of runs.
type RunConnection struct{ Connection[*Run] }

// RunEdge is one of runs in a page.
type RunEdge struct{ Edge[*Run] }

// VolumeConnection is a page of volumes.
type VolumeConnection struct{ Connection[*Volume] }

// ShareConnection is a page of shares.
type ShareConnection struct{ Connection[*Share] }

// ShareEdge is one of shares in a page.
type ShareEdge struct{ Edge[*Share] }

// VolumeEdge is one of volumes in a page.
type VolumeEdge struct{ Edge[*Volume] }

// ImageConnection is a page of images.
type ImageConnection struct{ Connection[*Image] }

// ImageEdge is one of images in a page.
type ImageEdge struct{ Edge[*Image] }

// TeamConnection is a page of teams.
type TeamConnection struct{ Connection[*Team] }

// TeamEdge is one of teams in a page.
type TeamEdge struct{ Edge[*Team] }

// UserConnection is a page of people.
type UserConnection struct{ Connection[*User] }

// UserEdge is one of people in a page.
type UserEdge struct{ Edge[*User] }

// EventConnection is a page of events.
type EventConnection struct{ Connection[*Event] }

// EventEdge is one of events in a page.
type EventEdge struct{ Edge[*Event] }

// AuditEntryConnection is a page of the audit log.
type AuditEntryConnection struct{ Connection[*AuditEntry] }

// AuditEntryEdge is one entry of the audit log in a page.
type AuditEntryEdge struct{ Edge[*AuditEntry] }

// FlowConnection is a page of flows.
type FlowConnection struct{ Connection[*Flow] }

// FlowEdge is one of flows in a page.
type FlowEdge struct{ Edge[*Flow] }

// FlowRunConnection is a page of flow runs.
type FlowRunConnection struct{ Connection[*FlowRun] }

// FlowRunEdge is one of flow runs in a page.
type FlowRunEdge struct{ Edge[*FlowRun] }

// Edges of flows.
func (c FlowConnection) Edges() []FlowEdge {
	return edges(c.Connection, func(e Edge[*Flow]) FlowEdge { return FlowEdge{e} })
}

// Edges of flow runs.
func (c FlowRunConnection) Edges() []FlowRunEdge {
	return edges(c.Connection, func(e Edge[*FlowRun]) FlowRunEdge { return FlowRunEdge{e} })
}

// Edges of instances.
func (c InstanceConnection) Edges() []InstanceEdge {
	return edges(c.Connection, func(e Edge[*Instance]) InstanceEdge { return InstanceEdge{e} })
}

// Edges of the audit log.
func (c AuditEntryConnection) Edges() []AuditEntryEdge {
	return edges(c.Connection, func(e Edge[*AuditEntry]) AuditEntryEdge { return AuditEntryEdge{e} })
}

// Edges of runs.
func (c RunConnection) Edges() []RunEdge {
	return edges(c.Connection, func(e Edge[*Run]) RunEdge { return RunEdge{e} })
}

// Edges of volumes.
func (c VolumeConnection) Edges() []VolumeEdge {
	return edges(c.Connection, func(e Edge[*Volume]) VolumeEdge { return VolumeEdge{e} })
}

// Edges of shares.
func (c ShareConnection) Edges() []ShareEdge {
	return edges(c.Connection, func(e Edge[*Share]) ShareEdge { return ShareEdge{e} })
}

// Edges of images.
func (c ImageConnection) Edges() []ImageEdge {
	return edges(c.Connection, func(e Edge[*Image]) ImageEdge { return ImageEdge{e} })
}

// Edges of teams.
func (c TeamConnection) Edges() []TeamEdge {
	return edges(c.Connection, func(e Edge[*Team]) TeamEdge { return TeamEdge{e} })
}

// Edges of people.
func (c UserConnection) Edges() []UserEdge {
	return edges(c.Connection, func(e Edge[*User]) UserEdge { return UserEdge{e} })
}

// Edges of events.
func (c EventConnection) Edges() []EventEdge {
	return edges(c.Connection, func(e Edge[*Event]) EventEdge { return EventEdge{e} })
}
