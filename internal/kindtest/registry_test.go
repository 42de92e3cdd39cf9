package kindtest

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/docker/docker/api/types/image"
	dockerregistry "github.com/docker/docker/api/types/registry"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

// registry is published on the node alone, since ingress ports need IPVS.
func registry() kind {
	k := kind{
		name: "registry", resource: "swarm_registry", service: "registry",
		servers: []acctest.Server{acctest.Distribution}, image: acctest.RegistryImage("2"),
		attributes: func(r *release, v version) string {
			users, resources := fmt.Sprintf("%q = var.secret", r.name), fmt.Sprintf("memory = \"%dM\"", 200+v.change)
			if v.extra {
				users += `, guest = "a guest's own"`
			}
			return fmt.Sprintf("image = %q\n  port = \"%d\"\n  publish_mode = \"host\"\n  hostname = \"127.0.0.1\"\n  users_wo = { %s }\n  resources = { %s }\n",
				acctest.RegistryImage("2"), r.port, users, resources)
		},
		secret: awkward, sparse: true,
		objects: []string{"network/NAME_default", "secret/NAME_config-HASH", "secret/NAME_htpasswd-HASH", "service/NAME_registry"},
		volumes: []string{"NAME_data"},
		jobs:    []string{"ready"},
		made:    []made{{"/run/secrets/htpasswd", regexp.MustCompile(`:(\S+)`)}, {"/run/secrets/config.yml", regexp.MustCompile(`secret: (\S+)`)}},
	}.served()
	k.put = push
	return k
}

// push pushes a small image under a tag.
func push(r *release, tag string) error {
	ctx, host := context.Background(), fmt.Sprintf("127.0.0.1:%d", r.port)
	name := host + "/kept:" + tag
	auth, err := dockerregistry.EncodeAuthConfig(dockerregistry.AuthConfig{Username: r.name, Password: r.secret, ServerAddress: host})
	if err != nil {
		return err
	}
	if err := r.Client().ImageTag(ctx, acctest.Image("1.0"), name); err != nil {
		return err
	}
	r.T.Cleanup(func() { _, _ = r.Client().ImageRemove(ctx, name, image.RemoveOptions{}) })
	out, err := r.Client().ImagePush(ctx, name, image.PushOptions{RegistryAuth: auth})
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	said, err := io.ReadAll(out)
	if err == nil && strings.Contains(string(said), `"error"`) {
		err = fmt.Errorf("pushing %s: %s", name, said)
	}
	return err
}
