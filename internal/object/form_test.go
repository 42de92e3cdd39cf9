package object

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"
)

const digest = "@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

func TestImageOfLiveService(t *testing.T) {
	image := func(name string) *Object {
		o := service(spec(onContainer(func(c *swarm.ContainerSpec) { c.Image = name })))
		return &o
	}
	rows := []struct {
		rule     string
		live     string
		declared *Object
		label    string
		want     string
	}{
		{"a digest that was not declared is cut", "nginx:1" + digest, image("nginx:1"), "", "nginx:1"},
		{"a digest that was declared is shown", "nginx:1" + digest, image("nginx:1" + digest), "", "nginx:1" + digest},
		{"another name is not hidden by the cut", "nginx:2" + digest, image("nginx:1"), "", "nginx:2"},
		{"a digest without a tag does not become latest", "nginx" + digest, image("nginx"), "", "nginx"},
		{"live is not normalised", "docker.io/library/nginx:1", image("nginx:1"), "", "docker.io/library/nginx:1"},
		{"without a record the label of the stack tells that no digest was asked for", "nginx:latest" + digest, nil, "nginx", "nginx:latest"},
		{"without a record a stale label is no evidence", "nginx:2" + digest, nil, "nginx:1", "nginx:2" + digest},
		{"without a record a label with the digest asks for it", "nginx:1" + digest, nil, "nginx:1" + digest, "nginx:1" + digest},
		{"without a record and label the digest is shown", "nginx:1" + digest, nil, "", "nginx:1" + digest},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			live := image(row.live)
			live.Spec.(*swarm.ServiceSpec).Labels = map[string]string{LabelStackImage: row.label}
			if got := mustForm(t, *live, View{Live: true, Declared: row.declared})["image"]; got != row.want {
				t.Errorf("image %v, want %v", got, row.want)
			}
		})
	}
}

func TestNormalizeImage(t *testing.T) {
	for image, want := range map[string]string{
		"nginx":                                "nginx:latest",
		"docker.io/library/nginx:1":            "nginx:1",
		"nginx" + digest:                       "nginx" + digest,
		"index.docker.io/acme/web":             "acme/web:latest",
		"r.example.com:5000/a/b":               "r.example.com:5000/a/b:latest",
		"":                                     "",
		"Not A Reference":                      "Not A Reference",
		strings.TrimPrefix(digest, "@sha256:"): strings.TrimPrefix(digest, "@sha256:"),
	} {
		if got := NormalizeImage(image); got != want {
			t.Errorf("%q is %q, want %q", image, got, want)
		}
	}
}

func TestReferencesOfService(t *testing.T) {
	secret := func(id, name, target string) *swarm.SecretReference {
		return &swarm.SecretReference{SecretID: id, SecretName: name, File: &swarm.SecretReferenceFileTarget{Name: target, UID: "0", GID: "0", Mode: 0o444}}
	}
	config := func(name, target string) *swarm.ConfigReference {
		return &swarm.ConfigReference{ConfigName: name, File: &swarm.ConfigReferenceFileTarget{Name: target, UID: "7", GID: "8", Mode: 0o400}}
	}
	withSecrets := func(r ...*swarm.SecretReference) change {
		return onContainer(func(c *swarm.ContainerSpec) { c.Secrets = r })
	}
	withConfigs := func(r ...*swarm.ConfigReference) change {
		return onContainer(func(c *swarm.ContainerSpec) { c.Configs = r })
	}
	names := NamesOf([]Object{
		{Kind: KindSecret, Key: "pw", Name: "shop_pw-0123456789ab"},
		{Kind: KindConfig, Key: "conf", Name: "shop_conf-0123456789ab"},
	})
	rows := []struct {
		rule string
		with change
		want string
	}{
		{"an own one goes by its key, a foreign one by its name", withSecrets(secret("1", "shop_pw-0123456789ab", "pw"), secret("2", "pw", "/x")),
			`"secrets":{"pw":[{"gid":"0","mode":"0444","target":"pw","uid":"0"}],"pw (external)":[{"gid":"0","mode":"0444","target":"/x","uid":"0"}]}`},
		{"one whose id leads nowhere says so", withSecrets(secret("1", "(unresolved 1)", "x")),
			`"secrets":{"(unresolved 1)":[{"gid":"0","mode":"0444","target":"x","uid":"0"}]}`},
		{"targets of one secret have no order", withSecrets(secret("1", "s", "b"), secret("1", "s", "a")),
			`"secrets":{"s (external)":[{"gid":"0","mode":"0444","target":"a","uid":"0"},{"gid":"0","mode":"0444","target":"b","uid":"0"}]}`},
		{"one without a file does not count", withSecrets(&swarm.SecretReference{SecretName: "s"}, nil), ``},
		{"a config with its mode", withConfigs(config("shop_conf-0123456789ab", "/etc/c")),
			`"configs":{"conf":[{"gid":"8","mode":"0400","target":"/etc/c","uid":"7"}]}`},
		{"a config for the runtime", withConfigs(&swarm.ConfigReference{ConfigName: "shop_conf-0123456789ab", Runtime: &swarm.ConfigReferenceRuntimeTarget{}}),
			`"configs":{"conf":[{"runtime":true}]}`},
		{"the config of a credential spec", withPrivileges(&swarm.Privileges{CredentialSpec: &swarm.CredentialSpec{Config: "shop_conf-0123456789ab"}}),
			`"privileges":{"credential_spec":{"config":"conf"}}`},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			got := mustForm(t, service(spec(row.with)), View{Names: names})
			for _, k := range []string{"image", "mode", "replicas"} {
				delete(got, k)
			}
			if got.JSON() != "{"+row.want+"}" {
				t.Errorf("form %s, want {%s}", got.JSON(), row.want)
			}
		})
	}
}

