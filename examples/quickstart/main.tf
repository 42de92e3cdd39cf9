terraform {
  required_version = ">= 1.11"

  required_providers {
    swarm = {
      source = "swarmkeel/swarm"
    }
  }
}

variable "host" {
  type        = string
  description = "Address of a manager's engine, as DOCKER_HOST takes it."
}

variable "api_key" {
  type        = string
  description = "Given to the API as a Docker secret; in no plan and no state."
  ephemeral   = true
}

variable "tag" {
  type    = string
  default = "1.0"
}

provider "swarm" {
  host = var.host
}

resource "swarm_application" "shop" {
  name    = "shop"
  compose = [file("${path.module}/stack.yml")]

  files = {
    "greeting.txt" = file("${path.module}/greeting.txt")
  }

  variables = {
    TAG  = var.tag
    PORT = "8080"
  }

  secrets_wo = {
    api_key = var.api_key
  }

  timeouts = {
    create = "2m"
    update = "2m"
    delete = "2m"
  }
}

output "services" {
  value = swarm_application.shop.services
}
