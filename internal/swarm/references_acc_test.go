package swarm

import (
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// A service refers to everything by name, on the way in and on the way out.
func TestAccReferencesAreNames(t *testing.T) {
	s := newStage(t)
	net, conf, key := s.network("net"), s.config("conf", "a=1"), s.secret("key", "hunter2")
	for _, o := range []object.Object{net, conf, key} {
		s.create(o)
	}
	web := s.service("web", func(spec *swarm.ServiceSpec) {
		c := spec.TaskTemplate.ContainerSpec
		c.Configs = []*swarm.ConfigReference{{ConfigName: conf.Name, File: &swarm.ConfigReferenceFileTarget{Name: "/conf", UID: "0", GID: "0", Mode: 0o444}}}
		c.Secrets = []*swarm.SecretReference{{SecretName: key.Name, File: &swarm.SecretReferenceFileTarget{Name: "key", UID: "0", GID: "0", Mode: 0o400}}}
		spec.TaskTemplate.Networks = []swarm.NetworkAttachmentConfig{{Target: net.Name, Aliases: []string{"www"}}}
	})
	s.create(web)
	host := s.service("host", func(spec *swarm.ServiceSpec) {
		spec.TaskTemplate.Networks = []swarm.NetworkAttachmentConfig{{Target: "host"}}
	})
	s.create(host)
	// The deprecated place of a service's networks.
	legacy := s.service("legacy", func(spec *swarm.ServiceSpec) {
		spec.Networks = []swarm.NetworkAttachmentConfig{{Target: net.Name}} //nolint:staticcheck // What is tested.
	})
	if _, err := s.engine.Client().ServiceCreate(t.Context(), *legacy.Spec.(*swarm.ServiceSpec), swarm.ServiceCreateOptions{}); err != nil {
		t.Fatal(err)
	}

	if spec := web.Spec.(*swarm.ServiceSpec); spec.TaskTemplate.Networks[0].Target != net.Name ||
		spec.TaskTemplate.ContainerSpec.Configs[0].ConfigID != "" || spec.TaskTemplate.ContainerSpec.Secrets[0].SecretID != "" {
		t.Error("writing changed the object that was given")
	}
	s.snapshot.invalidate()
	spec := s.observe(web).Spec.(*swarm.ServiceSpec)
	c := spec.TaskTemplate.ContainerSpec
	if got := spec.TaskTemplate.Networks; len(got) != 1 || got[0].Target != net.Name || got[0].Aliases[0] != "www" {
		t.Errorf("networks %+v", got)
	}
	if got := c.Configs[0]; got.ConfigName != conf.Name || got.ConfigID != "" {
		t.Errorf("config reference %+v", got)
	}
	if got := c.Secrets[0]; got.SecretName != key.Name || got.SecretID != "" {
		t.Errorf("secret reference %+v", got)
	}
	for o, want := range map[*object.Object]string{&host: "host", &legacy: net.Name} {
		spec := s.observe(*o).Spec.(*swarm.ServiceSpec)
		if got := spec.TaskTemplate.Networks; len(got) != 1 || got[0].Target != want || len(spec.Networks) != 0 { //nolint:staticcheck // What is tested.
			t.Errorf("%s: networks %+v", o.Name, got)
		}
	}

	// What is referred to cannot be deleted.
	for _, o := range []object.Object{net, conf, key} {
		wantReason(t, s.do(reconcile.Delete, o, s.observe(o)), reconcile.ReasonInUse)
	}
	// What a reference leads to may be new since the last reading.
	late := s.config("late", "b=2")
	late.Spec.(*swarm.ConfigSpec).Name = late.Name
	if _, err := s.engine.Client().ConfigCreate(t.Context(), *late.Spec.(*swarm.ConfigSpec)); err != nil {
		t.Fatal(err)
	}
	c.Configs[0].ConfigName = late.Name
	if err := s.do(reconcile.Update, web, &reconcile.Live{Object: web, ID: s.observe(web).ID, Version: s.observe(web).Version}); err != nil {
		t.Fatal(err)
	}
}

func TestAccReferenceThatLeadsNowhere(t *testing.T) {
	s := newStage(t)
	for name, change := range map[string]func(*swarm.ServiceSpec){
		"network no-such-net": func(spec *swarm.ServiceSpec) {
			spec.TaskTemplate.Networks = []swarm.NetworkAttachmentConfig{{Target: "no-such-net"}}
		},
		"config no-such-conf": func(spec *swarm.ServiceSpec) {
			spec.TaskTemplate.ContainerSpec.Configs = []*swarm.ConfigReference{{ConfigName: "no-such-conf", File: &swarm.ConfigReferenceFileTarget{Name: "/x"}}}
		},
		"secret no-such-key": func(spec *swarm.ServiceSpec) {
			spec.TaskTemplate.ContainerSpec.Secrets = []*swarm.SecretReference{{SecretName: "no-such-key", File: &swarm.SecretReferenceFileTarget{Name: "x"}}}
		},
	} {
		err := s.do(reconcile.Create, s.service("web", change), nil)
		wantReason(t, err, reconcile.ReasonInvalid)
		kind, missing, _ := strings.Cut(name, " ")
		if err == nil || !strings.Contains(err.Error(), kind+` "`+missing+`"`) {
			t.Errorf("the error does not name the %s: %v", name, err)
		}
	}
}

// The node goes on listing a network that the swarm has removed, and refuses its
// name, until the last task is gone there.
func TestAccRemovedNetworkIsGoneAtOnceAndItsNameFree(t *testing.T) {
	s := newStage(t)
	net := s.network("net")
	s.create(net)
	web := s.service("web", func(spec *swarm.ServiceSpec) {
		spec.TaskTemplate.Networks = []swarm.NetworkAttachmentConfig{{Target: net.Name}}
	})
	s.create(web)
	s.engine.WaitRunning(t, web.Name, 1)
	if err := s.do(reconcile.Delete, web, s.observe(web)); err != nil {
		t.Fatal(err)
	}
	acctest.Wait(t, 20*time.Second, "the network can be deleted", func() bool {
		live := s.observe(net)
		err := s.do(reconcile.Delete, net, live)
		if err != nil {
			wantReason(t, err, reconcile.ReasonInUse)
		}
		return err == nil
	})
	if left := s.observe(net); left != nil {
		t.Errorf("a removed network is observed: %+v", left)
	}
	s.create(net)
	if s.observe(net) == nil {
		t.Error("the network that was created again is not observed")
	}
}
