# All releases of the provider's owner.
data "swarm_drift" "all" {}

check "nothing_drifted" {
  assert {
    condition = data.swarm_drift.all.in_sync
    error_message = join("\n", [
      for release in data.swarm_drift.all.releases : join("\n", concat(
        ["${release.name}: ${release.reason}"],
        [for d in release.differences : "  ${d.object} ${d.path} is ${d.live}, deployed was ${d.desired}"],
      )) if !release.in_sync
    ])
  }
}

check "everything_runs" {
  assert {
    condition = alltrue(flatten([
      for release in data.swarm_drift.all.releases : [for c in release.conditions : c.status == "True" if c.type == "Converged"]
    ]))
    error_message = join("\n", flatten([
      for release in data.swarm_drift.all.releases : [
        for c in release.conditions : "${release.name}: ${c.message}" if c.type == "Converged" && c.status != "True"
      ]
    ]))
  }
}

# Beside the resource that it is about: read again after an apply that heals.
data "swarm_drift" "shop" {
  names      = [swarm_application.shop.name]
  depends_on = [swarm_application.shop]
}

resource "swarm_application" "shop" {
  name    = "shop"
  compose = [file("${path.module}/compose.yml")]
}
