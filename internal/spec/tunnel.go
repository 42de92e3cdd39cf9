package spec

// Tunnel is a set of connectors of one Cloudflare tunnel, which exists already and
// is configured at Cloudflare.
type Tunnel struct {
	Name string
	// Token is what Cloudflare gives to run a connector of the tunnel. Space around
	// it does not count.
	Token string
	// Networks are the real names of the overlay networks that the services are on
	// to which the tunnel leads.
	Networks []string
	// Replicas is the number of connectors.
	Replicas uint64
	// Image is cloudflared, or an image of the same contract.
	Image     string
	Placement Placement
	Resources Resources
}

// What a tunnel is when nothing is said. The image has a fixed version, because a
// connector that is replaced whenever a tag moves is nobody's wish.
const (
	DefaultTunnelImage    = "cloudflare/cloudflared:2026.9.3"
	DefaultTunnelReplicas = 2
)
