package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"opcost/perfctl/result"
)

// shortConnection logs in as root without a password over the socket, and leaves:
// the least that a server can be asked for (MySQL's protocol 41).
func shortConnection(socket string) error {
	c, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	defer c.Close()
	r := bufio.NewReader(c)
	packet := func() ([]byte, error) {
		head := make([]byte, 4)
		if _, err := io.ReadFull(r, head); err != nil {
			return nil, err
		}
		head[3] = 0
		body := make([]byte, binary.LittleEndian.Uint32(head))
		_, err := io.ReadFull(r, body)
		return body, err
	}
	if _, err := packet(); err != nil { // the server's greeting
		return err
	}
	const protocol41, secureConnection, pluginAuth = 0x200, 0x8000, 0x80000
	login := binary.LittleEndian.AppendUint32(nil, protocol41|secureConnection|pluginAuth)
	login = append(binary.LittleEndian.AppendUint32(login, 1<<24), 8)
	login = append(login, make([]byte, 23)...)
	login = append(login, "root\x00\x00mysql_native_password\x00"...)
	if _, err := c.Write(append([]byte{byte(len(login)), 0, 0, 1}, login...)); err != nil {
		return err
	}
	answer, err := packet()
	if err != nil {
		return err
	}
	if len(answer) > 0 && answer[0] == 0xfe { // it asks another way: again without a password
		if _, err := c.Write([]byte{0, 0, 0, 3}); err != nil {
			return err
		}
		if answer, err = packet(); err != nil {
			return err
		}
	}
	if len(answer) == 0 || answer[0] != 0 {
		return fmt.Errorf("the server answered %q", answer)
	}
	_, err = c.Write([]byte{1, 0, 0, 0, 1}) // COM_QUIT
	return errors.Join(err, func() error { _, err := r.ReadByte(); return ignoreEOF(err) }())
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// cpuClock samples a process's CPU time, that of threads that have ended
// included, by /proc/PID/stat: hundredths of a second, and the kernel's own sum.
type cpuClock struct {
	at  []time.Time
	cpu []float64
}

func (c *cpuClock) sample(pid int) error {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return err
	}
	stat, err := p.Stat()
	if err != nil {
		return err
	}
	c.at, c.cpu = append(c.at, time.Now()), append(c.cpu, stat.CPUTime())
	return nil
}

// between is the CPU time between two moments, by straight lines.
func (c *cpuClock) between(from, to time.Time) float64 {
	at := func(when time.Time) float64 {
		for i := 1; i < len(c.at); i++ {
			if !c.at[i].Before(when) {
				share := when.Sub(c.at[i-1]).Seconds() / c.at[i].Sub(c.at[i-1]).Seconds()
				return c.cpu[i-1] + share*(c.cpu[i]-c.cpu[i-1])
			}
		}
		return c.cpu[len(c.cpu)-1]
	}
	return at(to) - at(from)
}

// TestFaultShortConnections attaches to a server that makes a thread for each of
// as many short connections as this machine gives, up to 10,000 a second.
func TestFaultShortConnections(t *testing.T) {
	long(t)
	lacking(t, "mariadbd")
	s := attachable(t)
	if _, err := s.Control().Query(context.Background(), "SET GLOBAL thread_cache_size = 0"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var made, failed atomic.Int64
	var first atomic.Value
	var wg sync.WaitGroup
	began := time.Now()
	for range 16 {
		wg.Go(func() {
			for ctx.Err() == nil {
				if ahead := time.Duration(made.Load())*100*time.Microsecond - time.Since(began); ahead > 0 {
					time.Sleep(ahead) // 10,000 a second are enough
				}
				if err := shortConnection(s.Socket()); err != nil {
					failed.Add(1)
					first.CompareAndSwap(nil, err.Error())
					continue
				}
				made.Add(1)
			}
		})
	}
	var clock cpuClock
	wg.Go(func() {
		for ctx.Err() == nil && clock.sample(s.PID()) == nil {
			time.Sleep(50 * time.Millisecond)
		}
	})
	eventually(t, "it connects", func() bool { return made.Load() > 500 })

	saved := inDir(t, "baseline.json")
	o := opcost(t, s.attach("--duration", "5s", "--format", "json", "--baseline", saved, "--per", "second")...)
	cancel()
	wg.Wait()
	rate := float64(made.Load()) / time.Since(began).Seconds()
	t.Logf("%.0f connections a second (%d failed: %v)", rate, failed.Load(), first.Load())
	if made.Load() < 10*failed.Load() {
		t.Fatalf("%d of the connections failed: %v", failed.Load(), first.Load())
	}
	parseLive(t, o)
	run, err := result.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	w := run.Passes[0].Windows[0]
	readings := map[string]result.Reading{}
	for _, x := range w.Readings {
		readings[x.Name] = x
	}
	want := clock.between(w.Start, w.Start.Add(time.Duration(w.DurationNS))) * 1e6
	if cpu := readings["cpu_us"]; cpu.Value == nil || cpu.State != result.OK || *cpu.Value < want*0.85 || *cpu.Value > want*1.15 {
		t.Errorf("%+v us of CPU, and the kernel says %g", cpu, want)
	}
	// What only living threads tell has lost those that ended, and says so.
	for _, name := range []string{"context_switches", "run_queue_us", "cpu_connection_us"} {
		if x := readings[name]; x.State == result.OK || x.Reason == "" {
			t.Errorf("%s: %+v, though threads ended in the window", name, x)
		}
	}
	said(t, "the report", o.stdout, "ended in the window")
	// One thread a connection: as many ended as came, to the edges.
	if x := readings["connections"]; x.Value == nil || *x.Value < 0.5*rate*5 {
		t.Errorf("connections in the window: %+v, and %g were made a second", x, rate)
	}
}