func TestNetworkForm(t *testing.T) {
	net := func(o network.CreateOptions) Object {
		return Object{Kind: KindNetwork, Key: "default", Name: "shop_default", Spec: &NetworkSpec{Name: "shop_default", Options: o}}
	}
	ipam := func(pools ...network.IPAMConfig) network.CreateOptions {
		return network.CreateOptions{Driver: "overlay", IPAM: &network.IPAM{Driver: "default", Config: pools}}
	}
	rows := []struct {
		rule          string
		desired, live network.CreateOptions
		want          []string
		recreate      bool
	}{
		{"driver unset is overlay, scope is swarm, nothing else is nothing", network.CreateOptions{}, network.CreateOptions{Driver: "overlay", Scope: "swarm", EnableIPv4: ptr(true), EnableIPv6: ptr(false), Labels: map[string]string{LabelStack: "shop"}}, nil, false},
		{"the ids that the overlay driver adds are ignored", network.CreateOptions{Options: map[string]string{"encrypted": ""}}, network.CreateOptions{Options: map[string]string{"encrypted": "", vxlanOption: "4097"}}, nil, false},
		{"other options are compared", network.CreateOptions{}, network.CreateOptions{Options: map[string]string{"encrypted": ""}}, []string{"options.encrypted"}, true},
		{"attachable, internal and ipv6 are compared", network.CreateOptions{}, network.CreateOptions{Attachable: true, Internal: true, EnableIPv6: ptr(true)}, []string{"attachable", "internal", "ipv6"}, true},
		{"subnets that the engine chose are ignored", network.CreateOptions{}, ipam(network.IPAMConfig{Subnet: "10.0.1.0/24", Gateway: "10.0.1.1"}), nil, false},
		{"the gateway that the engine chose is ignored", ipam(network.IPAMConfig{Subnet: "10.9.0.0/24"}), ipam(network.IPAMConfig{Subnet: "10.9.0.0/24", Gateway: "10.9.0.1"}), nil, false},
		{"a declared subnet is compared", ipam(network.IPAMConfig{Subnet: "10.9.0.0/24"}), ipam(network.IPAMConfig{Subnet: "10.8.0.0/24", Gateway: "10.8.0.1"}), []string{"ipam.config[0].subnet"}, true},
		{"a declared gateway is compared", ipam(network.IPAMConfig{Subnet: "10.9.0.0/24", Gateway: "10.9.0.9"}), ipam(network.IPAMConfig{Subnet: "10.9.0.0/24", Gateway: "10.9.0.1"}), []string{"ipam.config[0].gateway"}, true},
		{"pools have no order", ipam(network.IPAMConfig{Subnet: "10.9.0.0/24"}, network.IPAMConfig{Subnet: "10.8.0.0/24"}), ipam(network.IPAMConfig{Subnet: "10.8.0.0/24"}, network.IPAMConfig{Subnet: "10.9.0.0/24"}), nil, false},
		{"a pool that is missing is seen", ipam(network.IPAMConfig{Subnet: "10.9.0.0/24"}), network.CreateOptions{}, []string{"ipam.config"}, true},
		{"another ipam driver", network.CreateOptions{}, network.CreateOptions{IPAM: &network.IPAM{Driver: "other"}}, []string{"ipam.driver"}, true},
		{"labels alone do not replace a network", network.CreateOptions{}, network.CreateOptions{Labels: map[string]string{"a": "1"}}, []string{"labels.a"}, false},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			desired := net(row.desired)
			diff := Diff(mustForm(t, desired, View{}), mustForm(t, net(row.live), View{Declared: &desired}))
			if got := paths(diff); !slices.Equal(got, row.want) {
				t.Errorf("leaves that differ: %q, want %q", got, row.want)
			}
			if got := len(ImmutableDifferences(diff)) > 0; got != row.recreate {
				t.Errorf("has to be created again: %v, want %v", got, row.recreate)
			}
		})
	}
	t.Run("without a record no subnet is shown", func(t *testing.T) {
		got := mustForm(t, net(ipam(network.IPAMConfig{Subnet: "10.0.1.0/24"})), View{Live: true})
		if _, shown := got["ipam"]; shown {
			t.Errorf("form %s", got.JSON())
		}
	})
}

