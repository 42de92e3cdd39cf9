variable "db_password" {
  type      = string
  ephemeral = true
}

resource "swarm_application" "shop" {
  name    = "shop"
  compose = [file("${path.module}/deploy/compose.yml")]

  # What the Compose text refers to by `file:`.
  files = {
    "site.conf" = file("${path.module}/deploy/site.conf")
  }

  variables = {
    NGINX_TAG = "1.29.1"
    API_TAG   = "2.4.0"
  }

  # Never in state or plan. Another value rolls the services that mount it.
  secrets_wo = {
    db_password = var.db_password
  }

  timeouts = {
    update = "15m"
  }
}
