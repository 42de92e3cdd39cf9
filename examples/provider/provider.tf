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

  registry_auth = [
    { address = "registry.example.com", username = "deploy", password = var.registry_password },
  ]

  git_auth = [
    { host = "git.example.com", username = "ci", password = var.git_token },
    { host = "git.internal:2222", ssh_private_key = file("~/.ssh/deploy"), known_hosts = file("${path.module}/known_hosts") },
  ]
}

variable "registry_password" {
  type      = string
  ephemeral = true
}

variable "git_token" {
  type      = string
  ephemeral = true
}
