data "swarm_git_commit" "shop" {
  url = "https://git.example.com/acme/shop.git"
  ref = "main"
}

resource "swarm_application" "shop" {
  name = "shop"
  git = {
    url    = data.swarm_git_commit.shop.url
    commit = data.swarm_git_commit.shop.commit
    path   = "deploy"
    files  = ["docker-stack.yml", "production.yml"]
  }
}
