package render

import (
	"fmt"

	"github.com/docker/cli/cli/compose/convert"
	"github.com/docker/docker/api/types/container"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// defaultNetwork is what a service without networks is attached to.
const defaultNetwork = "default"

// networks renders the networks that services use. Like `docker stack deploy`,
// it leaves out the others.
func (a *applicationRenderer) networks() {
	used := map[string]map[string]bool{}
	for _, service := range a.config.Services {
		keys := sortedKeys(service.Networks)
		if len(keys) == 0 {
			keys = []string{defaultNetwork}
		}
		for _, key := range keys {
			if used[key] == nil {
				used[key] = map[string]bool{}
			}
			used[key][service.Name] = true
		}
	}
	realNames := map[string]string{}
	for _, key := range sortedKeys(used) {
		network, p := a.config.Networks[key], path{"networks", key}
		if network.External.External {
			if container.NetworkMode(network.Name).IsUserDefined() {
				for service := range used[key] {
					a.useExternal(object.KindNetwork, network.Name, service)
				}
			}
			continue
		}
		a.checkLabels(network.Labels, p.with("labels"))
		created, _ := convert.Networks(a.namespace, a.config.Networks, map[string]struct{}{key: {}})
		for name, options := range created {
			if options.Driver == "" {
				options.Driver = overlayDriver
			}
			a.checkNetwork(key, name, options.Driver, p)
			if other, ok := realNames[name]; ok {
				a.errorAt(p.with("name"), fmt.Sprintf("Two networks are called %q", name), fmt.Sprintf("%q and %q have the same name.", other, key))
			}
			realNames[name] = key
			a.objects = append(a.objects, object.Object{
				Kind: object.KindNetwork, Key: key, Name: name,
				Spec: &object.NetworkSpec{Name: name, Options: options},
			})
		}
	}
	for _, key := range sortedKeys(a.config.Networks) {
		if used[key] == nil && key != defaultNetwork && !a.config.Networks[key].External.External {
			a.warnAt(path{"networks", key}, fmt.Sprintf("Network %s is not used", key), "No service is attached to it, so it is not created.")
		}
	}
}

// overlayDriver is what `docker stack deploy` creates networks with.
const overlayDriver = "overlay"

func (a *applicationRenderer) checkNetwork(key, name, driver string, p path) {
	if len(name) > maxServiceNameChars || !dnsName.MatchString(name) {
		a.errorAt(p, fmt.Sprintf("Invalid name of network %s", key),
			fmt.Sprintf("%q: a network's name has at most %d letters, digits, `-` and `_`, and starts and ends with a letter or digit. Set a `name:`.", excerpt(name), maxServiceNameChars))
	}
	if driver == "bridge" {
		a.errorAt(p.with("driver"), fmt.Sprintf("Network %s cannot be used by services", key),
			"A bridge is a network of one node, and Swarm refuses services on it. Remove `driver: bridge`; the default is overlay.")
	}
}
