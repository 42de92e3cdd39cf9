// Package providertest hands the provider to Terraform's acceptance test
// framework, over a real engine or over a backend of the test's own.
package providertest

import (
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/swarm"
)

// Factories are what resource.TestCase wants as ProtoV6ProviderFactories: the
// provider called "swarm".
func Factories(options ...provider.Option) map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"swarm": providerserver.NewProtocol6WithError(provider.New("test", options...)),
	}
}

// On makes a provider work on one given backend, whatever its configuration
// says about the engine.
func On(backend reconcile.Backend) provider.Option {
	return provider.WithBackend(func(swarm.Config) (reconcile.Backend, error) { return backend, nil })
}
