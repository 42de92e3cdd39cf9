package render

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/distribution/reference"
	"github.com/docker/cli/cli/compose/convert"
	"github.com/docker/cli/cli/compose/loader"
	"github.com/docker/cli/cli/compose/types"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"
	"github.com/docker/docker/client"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// created is what a stack consists of at the engine, by real name.
type created struct {
	Services map[string]swarm.ServiceSpec
	Networks map[string]network.CreateOptions
}

// dockerStackDeploy does what `docker stack deploy` does up to the first write:
// load, check the images, convert.
func dockerStackDeploy(t *testing.T, app spec.Application) (created, error) {
	t.Helper()
	folder := t.TempDir()
	for name, content := range app.Files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	details := types.ConfigDetails{WorkingDir: folder, Environment: app.Variables}
	for _, source := range app.Compose {
		config, err := loader.ParseYAML([]byte(source.Text))
		if err != nil {
			return created{}, err
		}
		details.ConfigFiles = append(details.ConfigFiles, types.ConfigFile{Filename: source.Name, Config: config})
	}
	config, err := loader.Load(details)
	if err != nil {
		return created{}, err
	}
	for _, service := range config.Services {
		if service.Image == "" {
			return created{}, errors.New("no image specified")
		}
		if _, err := reference.ParseAnyReference(service.Image); err != nil {
			return created{}, err
		}
	}
	namespace := convert.NewNamespace(app.Name)
	used := map[string]struct{}{}
	for _, service := range config.Services {
		if len(service.Networks) == 0 {
			used["default"] = struct{}{}
		}
		for key := range service.Networks {
			used[key] = struct{}{}
		}
	}
	networks, _ := convert.Networks(namespace, config.Networks, used)
	for name, options := range networks {
		if options.Driver == "" {
			options.Driver = "overlay"
		}
		networks[name] = options
	}
	services, err := convert.Services(context.Background(), namespace, config, everyObject{})
	return created{services, networks}, err
}

// everyObject is an engine that has every secret and config that is asked for.
type everyObject struct{ client.APIClient }

func (everyObject) ClientVersion() string { return lowestAPI }

func (everyObject) SecretList(_ context.Context, options swarm.SecretListOptions) ([]swarm.Secret, error) {
	var list []swarm.Secret
	for _, name := range options.Filters.Get("name") {
		list = append(list, swarm.Secret{Spec: swarm.SecretSpec{Annotations: swarm.Annotations{Name: name}}})
	}
	return list, nil
}

func (everyObject) ConfigList(_ context.Context, options swarm.ConfigListOptions) ([]swarm.Config, error) {
	var list []swarm.Config
	for _, name := range options.Filters.Get("name") {
		list = append(list, swarm.Config{Spec: swarm.ConfigSpec{Annotations: swarm.Annotations{Name: name}}})
	}
	return list, nil
}

// withStackNames returns the services with configs and secrets called as
// `docker stack deploy` calls them, and the image as it was written.
func withStackNames(rendered *Rendered, stack string) created {
	renamed := map[string]string{}
	for _, o := range rendered.Objects {
		if (o.Kind == object.KindConfig || o.Kind == object.KindSecret) && !o.FixedName {
			renamed[o.Name] = stack + "_" + o.Key
		}
	}
	c := created{map[string]swarm.ServiceSpec{}, map[string]network.CreateOptions{}}
	for _, o := range rendered.Objects {
		if spec, ok := o.Spec.(*object.NetworkSpec); ok {
			c.Networks[spec.Name] = spec.Options
		}
		service, ok := o.Spec.(*swarm.ServiceSpec)
		if !ok {
			continue
		}
		container := service.TaskTemplate.ContainerSpec
		for _, ref := range container.Configs {
			if name, ok := renamed[ref.ConfigName]; ok {
				ref.ConfigName = name
			}
		}
		for _, ref := range container.Secrets {
			if name, ok := renamed[ref.SecretName]; ok {
				ref.SecretName = name
			}
		}
		container.Image = service.Labels[convert.LabelImage]
		c.Services[o.Key] = *service
	}
	return c
}
