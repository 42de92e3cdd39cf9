import {
  to = swarm_database.orders
  id = "orders"
}
