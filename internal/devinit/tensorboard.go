package devinit

import (
	"fmt"
	"path/filepath"
)

const (
	boardPort  = 6006
	boardInner = 16006 // where TensorBoard itself listens, on loopback
)

// tensorBoard is started when it is first asked for: it takes hundreds of
// megabytes, and most instances never look at it. It knows no password, so that
// the door in front of it asks for one.
func tensorBoard() App {
	return App{
		Name: "tensorboard", Port: boardPort, Inner: boardInner, Program: "tensorboard",
		Args: boardArgs, Ready: answers(boardInner, func(Settings) string { return "/" }),
	}
}

// boardArgs: PyTorch writes to "runs" in the working folder by default; the
// variable names another folder.
func boardArgs(l Launch) []string {
	logs := environMap(l.Environ)[envBoardLogs]
	if logs == "" {
		logs = filepath.Join(l.Home, "runs")
	}
	return []string{"--host=127.0.0.1", fmt.Sprintf("--port=%d", boardInner), "--logdir=" + logs}
}
