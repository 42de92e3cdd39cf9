import {
  to = swarm_application.shop
  identity = {
    name = "shop"

    # Optional: refuse to import from any other swarm.
    swarm_id = "bbqggfhw31cidvlaimtpl858k"
  }
}
