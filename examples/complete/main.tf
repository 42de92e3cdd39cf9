terraform {
  required_version = ">= 1.11"

  required_providers {
    swarm = {
      source = "swarmkeel/swarm"
    }
  }
}

provider "swarm" {
  host = var.host
}

# A registry for your own images. docker login and docker push work with it at the address in the output.
resource "swarm_registry" "images" {
  name         = "images"
  image        = var.images.registry
  publish_mode = var.registry.publish_mode
  hostname     = var.registry.hostname
  placement    = local.placement

  users_wo = {
    deploy = var.registry_password
  }
}

# A database whose password nobody has to think of: it is made once and is nowhere but in the swarm's secrets.
resource "swarm_database" "orders" {
  name      = "orders"
  engine    = "postgres"
  version   = var.postgres_version
  image     = var.images.postgres
  placement = local.placement

  settings = {
    max_connections = "50"
  }

  resources = {
    memory = "512M"
  }

  # An example is there to be destroyed. Without these lines, destroying it is refused, and its volume stays.
  deletion_protection = false
  delete_data         = true
}

# The application mounts the secret with the database's URL, and follows when that changes.
resource "swarm_application" "shop" {
  name    = "shop"
  compose = [file("${path.module}/stack.yml")]

  variables = {
    APP_IMAGE           = var.images.app
    DATABASE_NETWORK    = swarm_database.orders.network
    DATABASE_URL_SECRET = swarm_database.orders.url_secret
  }
}

# The way in: connectors of a Cloudflare tunnel whose ingress sends the host name to http://web:8080.
resource "swarm_tunnel" "edge" {
  name     = "edge"
  image    = var.images.cloudflared
  token_wo = var.tunnel_token
  networks = concat([swarm_application.shop.networks["front"]], var.tunnel_networks)
}

# One look at everything of this owner, after each apply and in each plan.
data "swarm_drift" "all" {
  depends_on = [swarm_registry.images, swarm_database.orders, swarm_application.shop, swarm_tunnel.edge]
}

check "nothing_has_drifted" {
  assert {
    condition     = data.swarm_drift.all.in_sync
    error_message = "Not as applied: ${join(", ", [for r in data.swarm_drift.all.releases : "${r.name} (${r.reason})" if !r.in_sync])}."
  }
}

locals {
  # A local volume stays on its node, so the services that have one are pinned to it.
  placement = var.data_node == null ? null : { constraints = ["node.hostname==${var.data_node}"] }
}
