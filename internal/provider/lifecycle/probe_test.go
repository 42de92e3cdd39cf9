package lifecycle_test

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	terraform "github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// probe is the smallest kind: services by image, and secrets that all of them
// mount. It shows that the lifecycle needs no more of a kind.
type probe struct{}

type probeModel struct {
	lifecycle.Common
	Run       types.Map  `tfsdk:"run"`
	SecretsWO types.Map  `tfsdk:"secrets_wo"`
	Wrong     types.List `tfsdk:"wrong"`
	Wait      types.Bool `tfsdk:"wait"`
}

func (m *probeModel) Waiting() lifecycle.Waiting {
	return lifecycle.Waiting{NoWait: !m.Wait.IsNull() && !m.Wait.ValueBool()}
}

// CheckChange refuses another image for a service "fixed".
func (m *probeModel) CheckChange(prior lifecycle.Model) spec.Problems {
	was, ok := prior.(*probeModel)
	if !ok {
		return nil
	}
	live, image := lifecycle.Strings(was.Objects)["service/fixed"], lifecycle.Strings(m.Run)["fixed"]
	if live == "" || image == "" || strings.Contains(live, image) {
		return nil
	}
	return spec.Problems{{Attribute: []string{"run", "fixed"}, Summary: "It cannot become that", Detail: "Keep it."}}
}

func (probe) Name() string              { return "probe" }
func (probe) Description() string       { return "A kind for tests." }
func (probe) NewModel() lifecycle.Model { return &probeModel{} }
func (probe) Attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"run":        schema.MapAttribute{Optional: true, ElementType: types.StringType},
		"secrets_wo": schema.MapAttribute{Optional: true, WriteOnly: true, ElementType: types.StringType},
		"wrong":      schema.ListAttribute{Optional: true, ElementType: types.StringType},
		"wait":       schema.BoolAttribute{Optional: true},
	}
}

func (m *probeModel) Render(context.Context, *lifecycle.Session) (*reconcile.Release, spec.Problems) {
	var problems spec.Problems
	for i, v := range m.Wrong.Elements() {
		problems = append(problems, spec.Problem{
			Attribute: []string{"wrong", fmt.Sprint(i)}, File: "stack.yml", Line: i + 1, Service: "web",
			Summary: "Something is wrong", Detail: v.(types.String).ValueString(),
		})
	}
	if problems.HasErrors() {
		return nil, problems
	}
	name := m.Name.ValueString()
	out := &reconcile.Release{Objects: []object.Object{{
		Kind: object.KindNetwork, Key: "default", Name: name + "_default",
		Spec: &object.NetworkSpec{Name: name + "_default", Options: network.CreateOptions{Driver: "overlay"}},
	}}}
	var mounts []*swarm.SecretReference
	secrets := lifecycle.Strings(m.SecretsWO)
	for _, key := range sorted(secrets) {
		fp := object.SecretFingerprint("probe", name, key, []byte(secrets[key]))
		o := object.Object{Kind: object.KindSecret, Key: key, Fingerprint: fp, Name: object.ContentName(name, key, fp)}
		o.Spec = &swarm.SecretSpec{Annotations: swarm.Annotations{Name: o.Name}, Data: []byte(secrets[key])}
		out.Objects = append(out.Objects, o)
		mounts = append(mounts, &swarm.SecretReference{SecretName: o.Name, File: &swarm.SecretReferenceFileTarget{Name: key, UID: "0", GID: "0", Mode: 0o444}})
	}
	images := lifecycle.Strings(m.Run)
	for _, key := range sorted(images) {
		out.Objects = append(out.Objects, object.Object{
			Kind: object.KindService, Key: key, Name: name + "_" + key, Spec: serviceSpec(name, key, images[key], mounts),
		})
	}
	return out, problems
}

func serviceSpec(stack, key, image string, secrets []*swarm.SecretReference) *swarm.ServiceSpec {
	one := uint64(1)
	return &swarm.ServiceSpec{
		Annotations: swarm.Annotations{Name: stack + "_" + key, Labels: map[string]string{reconcile.LabelStack: stack}},
		Mode:        swarm.ServiceMode{Replicated: &swarm.ReplicatedService{Replicas: &one}},
		TaskTemplate: swarm.TaskSpec{
			ContainerSpec: &swarm.ContainerSpec{Image: image, Secrets: secrets},
			Networks:      []swarm.NetworkAttachmentConfig{{Target: stack + "_default"}},
		},
		EndpointSpec: &swarm.EndpointSpec{Ports: []swarm.PortConfig{{TargetPort: 80, Protocol: "tcp", PublishMode: "host"}}},
	}
}

func sorted(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// probing is a provider that offers the probe, over a backend of the test.
type probing struct {
	backend reconcile.Backend
	opts    lifecycle.SessionOptions
}

func (p probing) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "swarm"
}
func (p probing) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerschema.Schema{}
}
func (p probing) Configure(_ context.Context, _ provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	opts := p.opts
	if opts.Owner == "" {
		opts.Owner = "terraform"
	}
	if len(opts.Unknown) == 0 {
		opts.Core = reconcile.New(p.backend, reconcile.PollEvery(time.Millisecond))
	}
	resp.ResourceData = lifecycle.NewSession(opts)
}
func (p probing) DataSources(context.Context) []func() datasource.DataSource { return nil }
func (p probing) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{lifecycle.New(probe{})}
}

func (p probing) factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){"swarm": providerserver.NewProtocol6WithError(p)}
}

// test runs steps through Terraform itself.
func test(t *testing.T, backend reconcile.Backend, steps ...terraform.TestStep) {
	t.Helper()
	t.Parallel()
	terraform.UnitTest(t, terraform.TestCase{ProtoV6ProviderFactories: probing{backend: backend}.factories(), Steps: steps})
}
