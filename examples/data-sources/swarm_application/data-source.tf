data "swarm_application" "shop" {
  name = "shop"
}

check "shop_runs" {
  assert {
    condition     = data.swarm_application.shop.status == "deployed"
    error_message = "Revision ${data.swarm_application.shop.revision} of shop is ${data.swarm_application.shop.status}."
  }

  assert {
    condition = alltrue([
      for service in data.swarm_application.shop.services : service.replicas_running == service.replicas_desired
    ])
    error_message = "Not every task of shop runs."
  }
}

# Why tasks do not run, in the engine's words.
output "shop_errors" {
  value = flatten([
    for service in data.swarm_application.shop.services : [
      for task in service.tasks : "${task.name} on ${task.node}: ${task.error}" if task.error != ""
    ]
  ])
}
