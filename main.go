// Command terraform-provider-swarm serves the Terraform provider that deploys
// and keeps Compose stacks on Docker Swarm.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	fwprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger: print TF_REATTACH_PROVIDERS and keep running")
	printVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()

	if *printVersion {
		fmt.Println(version)
		return
	}

	serve := func() fwprovider.Provider { return provider.New(version) }
	err := providerserver.Serve(context.Background(), serve, providerserver.ServeOpts{
		Address:         provider.Address,
		Debug:           *debug,
		ProtocolVersion: 6,
	})
	if err != nil {
		log.Fatal(err)
	}
}
