# By the name of the stack, whoever deployed it.
terraform import swarm_application.shop shop
