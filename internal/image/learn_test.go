package image

import (
	"testing"

	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestTheSizeOfAnImageIsLearned(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	sys := testkit.System(t)
	one := d.Client.Image.Create().SetName("one").SetReference("reg.example/a:1").SaveX(sys)
	other := d.Client.Image.Create().SetName("other").SetReference("reg.example/a:2").SaveX(sys)
	for message, want := range map[string]int64{
		`Container image "reg.example/a:1" already present on machine`:                                                        0,
		`Successfully pulled image "reg.example/a:1" in 1s`:                                                                   0,
		`Successfully pulled image "reg.example/a:1" in 1.3s (1.3s including waiting). Image size: 12241408 bytes.`:           12241408,
		`Successfully pulled image "reg.example/a:1" in 2m1.3s (2m3s including waiting). Image size: 99 bytes.`:               99,
		`Successfully pulled image "reg.example/never-heard-of:1" in 2m1.3s (2m3s including waiting). Image size: 123 bytes.`: 0,
	} {
		d.Client.Image.UpdateOne(one).ClearSizeBytes().ExecX(sys)
		if err := Learn(t.Context(), d.Client, message); err != nil {
			t.Fatal(err)
		}
		got := d.Client.Image.GetX(sys, one.ID).SizeBytes
		if want == 0 && got != nil || want != 0 && (got == nil || *got != want) {
			t.Errorf("%s: the size is %v, want %d", message, got, want)
		}
	}
	if got := d.Client.Image.GetX(sys, other.ID).SizeBytes; got != nil {
		t.Errorf("the other image's size is %d", *got)
	}
}
