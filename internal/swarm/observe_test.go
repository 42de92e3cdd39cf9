package swarm

import (
	"net/http"
	"testing"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// nodeView is a network as the connected node lists it by itself.
func nodeView(name, id string) network.Summary {
	return network.Summary{Name: name, ID: id, Scope: "swarm", Driver: "overlay", Containers: map[string]network.EndpointResource{}}
}

// swarmView is a network as the swarm lists it.
func swarmView(name, id string) network.Summary {
	return network.Summary{Name: name, ID: id, Scope: "swarm", Driver: "overlay"}
}

func attachedTo(name, networkID string) swarm.Service {
	s := swarm.Service{ID: "id-" + name}
	s.Spec.Name = name
	s.Spec.TaskTemplate.Networks = []swarm.NetworkAttachmentConfig{{Target: networkID}}
	return s
}

func TestWhichNetworksAreObserved(t *testing.T) {
	ingress := swarmView("ingress", "n0")
	ingress.Ingress = true
	d := newDouble(t, "1.41")
	d.on("GET /networks", reply(200, []network.Summary{
		ingress, swarmView("shop_net", "n1"), nodeView("old_net", "n2"),
		{Name: "bridge", ID: "n3", Scope: "local", Driver: "bridge", Containers: map[string]network.EndpointResource{}},
	}))
	state, err := d.backend.Observe(t.Context(), reconcile.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Live) != 1 || state.Live[0].Name != "shop_net" {
		t.Errorf("observed %+v", state.Live)
	}
}

// The engine lists the node's own networks with code 200 when the swarm does not
// answer. A service that uses one of them gives it away.
func TestHalfAListOfNetworksIsAnError(t *testing.T) {
	d := newDouble(t, "1.41")
	d.on("GET /services", reply(200, []swarm.Service{attachedTo("shop_web", "n1")}))
	d.on("GET /networks", reply(200, []network.Summary{nodeView("shop_net", "n1")}))
	_, err := d.backend.Observe(t.Context(), reconcile.Scope{})
	if reconcile.ReasonOf(err) != reconcile.ReasonUnreachable {
		t.Errorf("half a list is taken for the whole: %v", err)
	}

	asked := 0
	d.on("GET /networks", func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked == 1 {
			reply(200, []network.Summary{nodeView("shop_net", "n1")})(w, r)
			return
		}
		reply(200, []network.Summary{swarmView("shop_net", "n1")})(w, r)
	})
	state, err := d.backend.Observe(t.Context(), reconcile.Scope{})
	if err != nil || len(state.Live) != 2 {
		t.Errorf("a list that is whole the second time: %+v, %v", state, err)
	}
}

func TestNetworkThatLeadsNowhereIsSaid(t *testing.T) {
	d := newDouble(t, "1.41")
	d.on("GET /services", reply(200, []swarm.Service{attachedTo("shop_web", "n9")}))
	d.on("GET /networks/n9", refuse(404, "network n9 not found"))
	state, err := d.backend.Observe(t.Context(), reconcile.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	if got := state.Live[0].Spec.(*swarm.ServiceSpec).TaskTemplate.Networks[0].Target; got != "(unresolved n9)" {
		t.Errorf("target %q", got)
	}

	d = newDouble(t, "1.41")
	d.on("GET /services", reply(200, []swarm.Service{attachedTo("shop_web", "n9")}))
	d.on("GET /networks/n9", refuse(500, "disk on fire"))
	if _, err := d.backend.Observe(t.Context(), reconcile.Scope{}); err == nil {
		t.Error("what could not be asked is taken for absent")
	}
}

func TestKeyIsTheLabelOrTheNameWithoutTheStack(t *testing.T) {
	for name, tt := range map[string]struct {
		name   string
		labels map[string]string
		want   string
	}{
		"the label":                   {name: "shop_conf-0a1b2c3d4e5f", labels: map[string]string{reconcile.LabelStack: "shop", reconcile.LabelKey: "conf"}, want: "conf"},
		"without the stack's name":    {name: "shop_conf", labels: map[string]string{reconcile.LabelStack: "shop"}, want: "conf"},
		"an explicit name of a stack": {name: "conf", labels: map[string]string{reconcile.LabelStack: "shop"}, want: "conf"},
		"of no stack":                 {name: "shop_conf", want: "shop_conf"},
	} {
		if got := live(object.KindConfig, "id", tt.name, tt.labels).Key; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
