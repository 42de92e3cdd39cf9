variable "registry_password" {
  type      = string
  ephemeral = true
}

# On every node as 127.0.0.1:5000, which engines trust without further ado.
resource "swarm_registry" "images" {
  name      = "images"
  users_wo  = { deploy = var.registry_password }
  placement = { constraints = ["node.labels.images==true"] }
}

provider "swarm" {
  registry_auth = [{
    address  = "127.0.0.1:5000"
    username = "deploy"
    password = var.registry_password
  }]
}

# Pushed there before: docker push 127.0.0.1:5000/acme/web:1
resource "swarm_application" "shop" {
  name = "shop"
  compose = [<<-YAML
    services:
      web:
        image: ${swarm_registry.images.address}/acme/web:1
  YAML
  ]
}
