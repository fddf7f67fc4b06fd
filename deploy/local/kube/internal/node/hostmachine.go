package node

import (
	"context"
	"runtime"
	"time"

	cadvisorapi "github.com/google/cadvisor/lib/model"
	"golang.org/x/sys/unix"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cadvisor"
)

// hostMachine tells the size of the machine, and nothing about containers: without cgroups there is nothing to tell.
type hostMachine struct {
	name, dir string
	size      Size
}

var _ cadvisor.Interface = hostMachine{}

// Start implements cadvisor.Interface.
func (hostMachine) Start() error { return nil }

// MachineInfo implements cadvisor.Interface.
func (m hostMachine) MachineInfo(klog.Logger) (*cadvisorapi.MachineInfo, error) {
	var i unix.Sysinfo_t
	if err := unix.Sysinfo(&i); err != nil {
		return nil, err
	}
	out := &cadvisorapi.MachineInfo{NumCores: runtime.NumCPU(), NumSockets: 1, MemoryCapacity: i.Totalram * uint64(i.Unit), MachineID: m.name, SystemUUID: m.name}
	if m.size.Cores > 0 {
		out.NumCores = m.size.Cores
	}
	if m.size.Memory > 0 {
		out.MemoryCapacity = m.size.Memory
	}
	out.NumPhysicalCores = out.NumCores
	return out, nil
}

// VersionInfo implements cadvisor.Interface.
func (hostMachine) VersionInfo() (*cadvisorapi.VersionInfo, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return nil, err
	}
	return &cadvisorapi.VersionInfo{KernelVersion: unix.ByteSliceToString(u.Release[:]), ContainerOsVersion: "the machine itself"}, nil
}

// ContainerInfoV2 implements cadvisor.Interface.
func (hostMachine) ContainerInfoV2(string, cadvisorapi.RequestOptions) (map[string]cadvisorapi.ContainerInfo, error) {
	return map[string]cadvisorapi.ContainerInfo{}, nil
}

// GetRequestedContainersInfo implements cadvisor.Interface.
func (hostMachine) GetRequestedContainersInfo(string, cadvisorapi.RequestOptions) (map[string]*cadvisorapi.ContainerInfo, error) {
	return map[string]*cadvisorapi.ContainerInfo{}, nil
}

// ImagesFsInfo implements cadvisor.Interface.
func (m hostMachine) ImagesFsInfo(context.Context) (cadvisorapi.FsInfo, error) {
	return m.GetDirFsInfo(m.dir)
}

// RootFsInfo implements cadvisor.Interface.
func (m hostMachine) RootFsInfo() (cadvisorapi.FsInfo, error) { return m.GetDirFsInfo(m.dir) }

// ContainerFsInfo implements cadvisor.Interface.
func (m hostMachine) ContainerFsInfo(context.Context) (cadvisorapi.FsInfo, error) {
	return m.GetDirFsInfo(m.dir)
}

// GetDirFsInfo implements cadvisor.Interface.
func (hostMachine) GetDirFsInfo(path string) (cadvisorapi.FsInfo, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return cadvisorapi.FsInfo{}, err
	}
	size := uint64(st.Bsize)
	return cadvisorapi.FsInfo{
		Timestamp: time.Now(), Mountpoint: path, Capacity: st.Blocks * size, Available: st.Bavail * size, Usage: (st.Blocks - st.Bfree) * size,
		Inodes: &st.Files, InodesFree: &st.Ffree,
	}, nil
}
