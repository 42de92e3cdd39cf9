package render

import (
	"fmt"
	"io/fs"
	"sort"

	"github.com/docker/cli/cli/compose/convert"
	"github.com/docker/cli/cli/compose/types"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// lowestAPI is the engine API that services are converted for.
const lowestAPI = "1.41"

func (a *applicationRenderer) services() {
	for _, service := range a.config.Services {
		p := path{"services", service.Name}
		a.checkService(service, p)
		converted, err := guard(func() (swarm.ServiceSpec, error) { return a.convert(service, p) })
		if err != nil && a.report.hasErrorOf(service.Name) {
			continue // convert stumbles over what has been reported
		}
		if err != nil {
			a.errorAt(p, fmt.Sprintf("Service %s cannot be converted", service.Name), a.engineText(err))
			continue
		}
		a.complete(&converted, service)
		a.collectNeeds(service.Name, converted)
		a.objects = append(a.objects, object.Object{
			Kind: object.KindService, Key: service.Name, Name: converted.Name, Spec: &converted,
			DependsOn: a.dependsOn(service.Name),
		})
	}
}

func (a *applicationRenderer) convert(service types.ServiceConfig, p path) (swarm.ServiceSpec, error) {
	secrets := a.secretReferences(service, p)
	configs, credentialSpec := a.configReferences(service, p)
	spec, err := convert.Service(lowestAPI, a.namespace, service, a.config.Networks, a.config.Volumes, secrets, credentialSpec)
	if err != nil {
		return spec, err
	}
	spec.TaskTemplate.ContainerSpec.Configs = configs
	return spec, nil
}

// complete adds what is beyond docker/cli's convert.
func (a *applicationRenderer) complete(spec *swarm.ServiceSpec, service types.ServiceConfig) {
	container := spec.TaskTemplate.ContainerSpec
	// The Docker client does the same on its way to the engine.
	container.Image = object.NormalizeImage(container.Image)
	if score, ok := a.oomScores[service.Name]; ok {
		container.OomScoreAdj = score
	}
	container.Groups = a.groups[service.Name]
	if options := a.dnsOptions[service.Name]; options != nil {
		if container.DNSConfig == nil {
			container.DNSConfig = &swarm.DNSConfig{}
		}
		container.DNSConfig.Options = options
	}
	if replicated := spec.Mode.Replicated; replicated != nil && a.app.Suspended {
		var none uint64
		replicated.Replicas = &none
	}
	if a.app.RedeployTrigger != "" {
		spec.Labels[object.LabelRedeploy] = redeployHash(a.app.RedeployTrigger)
	}
}

func (a *applicationRenderer) dependsOn(service string) []object.Dependency {
	var list []object.Dependency
	for _, key := range sortedKeys(a.dependencies[service]) {
		list = append(list, object.Dependency{Key: key, Condition: a.dependencies[service][key].condition})
	}
	return list
}

// defaultFileMode is the mode of a mounted config or secret, as in convert.
const defaultFileMode = 0o444

// fileTarget fills in what a reference leaves out, as convertFileObject of
// docker/cli does.
func fileTarget(ref types.FileReferenceConfig) (name, uid, gid string, mode fs.FileMode) {
	name, uid, gid, mode = ref.Target, ref.UID, ref.GID, defaultFileMode
	if name == "" {
		name = ref.Source
	}
	if uid == "" {
		uid = "0"
	}
	if gid == "" {
		gid = "0"
	}
	if ref.Mode != nil {
		mode = fs.FileMode(*ref.Mode)
	}
	return name, uid, gid, mode
}

// secretReferences builds the references by real name, as convertServiceSecrets
// of docker/cli does with the help of the engine.
func (a *applicationRenderer) secretReferences(service types.ServiceConfig, p path) []*swarm.SecretReference {
	refs := []*swarm.SecretReference{}
	targets := map[string]string{}
	for _, s := range service.Secrets {
		ref := types.FileReferenceConfig(s)
		name, uid, gid, mode := fileTarget(ref)
		a.checkTarget(targets, name, ref.Source, p.with("secrets"))
		refs = append(refs, &swarm.SecretReference{
			File:       &swarm.SecretReferenceFileTarget{Name: name, UID: uid, GID: gid, Mode: mode},
			SecretName: a.realName(object.KindSecret, ref.Source, a.config.Secrets[ref.Source].External.External, service.Name),
		})
	}
	sort.SliceStable(refs, func(i, j int) bool { return refs[i].SecretName < refs[j].SecretName })
	return refs
}

// configReferences builds the references by real name. The second list is what
// convert looks a credential spec up in: it wants the id of the config, and gets
// its name, as all references of an object.Object are by name.
func (a *applicationRenderer) configReferences(service types.ServiceConfig, p path) (refs, credentialSpec []*swarm.ConfigReference) {
	refs = []*swarm.ConfigReference{}
	targets := map[string]string{}
	for _, c := range service.Configs {
		ref := types.FileReferenceConfig(c)
		name, uid, gid, mode := fileTarget(ref)
		a.checkTarget(targets, name, ref.Source, p.with("configs"))
		refs = append(refs, &swarm.ConfigReference{
			File:       &swarm.ConfigReferenceFileTarget{Name: name, UID: uid, GID: gid, Mode: mode},
			ConfigName: a.realName(object.KindConfig, ref.Source, a.config.Configs[ref.Source].External.External, service.Name),
		})
	}
	if key := service.CredentialSpec.Config; key != "" {
		name := a.realName(object.KindConfig, key, a.config.Configs[key].External.External, service.Name)
		refs = append(refs, &swarm.ConfigReference{Runtime: &swarm.ConfigReferenceRuntimeTarget{}, ConfigName: name})
		credentialSpec = append(credentialSpec, &swarm.ConfigReference{ConfigName: key, ConfigID: name})
	}
	sort.SliceStable(refs, func(i, j int) bool { return refs[i].ConfigName < refs[j].ConfigName })
	return refs, credentialSpec
}

func (a *applicationRenderer) realName(kind object.Kind, key string, isExternal bool, service string) string {
	name := a.realNames[kind][key]
	if isExternal {
		a.useExternal(kind, name, service)
	}
	return name
}

// checkTarget applies swarmkit's rule that a file is mounted once.
func (a *applicationRenderer) checkTarget(targets map[string]string, target, source string, p path) {
	if other, ok := targets[target]; ok {
		a.errorAt(p, fmt.Sprintf("%s are mounted over each other", p),
			fmt.Sprintf("%q and %q have the same target %q. Give one of them another `target:`.", other, source, target))
		return
	}
	targets[target] = source
}

func (a *applicationRenderer) collectNeeds(service string, spec swarm.ServiceSpec) {
	need := func(version, what string) {
		a.needs = append(a.needs, object.Need{APIVersion: version, What: what + " of service " + service})
	}
	container := spec.TaskTemplate.ContainerSpec
	if h := container.Healthcheck; h != nil && h.StartInterval != 0 {
		need("1.44", "healthcheck.start_interval")
	}
	if container.OomScoreAdj != 0 {
		need("1.46", "oom_score_adj")
	}
	for _, m := range container.Mounts {
		switch {
		case m.Type == mount.TypeCluster:
			need("1.42", "the cluster volume at "+m.Target)
		case m.Type == mount.TypeImage:
			need("1.48", "the image mount at "+m.Target)
		case m.VolumeOptions != nil && m.VolumeOptions.Subpath != "":
			need("1.45", "volume.subpath at "+m.Target)
		}
	}
}
