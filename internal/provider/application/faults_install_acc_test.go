package application_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccFirstInstallFailsHalfWay installs a release of which the engine refuses the second service, while the first one
// runs and has written data. Fixed, it is installed by the next apply without work by hand, and the data is still there,
// whatever purge_volumes says: nothing was ever deployed.
func TestAccFirstInstallFailsHalfWay(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	const port = 18473
	occupant := s.RandomName(t)
	s.Docker(t, "service", "create", "-d", "--name", occupant+"_web", "--label", "com.docker.stack.namespace="+occupant, "--replicas", "0",
		"--publish", fmt.Sprintf("published=%d,target=8080", port), acctest.Image("1.0"))
	for _, setting := range []string{"purge_volumes = false", "purge_volumes = true"} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			name := s.RandomName(t)
			stack := func(ports string) string {
				return application(s.Host(), name, "services:\n"+quickService("db", "volumes: [\"data:/data\"]", "replicas: 1")+
					quickService("web", ports+"\n    depends_on: {db: {condition: service_healthy}}", "replicas: 1")+"volumes: {data: {}}\n", setting)
			}
			w := providertest.NewWorkspace(t, stack(fmt.Sprintf("ports: [\"%d:8080\"]", port)))
			said := joined(diagnostic(t, w.Expect(1, "apply", "-auto-approve", "-input=false")))
			for _, want := range []string{"create service " + name + "_web", fmt.Sprintf("port '%d' is already in use by service '%s_web'", port, occupant), "What was written stays"} {
				if !strings.Contains(said, want) {
					t.Errorf("the diagnostic does not say %q:\n%s", want, said)
				}
			}
			s.WaitRunning(t, name+"_db", 1)
			volume, err := s.Client().VolumeInspect(t.Context(), name+"_data")
			if err != nil {
				t.Fatal(err)
			}
			data := filepath.Join(volume.Mountpoint, "ledger")
			if err := os.WriteFile(data, []byte("worth keeping"), 0o600); err != nil {
				t.Fatal(err)
			}
			w.Write("main.tf", stack(""))
			w.Apply()
			w.Settled()
			if text, err := os.ReadFile(data); string(text) != "worth keeping" {
				t.Errorf("the volume holds %q (%v), want what was in it", text, err)
			}
			w.Expect(0, "destroy", "-auto-approve", "-input=false")
			if left, keep := s.ReleaseVolumes(t, name), setting == "purge_volumes = false"; (len(left) == 1) != keep {
				t.Errorf("after the destroy of a release that was deployed there are the volumes %v", left)
			}
			if left := s.ReleaseObjects(t, name); len(left) > 0 {
				t.Errorf("after destroy there are %v", left)
			}
		})
	}
}
