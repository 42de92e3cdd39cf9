package render

import "github.com/swarmkeel/terraform-provider-swarm/internal/spec"

// What Swarm does not do. A key is an error when the service would not be what
// was meant, and a warning when it runs the same without it. docker/cli keeps
// the lists (types.UnsupportedProperties, DeprecatedProperties,
// ForbiddenProperties); it says nothing of what it drops.

func refuse(text string) advice { return advice{spec.Error, text} }
func ignore(text string) advice { return advice{spec.Warning, text} }

const (
	useLimits = "Set it under deploy.resources.limits."
	later     = "This version of the provider does not read it."
)

var fileAdvice = map[string]advice{
	"include": refuse("Includes are not read. List the files in `compose` instead: they are merged in order."),
	"models":  refuse("Swarm has no models."),
}

var serviceAdvice = map[string]advice{
	"annotations":         refuse("Swarm has no annotations for containers. Use labels."),
	"attach":              ignore("There is no terminal to attach to. Remove it."),
	"blkio_config":        refuse("Swarm does not limit block input and output. Remove it."),
	"cgroup":              refuse("Swarm does not choose the cgroup name space. Remove it."),
	"cgroup_parent":       ignore("Swarm chooses the cgroup. Remove it, and limit resources under deploy.resources."),
	"cgroupns_mode":       ignore("Swarm does not choose the cgroup name space. Remove it."),
	"container_name":      ignore("Swarm names the containers, as a service can have many. Other services reach this one by its service name."),
	"cpu_count":           refuse("Set deploy.resources.limits.cpus."),
	"cpu_percent":         refuse("Set deploy.resources.limits.cpus."),
	"cpu_period":          refuse("Set deploy.resources.limits.cpus."),
	"cpu_quota":           refuse("Set deploy.resources.limits.cpus."),
	"cpu_rt_period":       refuse("Swarm does not set real-time scheduling."),
	"cpu_rt_runtime":      refuse("Swarm does not set real-time scheduling."),
	"cpu_shares":          refuse("Set deploy.resources.reservations.cpus."),
	"cpus":                refuse("Set deploy.resources.limits.cpus."),
	"cpuset":              refuse("Swarm does not pin CPUs. Set deploy.resources.limits.cpus."),
	"develop":             ignore("It is for development with `docker compose watch`. Remove it."),
	"device_cgroup_rules": refuse("Swarm gives containers no devices. Remove it."),
	"devices":             refuse("Swarm gives containers no devices. Mount what is needed as a bind volume, or use deploy.resources.reservations.generic_resources."),
	"domainname":          ignore("Swarm does not set a domain name. Set hostname to the full name."),
	"expose":              ignore("Services on one network reach each other on every port. Remove it."),
	"extends":             refuse("Write the service out, or share its parts with YAML anchors."),
	"external_links":      ignore("Put both services on one external network instead."),
	"gpus":                refuse("Use deploy.resources.reservations.generic_resources."),
	"ipc":                 ignore("Swarm does not share IPC name spaces."),
	"label_file":          refuse("Write the labels out under labels."),
	"links":               ignore("Services on one network reach each other by service name. For another name set networks.NAME.aliases on the target."),
	"mac_address":         ignore("Swarm chooses MAC addresses. Remove it."),
	"mem_limit":           refuse(useLimits),
	"mem_reservation":     refuse("Set deploy.resources.reservations.memory."),
	"mem_swappiness":      refuse("Swarm does not set swap behaviour. " + useLimits),
	"memswap_limit":       refuse("Swarm does not limit swap. " + useLimits),
	"models":              refuse("Swarm has no models."),
	"network_mode":        refuse("Swarm attaches services to networks only. For the host's network declare `networks: {hostnet: {external: true, name: host}}` and list it under the service's networks; otherwise remove network_mode."),
	"oom_kill_disable":    refuse("Swarm does not switch off the OOM killer. Use oom_score_adj."),
	"pid":                 ignore("Swarm does not share PID name spaces. What needs the host's processes has to run outside of the swarm."),
	"pids_limit":          refuse("Set deploy.resources.limits.pids."),
	"platform":            ignore("Swarm places by node. Use deploy.placement.constraints, for example node.platform.arch==x86_64."),
	"post_start":          refuse("Swarm has no container hooks."),
	"pre_stop":            refuse("Swarm has no container hooks."),
	"privileged":          refuse("Swarm runs no privileged containers. Remove it, and use cap_add for the capabilities that are needed."),
	"provider":            refuse("Swarm has no provider services."),
	"pull_policy":         ignore("Swarm pulls an image that the node does not have. Remove it."),
	"runtime":             refuse("Swarm uses each node's default runtime."),
	"scale":               refuse("Set deploy.replicas."),
	"security_opt":        ignore("Swarm does not take security options from a Compose file; the engine's defaults apply."),
	"shm_size":            ignore("Swarm does not set it. Mount `{type: tmpfs, target: /dev/shm, tmpfs: {size: …}}` under volumes."),
	"storage_opt":         refuse("Swarm does not set storage options."),
	"tmpfs":               ignore("docker stack deploy drops it. Write `{type: tmpfs, target: /path}` under volumes."),
	"use_api_socket":      refuse("Mount /var/run/docker.sock as a bind volume."),
	"userns_mode":         ignore("Swarm does not choose user name spaces; the engine's setting applies."),
	"uts":                 refuse("Swarm does not share UTS name spaces."),
	"volume_driver":       refuse("Set the driver at the top-level volumes entry."),
	"volumes_from":        refuse("Declare a top-level volume and mount it in both services."),
}

