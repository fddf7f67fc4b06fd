// Package gpu advertises pretend GPUs to the kubelet of a node, by the device plug-in protocol of real ones.
package gpu

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const (
	endpoint = "goblinlab-gpu.sock"
	poll     = 200 * time.Millisecond
)

// plugin answers the kubelet.
type plugin struct {
	api.UnimplementedDevicePluginServer
	count int
}

var _ api.DevicePluginServer = plugin{}

// GetDevicePluginOptions implements the protocol: no options.
func (plugin) GetDevicePluginOptions(context.Context, *api.Empty) (*api.DevicePluginOptions, error) {
	return &api.DevicePluginOptions{}, nil
}

// ListAndWatch sends the devices once; they never change.
func (p plugin) ListAndWatch(_ *api.Empty, stream api.DevicePlugin_ListAndWatchServer) error {
	devices := make([]*api.Device, p.count)
	for i := range devices {
		devices[i] = &api.Device{ID: fmt.Sprintf("GPU-pretend-%d", i), Health: api.Healthy}
	}
	if err := stream.Send(&api.ListAndWatchResponse{Devices: devices}); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

// Allocate tells the container which devices are its own, as NVIDIA's plug-in does.
func (plugin) Allocate(_ context.Context, r *api.AllocateRequest) (*api.AllocateResponse, error) {
	out := &api.AllocateResponse{}
	for _, c := range r.ContainerRequests {
		out.ContainerResponses = append(out.ContainerResponses, &api.ContainerAllocateResponse{
			Envs: map[string]string{"NVIDIA_VISIBLE_DEVICES": strings.Join(c.DevicesIds, ",")},
		})
	}
	return out, nil
}

// Run advertises count devices under the resource's name until ctx ends. The kubelet forgets its plug-ins when it
// starts, which shows as a new socket: then they register again.
func Run(ctx context.Context, resource string, count int) {
	var seen uint64
	var server *grpc.Server
	for ctx.Err() == nil {
		if inode := socketInode(api.KubeletSocket); inode != 0 && inode != seen {
			if server != nil {
				server.Stop()
			}
			var err error
			if server, err = register(ctx, resource, count); err != nil {
				slog.Error("cannot advertise GPUs; trying again", "error", err)
			} else {
				seen = inode
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(poll):
		}
	}
	if server != nil {
		server.Stop()
	}
}

// socketInode identifies the kubelet's present socket, 0 if there is none.
func socketInode(path string) uint64 {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return 0
	}
	return st.Ino ^ uint64(st.Ctim.Nano()) // an inode number may be used again at once
}

func register(ctx context.Context, resource string, count int) (*grpc.Server, error) {
	path := api.DevicePluginPath + endpoint
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	server := grpc.NewServer()
	api.RegisterDevicePluginServer(server, plugin{count: count})
	go func() { _ = server.Serve(l) }() // ends by Stop
	if err := announce(ctx, resource); err != nil {
		server.Stop()
		return nil, err
	}
	return server, nil
}

func announce(ctx context.Context, resource string) error {
	conn, err := grpc.NewClient("unix://"+api.KubeletSocket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err = api.NewRegistrationClient(conn).Register(ctx, &api.RegisterRequest{Version: api.Version, Endpoint: endpoint, ResourceName: resource})
	return err
}
