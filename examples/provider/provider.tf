terraform {
  required_version = ">= 1.11"

  required_providers {
    swarm = {
      source = "swarmkeel/swarm"
    }
  }
}

# Without any attribute: the engine that the Docker CLI would talk to.
provider "swarm" {}

# Another swarm, over ssh to one of its managers.
provider "swarm" {
  alias = "production"
  host  = "ssh://deploy@manager1.example.com"
  owner = "platform/production"

  protected_secrets = ["root_ca_key"]
}