var attachmentAdvice = map[string]advice{
	"ipv4_address":   ignore("Swarm chooses addresses. Other services reach this one by name."),
	"ipv6_address":   ignore("Swarm chooses addresses. Other services reach this one by name."),
	"gw_priority":    refuse("Swarm does not order gateways."),
	"interface_name": refuse("Swarm names the interfaces."),
	"link_local_ips": refuse("Swarm chooses addresses."),
	"mac_address":    refuse("Swarm chooses MAC addresses."),
	"priority":       ignore("Swarm connects all networks at once. Remove it."),
}

var portAdvice = map[string]advice{
	"host_ip": refuse("Swarm publishes on all addresses of a node. Remove it, and restrict access with a firewall."),
}

var bindAdvice = map[string]advice{
	"create_host_path": ignore("Swarm never creates the path of a bind mount: it has to exist on every node that may run the service."),
	"recursive":        refuse(later),
	"selinux":          refuse("Swarm does not relabel bind mounts."),
}

var mountVolumeAdvice = map[string]advice{
	"labels": ignore("docker stack deploy drops labels here. Set them at the top-level volumes entry."),
}

var mountTmpfsAdvice = map[string]advice{
	"mode": ignore("docker stack deploy drops the mode of a tmpfs."),
}

var placementAdvice = map[string]advice{
	"node.hostname": refuse("Write it as a constraint: constraints: [\"node.hostname==NAME\"]."),
	"node.id":       refuse("Write it as a constraint: constraints: [\"node.id==ID\"]."),
	"node.role":     refuse("Write it as a constraint: constraints: [\"node.role==manager\"]."),
}

var reservationAdvice = map[string]advice{
	"devices": refuse("Use generic_resources, which the nodes' engines advertise."),
	"pids":    refuse("Swarm reserves no process ids. " + useLimits),
}

var networkAdvice = map[string]advice{
	"enable_ipv4": refuse(later),
	"enable_ipv6": refuse("docker stack deploy does not set it. Create the network outside and declare it external."),
}

var ipamAdvice = map[string]advice{
	"options": refuse("docker stack deploy does not set IPAM options. Create the network outside and declare it external."),
}

var ipamPoolAdvice = map[string]advice{
	"aux_addresses": refuse("docker stack deploy sets the subnet only. Create the network outside and declare it external."),
	"gateway":       refuse("docker stack deploy sets the subnet only. Create the network outside and declare it external."),
	"ip_range":      refuse("docker stack deploy sets the subnet only. Create the network outside and declare it external."),
}

var dependencyAdvice = map[string]advice{
	"restart": ignore("Swarm does not restart a service when one that it depends on is updated."),
}

var volumeAdvice = map[string]advice{
	"x-cluster-spec": ignore("docker stack deploy creates no cluster volumes. Create it with docker volume create before."),
}
