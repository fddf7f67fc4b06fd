package cluster

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// A second start finds the objects of the first, perhaps with another address.
func TestTheAPIHasBothKindsOfEndpoints(t *testing.T) {
	c := fake.NewClientset()
	for _, ip := range []string{"10.244.255.1", "10.244.255.1", "10.244.255.2"} {
		if err := applyAPIEndpoint(c, ip); err != nil {
			t.Fatal(err)
		}
		e, err := c.CoreV1().Endpoints("default").Get(t.Context(), "kubernetes", metav1.GetOptions{})
		if err != nil || len(e.Subsets) != 1 || e.Subsets[0].Addresses[0].IP != ip {
			t.Errorf("Endpoints %+v, %v", e, err)
		}
		s, err := c.DiscoveryV1().EndpointSlices("default").Get(t.Context(), "kubernetes", metav1.GetOptions{})
		if err != nil || len(s.Endpoints) != 1 || s.Endpoints[0].Addresses[0] != ip {
			t.Errorf("EndpointSlice %+v, %v", s, err)
		}
	}
}
