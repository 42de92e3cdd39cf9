# By its name.
terraform import swarm_tunnel.edge edge
