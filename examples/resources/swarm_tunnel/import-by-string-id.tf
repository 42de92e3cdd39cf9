import {
  to = swarm_tunnel.edge
  id = "edge"
}
