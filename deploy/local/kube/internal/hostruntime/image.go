package hostruntime

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	internalapi "k8s.io/cri-api/pkg/apis"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Image is the one image that there is: the machine itself.
const Image = "goblinlab.local/host:1"

// Images implements the kubelet's interface to images.
type Images struct{ Dir string }

var _ internalapi.ImageManagerService = Images{}

func hostImage() *cri.Image {
	return &cri.Image{Id: Image, RepoTags: []string{Image}, Size: 1, Uid: &cri.Int64Value{Value: int64(os.Getuid())}, Spec: &cri.ImageSpec{Image: Image}, Pinned: true}
}

// ListImages implements the interface.
func (Images) ListImages(context.Context, *cri.ImageFilter) ([]*cri.Image, error) {
	return []*cri.Image{hostImage()}, nil
}

// ImageStatus implements the interface.
func (Images) ImageStatus(_ context.Context, s *cri.ImageSpec, _ bool) (*cri.ImageStatusResponse, error) {
	if s.GetImage() != Image {
		return &cri.ImageStatusResponse{}, nil
	}
	return &cri.ImageStatusResponse{Image: hostImage()}, nil
}

// PullImage implements the interface.
func (Images) PullImage(_ context.Context, s *cri.ImageSpec, _ *cri.AuthConfig, _ *cri.PodSandboxConfig) (string, error) {
	if s.GetImage() == Image {
		return Image, nil
	}
	return "", fmt.Errorf("%s cannot be used: this cluster runs without root, and has only the image %s, which is the machine itself", s.GetImage(), Image)
}

// RemoveImage implements the interface: the image is the machine, which stays.
func (Images) RemoveImage(context.Context, *cri.ImageSpec) error { return nil }

// ImageFsInfo implements the interface.
func (i Images) ImageFsInfo(context.Context) (*cri.ImageFsInfoResponse, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(i.Dir, &st); err != nil {
		return nil, err
	}
	usage := []*cri.FilesystemUsage{{
		Timestamp: time.Now().UnixNano(), FsId: &cri.FilesystemIdentifier{Mountpoint: i.Dir},
		UsedBytes:  &cri.UInt64Value{Value: (st.Blocks - st.Bfree) * uint64(st.Bsize)},
		InodesUsed: &cri.UInt64Value{Value: st.Files - st.Ffree},
	}}
	return &cri.ImageFsInfoResponse{ImageFilesystems: usage, ContainerFilesystems: usage}, nil
}

// Close implements the interface.
func (Images) Close(context.Context) error { return nil }
