data "swarm_nodes" "all" {}

check "nodes_are_ready" {
  assert {
    condition = alltrue([for node in data.swarm_nodes.all.nodes : node.state == "ready"])
    error_message = join("\n", flatten([
      for node in data.swarm_nodes.all.nodes : [
        for c in node.conditions : "${node.hostname}: ${c.message}" if c.type == "Ready" && c.status != "True"
      ]
    ]))
  }
}

# One replica for each node with an SSD that takes tasks.
locals {
  ssds = [
    for node in data.swarm_nodes.all.nodes : node.hostname
    if lookup(node.labels, "disk", "") == "ssd" && node.availability == "active" && node.state == "ready"
  ]
}

resource "swarm_application" "cache" {
  name      = "cache"
  compose   = [file("${path.module}/compose.yml")]
  variables = { REPLICAS = length(local.ssds) }
}
