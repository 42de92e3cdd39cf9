# The password is generated, and exists in the swarm alone.
resource "swarm_database" "orders" {
  name      = "orders"
  engine    = "postgres"
  version   = "17.2"
  settings  = { max_connections = "200" }
  resources = { memory = "1g" }

  # The volume is this node's own.
  placement = { constraints = ["node.hostname==db1"] }
}

# An application that is attached to the database's network, and mounts its URL.
resource "swarm_application" "shop" {
  name = "shop"
  compose = [<<-YAML
    services:
      web:
        image: acme/web:1.4
        environment: {DATABASE_URL_FILE: /run/secrets/database_url}
        secrets: [database_url]
        networks: [default, orders]
    networks:
      orders: {name: ${swarm_database.orders.network}, external: true}
    secrets:
      database_url: {name: ${swarm_database.orders.url_secret}, external: true}
  YAML
  ]
}
