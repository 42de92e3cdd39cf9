variable "tunnel_token" {
  type      = string
  ephemeral = true
}

resource "swarm_application" "shop" {
  name = "shop"
  compose = [<<-YAML
    services:
      web:
        image: nginx:1.29.1
  YAML
  ]
}

# At Cloudflare the public hostname leads to http://shop_web:80.
resource "swarm_tunnel" "edge" {
  name     = "edge"
  token_wo = var.tunnel_token
  networks = [swarm_application.shop.networks["default"]]
}
