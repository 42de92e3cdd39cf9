# By its name.
terraform import swarm_database.orders orders
