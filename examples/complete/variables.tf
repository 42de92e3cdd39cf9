variable "host" {
  type        = string
  default     = null
  description = "Address of a manager's engine, as DOCKER_HOST takes it. Default: as the Docker CLI."
}

variable "data_node" {
  type        = string
  default     = null
  description = "Host name of the node that keeps the volumes. Needed as soon as the swarm has more than one node."
}

variable "tunnel_token" {
  type        = string
  ephemeral   = true
  description = "Token of a Cloudflare tunnel; its public host name leads to http://web:8080."
}

variable "registry_password" {
  type        = string
  ephemeral   = true
  description = "Password of the registry's user deploy."
}

variable "registry" {
  type = object({
    publish_mode = optional(string, "ingress")
    hostname     = optional(string)
  })
  default     = {}
  description = "How the registry is reached: by default as 127.0.0.1:5000 on each node."
}

variable "postgres_version" {
  type    = string
  default = "17"
}

variable "images" {
  type = object({
    app         = optional(string, "swarmkeel/example-app:1")
    registry    = optional(string)
    postgres    = optional(string)
    cloudflared = optional(string)
  })
  default     = {}
  description = "The application's image (docker build -t swarmkeel/example-app:1 app), and others than the official ones."
}

variable "tunnel_networks" {
  type        = list(string)
  default     = []
  description = "Further overlay networks whose services the tunnel reaches."
}
