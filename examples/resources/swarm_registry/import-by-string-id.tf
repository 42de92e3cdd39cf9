import {
  to = swarm_registry.images
  id = "images"
}