func TestFilesForm(t *testing.T) {
	config := func(data string) Object {
		return Object{Kind: KindConfig, Key: "c", Spec: &swarm.ConfigSpec{Data: []byte(data)}}
	}
	rows := []struct {
		rule string
		o    Object
		want string
	}{
		{"a config shows its text", config("a < b\n"), `{"content":"a < b\n"}`},
		{"a binary config shows its hash and size", config("\xff\x00"), `{"content":"sha256:ea5dbf9596d187e9500f23e9a680109475341cf4e81f7e043f7d97152c10772f (2 bytes)"}`},
		{"so does a long one", config(strings.Repeat("a", maxShownContent+1)), `{"content":"sha256:608b801060d579a7b659a01755259a13dec8853b97d3d8062763c97ffac6ddae (16385 bytes)"}`},
		{"labels of our own are not shown, the template driver is", Object{Kind: KindConfig, Key: "c", Spec: &swarm.ConfigSpec{Annotations: swarm.Annotations{Labels: map[string]string{"a": "1", LabelPrefix + "key": "c"}}, Templating: &swarm.Driver{Name: "golang"}}}, `{"content":"","labels":{"a":"1"},"template_driver":"golang"}`},
		{"a secret shows its fingerprint and not its content", Object{Kind: KindSecret, Key: "s", Fingerprint: "f00", Spec: &swarm.SecretSpec{Data: []byte("hunter2")}}, `{"fingerprint":"f00"}`},
		{"a secret of which nothing is known says so", Object{Kind: KindSecret, Key: "s", Spec: &swarm.SecretSpec{}}, `{"fingerprint":"(unknown)"}`},
		{"a secret of a driver has no fingerprint", Object{Kind: KindSecret, Key: "s", Spec: &swarm.SecretSpec{Driver: &swarm.Driver{Name: "vault", Options: map[string]string{"a": "1"}}}}, `{"driver":{"name":"vault","options":{"a":"1"}}}`},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			if got := mustForm(t, row.o, View{}).JSON(); got != row.want {
				t.Errorf("form %s, want %s", got, row.want)
			}
		})
	}
}

func TestFormRefusesASpecOfAnotherKind(t *testing.T) {
	for _, o := range []Object{
		{Kind: KindService, Key: "x"},
		{Kind: KindService, Key: "x", Spec: (*swarm.ServiceSpec)(nil)},
		{Kind: KindService, Key: "x", Spec: &swarm.ConfigSpec{}},
		{Kind: "pod", Key: "x", Spec: &swarm.ServiceSpec{}},
	} {
		_, err := o.Form(View{})
		var formErr *FormError
		if !errors.As(err, &formErr) || formErr.Ref != o.Ref() {
			t.Errorf("%s with a %T: error %v", o.Ref(), o.Spec, err)
		}
	}
}

func TestVolumes(t *testing.T) {
	web := service(spec(withMounts(
		volumeMount("shop_data", "/b", "", nil),
		volumeMount("shop_data", "/a", "nfs", map[string]string{"l": "1", LabelStack: "shop"}),
		volumeMount("data", "/c", "", nil),
		volumeMount("cache", "/d", "", nil),
		volumeMount("", "/anonymous", "", nil),
	)))
	got := Volumes([]Object{web, {Kind: KindConfig, Key: "c"}}, "shop")
	want := []struct{ key, name, form string }{
		{"cache", "cache", `{}`},
		{"data", "shop_data", `{"driver":"nfs","labels":{"l":"1"}}`},
		{"data (external)", "data", `{}`},
	}
	if len(got) != len(want) {
		t.Fatalf("%d volumes: %v", len(got), got)
	}
	for i, w := range want {
		if got[i].Key != w.key || got[i].Name != w.name || mustForm(t, got[i], View{}).JSON() != w.form {
			t.Errorf("volume %s named %s is %s, want %+v", got[i].Key, got[i].Name, mustForm(t, got[i], View{}).JSON(), w)
		}
	}
}

func TestVolumesThatMountsDescribeDifferently(t *testing.T) {
	api := service(spec(withMounts(
		volumeMount("shop_data", "/b", "nfs", map[string]string{"of": "api /b"}),
		volumeMount("shop_data", "/a", "", map[string]string{"of": "api /a"}),
	)))
	api.Key = "api"
	web := service(spec(withMounts(volumeMount("shop_data", "/a", "local", map[string]string{"of": "web /a"}))))
	for _, objects := range [][]Object{{api, web}, {web, api}} {
		got := Volumes(objects, "shop")
		const want = `{"driver":"nfs","labels":{"of":"api /a"}}`
		if len(got) != 1 || mustForm(t, got[0], View{}).JSON() != want {
			t.Errorf("%d volumes, the first %s, want one, %s", len(got), mustForm(t, got[0], View{}).JSON(), want)
		}
	}
}
