package render

import (
	"fmt"
	"sort"
	"strings"

	"github.com/docker/cli/cli/compose/loader"
	"github.com/docker/cli/cli/compose/types"
)

// load hands the normalised files to docker/cli's loader, which merges them as
// `docker stack deploy -c a -c b` does.
//
// Its JSON schema is not asked again: the shapes are stricter, and the schema is
// compiled anew on every call. That they let nothing pass which the schema
// refuses is tested.
func (s *stack) load() {
	details := s.details()
	config, err := guard(func() (*types.Config, error) { return loader.Load(details, withoutSchema) })
	if err != nil {
		s.explainLoadError(details, err)
		return
	}
	kept := config.Services[:0]
	for _, service := range config.Services {
		if _, out := s.profiled[service.Name]; !out {
			kept = append(kept, service)
		}
	}
	config.Services = kept
	sort.Slice(config.Services, func(i, j int) bool { return config.Services[i].Name < config.Services[j].Name })
	s.config = config
}

// details are the normalised files as docker/cli's loader takes them.
func (s *stack) details() types.ConfigDetails {
	details := types.ConfigDetails{Environment: s.vars.all()}
	for _, root := range s.roots {
		config, _ := root.plain().(map[string]any)
		details.ConfigFiles = append(details.ConfigFiles, types.ConfigFile{Filename: root.at.file, Config: config})
	}
	return details
}

func withoutSchema(o *loader.Options) { o.SkipInterpolation, o.SkipValidation = true, true }

// explainLoadError finds the services that the loader refuses, each with its own
// error: of a whole file it reports one, a random one.
func (s *stack) explainLoadError(details types.ConfigDetails, err error) {
	found := false
	for i, root := range s.roots {
		services, _ := details.ConfigFiles[i].Config["services"].(map[string]any)
		for _, name := range sortedKeys(services) {
			definition, _ := services[name].(map[string]any)
			_, err := guard(func() (*types.ServiceConfig, error) {
				return loader.LoadService(name, definition, "", details.LookupEnv)
			})
			if err != nil {
				found = true
				p := path{"services", name}
				at, _ := root.find(p)
				s.report.errorAt(at, p, fmt.Sprintf("Service %s cannot be read", name), s.engineText(err))
			}
		}
	}
	if !found && !s.report.problems.HasErrors() {
		s.report.errorAt(place{}, nil, "The Compose files cannot be read", s.engineText(err))
	}
}

// guard turns a panic of docker/cli's loader, which trusts its schema, into an
// error.
func guard[T any](f func() (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("docker/cli's loader failed: %v", p)
		}
	}()
	return f()
}

// engineText is the text of an error of docker/cli, which may quote values.
func (s *stack) engineText(err error) string {
	text := err.Error()
	for _, value := range s.vars.hidden() {
		if value != "" && strings.Contains(text, value) {
			return "docker/cli refuses it. Its message is not shown because it quotes a sensitive value."
		}
	}
	return strings.Join(strings.Fields(text), " ") + "."
}
