import {
  to = swarm_application.shop
  id = "shop"
}
