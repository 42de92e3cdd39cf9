# By its name.
terraform import swarm_registry.images images
