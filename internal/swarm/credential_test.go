package swarm

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// The header with a credential goes along only where one is known.
func TestCredentialIsSentOnlyForItsRegistry(t *testing.T) {
	for image, want := range map[string]string{"registry.example/app:1": "encoded", "other.example/app:1": ""} {
		d := newDouble(t, "1.41")
		d.backend.auth = func(image string) string {
			if strings.HasPrefix(image, "registry.example/") {
				return "encoded"
			}
			return ""
		}
		sent, present := "", false
		d.on("POST /services/create", func(w http.ResponseWriter, r *http.Request) {
			sent, present = r.Header.Get("X-Registry-Auth"), len(r.Header.Values("X-Registry-Auth")) > 0
			reply(http.StatusCreated, map[string]string{"ID": "w1"})(w, r)
		})
		spec := &swarm.ServiceSpec{Annotations: swarm.Annotations{Name: "web"}}
		spec.TaskTemplate.ContainerSpec = &swarm.ContainerSpec{Image: image}
		id, err := d.backend.Do(context.Background(), reconcile.Step{Verb: reconcile.Create, Object: object.Object{Kind: object.KindService, Key: "web", Name: "web", Spec: spec}})
		if err != nil || id != "w1" {
			t.Fatalf("id %q, %v", id, err)
		}
		if sent != want || present != (want != "") {
			t.Errorf("%s: header %q (present: %v), want %q", image, sent, present, want)
		}
	}
}
