data "swarm_image" "web" {
  name = "registry.example.com/acme/web:stable"
}

resource "swarm_application" "web" {
  name      = "web"
  compose   = [file("${path.module}/compose.yml")]
  variables = { IMAGE = data.swarm_image.web.reference }
}
