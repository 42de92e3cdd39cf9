output "registry" {
  value = swarm_registry.images.address
}

output "database_url_secret" {
  value       = swarm_database.orders.url_secret
  description = "Name of the Docker secret with the URL."
}

output "in_sync" {
  value = data.swarm_drift.all.in_sync
}

output "drift" {
  value = { for r in data.swarm_drift.all.releases : r.name => r.differences if !r.in_sync }
}
