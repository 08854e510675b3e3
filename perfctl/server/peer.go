package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"opcost/collectors/child"
)

// peerPID is the process that listens on the other end of a unix socket
// (SO_PEERCRED, man unix.7), as this machine numbers it.
func peerPID(conn net.Conn) (int, error) {
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, fmt.Errorf("no unix socket but %T", conn)
	}
	raw, err := unixConn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var sockErr error
	if err := raw.Control(func(fd uintptr) {
		cred, sockErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if sockErr != nil {
		return 0, sockErr
	}
	if cred.Pid <= 0 {
		return 0, errors.New("the server's process cannot be seen from here (a launcher that enters another PID namespace?)")
	}
	return int(cred.Pid), nil
}

// startTicks is field 22 of /proc/PID/stat: with the pid it names a process for
// good.
func startTicks(pid int) (uint64, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, err
	}
	stat, err := p.Stat()
	if err != nil {
		return 0, err
	}
	if stat.State == "Z" || stat.State == "X" {
		return 0, os.ErrProcessDone
	}
	return stat.Starttime, nil
}

// watch closes the channel it returns when the process is gone. A launcher's
// child is not our child: nobody tells us of its end, so it is looked for.
func watch(pid int, ticks uint64) <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if now, err := startTicks(pid); err != nil || now != ticks {
				return
			}
		}
	}()
	return gone
}

// guard kills a server that is not our own child when we die: the kernel does
// so for children only. The guard is a shell that reads from a pipe of ours and
// sees its end; being a grandchild, it outlives us by that much. release tells
// it that the server is gone.
func guard(pid int) (release func(), err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	// A line means released; the end of the pipe without one means that we died.
	const script = `(read line <&3 || kill -KILL "$1") </dev/null >/dev/null 2>&1 &`
	proc, err := child.Start(child.Spec{Argv: []string{"sh", "-c", script, "sh", strconv.Itoa(pid)}, ExtraFiles: []*os.File{read}})
	if err != nil {
		_ = write.Close()
		return nil, err
	}
	<-proc.Done()
	if err := proc.Err(); err != nil {
		_ = write.Close()
		return nil, err
	}
	return func() {
		_, _ = write.WriteString("released\n") // a guard that is gone needs no word
		_ = write.Close()
	}, nil
}
