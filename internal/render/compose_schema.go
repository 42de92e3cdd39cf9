package render

import "regexp"

// The shapes below follow docker/cli's config_schema_v3.13.json. A key that is
// newer than the `version` a file declares is accepted, as every file is read by
// this schema.

func scalar(kind scalarKind) *shape         { return &shape{scalar: kind} }
func words(w ...string) *shape              { return &shape{scalar: textScalar, words: w} }
func mapping(keys map[string]*shape) *shape { return &shape{keys: keys} }

func listOf(element *shape, unique bool) *shape { return &shape{element: element, unique: unique} }

var (
	text       = scalar(textScalar)
	wholeNum   = scalar(intScalar)
	count      = &shape{scalar: intScalar, check: checkCount}
	flag       = scalar(boolScalar)
	duration   = &shape{scalar: durationScalar, check: checkDuration}
	ratio      = &shape{scalar: numberScalar, check: checkRatio}
	memory     = &shape{scalar: memoryScalar, check: checkMemory}
	cpus       = &shape{scalar: textScalar, check: checkCPUs}
	secretText = &shape{scalar: textScalar, hides: true}
	secretPair = &shape{scalar: textScalar, hides: true, pair: true}
	textList   = listOf(text, true)
	// textOrList is one string or a list of them.
	textOrList = &shape{scalar: textScalar, element: text, unique: true}
	// command is a string that is split like a shell does, or a list.
	command = &shape{scalar: textScalar, hides: true, check: checkCommand, element: secretText}
	// pairs is a mapping, or a list of KEY=VALUE.
	pairs       = &shape{each: &shape{scalar: valueScalar, nullable: true}, element: text, unique: true}
	secretPairs = &shape{each: &shape{scalar: valueScalar, nullable: true, hides: true}, element: secretPair, unique: true}
	secretHosts = &shape{each: &shape{scalar: textScalar, hides: true}, element: secretText, unique: true}
	options     = &shape{each: scalar(valueScalar)}
	external    = &shape{scalar: boolScalar, keys: map[string]*shape{"name": text}}
)

// sectionName is what services, networks, volumes, secrets and configs may be called.
var sectionName = regexp.MustCompile(`^[a-zA-Z0-9._-]+$`)

// fileShape is the whole of a Compose file.
var fileShape = &shape{
	keys: map[string]*shape{
		"version": text, "name": text,
		"services": {each: serviceShape, names: sectionName},
		"networks": {each: networkShape, names: sectionName},
		"volumes":  {each: volumeShape, names: sectionName},
		"secrets":  {each: secretShape, names: sectionName},
		"configs":  {each: configShape, names: sectionName},
	},
	advice: fileAdvice,
}

var serviceShape = &shape{
	advice: serviceAdvice,
	keys: map[string]*shape{
		"build":             {scalar: textScalar, keys: map[string]*shape{}, open: true},
		"cap_add":           textList,
		"cap_drop":          textList,
		"cgroupns_mode":     text,
		"cgroup_parent":     text,
		"command":           command,
		"configs":           listOf(fileReference, false),
		"container_name":    text,
		"credential_spec":   mapping(map[string]*shape{"config": text, "file": text, "registry": text}),
		"depends_on":        {element: text, unique: true, each: dependencyShape},
		"deploy":            deployShape,
		"devices":           {element: &shape{scalar: textScalar, keys: map[string]*shape{}, open: true}},
		"dns":               textOrList,
		"dns_opt":           textOrList,
		"dns_search":        textOrList,
		"domainname":        text,
		"entrypoint":        command,
		"env_file":          {scalar: textScalar, element: envFileShape},
		"environment":       secretPairs,
		"expose":            listOf(text, true),
		"external_links":    textList,
		"extra_hosts":       secretHosts,
		"group_add":         textList,
		"healthcheck":       healthcheckShape,
		"hostname":          secretText,
		"image":             text,
		"init":              flag,
		"ipc":               text,
		"isolation":         words("", "default", "process", "hyperv"),
		"labels":            secretPairs,
		"links":             textList,
		"logging":           mapping(map[string]*shape{"driver": text, "options": {each: &shape{scalar: valueScalar, nullable: true, hides: true}}}),
		"mac_address":       text,
		"network_mode":      text,
		"networks":          {element: text, unique: true, each: attachmentShape},
		"oom_score_adj":     {scalar: intScalar, check: func(s string) error { return checkRange(s, -1000, 1000) }},
		"pid":               text,
		"ports":             listOf(portShape, true),
		"privileged":        flag,
		"profiles":          textList,
		"read_only":         flag,
		"restart":           {scalar: textScalar, check: checkRestart},
		"secrets":           listOf(fileReference, false),
		"security_opt":      textList,
		"shm_size":          scalar(memoryScalar),
		"stdin_open":        flag,
		"stop_grace_period": duration,
		"stop_signal":       text,
		"sysctls":           pairs,
		"tmpfs":             textOrList,
		"tty":               flag,
		"ulimits":           {each: &shape{scalar: intScalar, keys: map[string]*shape{"soft": wholeNum, "hard": wholeNum}, required: []string{"soft", "hard"}}},
		"user":              text,
		"userns_mode":       text,
		"volumes":           listOf(mountShape, false),
		"working_dir":       text,
	},
}

var dependencyShape = &shape{nullable: true, advice: dependencyAdvice, keys: map[string]*shape{
	"condition": words("service_started", "service_healthy", "service_completed_successfully"),
	"required":  flag, "restart": flag,
}}

var envFileShape = &shape{scalar: textScalar, required: []string{"path"}, keys: map[string]*shape{
	"path": text, "required": flag, "format": words("raw"),
}}

var fileReference = &shape{scalar: textScalar, required: []string{"source"}, keys: map[string]*shape{
	"source": text, "target": text, "uid": text, "gid": text, "mode": scalar(octalScalar),
}}

var attachmentShape = &shape{nullable: true, advice: attachmentAdvice, keys: map[string]*shape{
	"aliases": textList, "driver_opts": options, "ipv4_address": text, "ipv6_address": text,
}}

var healthcheckShape = mapping(map[string]*shape{
	"disable": flag, "interval": duration, "retries": count, "timeout": duration,
	"start_period": duration, "start_interval": duration,
	"test": {scalar: textScalar, hides: true, element: secretText},
})

var portShape = &shape{
	scalar: textScalar, check: checkPort, required: []string{"target"}, advice: portAdvice,
	keys: map[string]*shape{
		"name": text, "app_protocol": text, // notes for people, dropped
		"mode": words("ingress", "host"), "protocol": words("tcp", "udp", "sctp"),
		"target": portNumber(1), "published": portNumber(0),
	},
}

var mountShape = &shape{
	scalar: textScalar, check: checkShortMount, required: []string{"type", "target"},
	keys: map[string]*shape{
		"type":   words("volume", "bind", "tmpfs", "npipe", "cluster", "image"),
		"source": text, "target": text, "read_only": flag, "consistency": text,
		"bind":   {open: true, advice: bindAdvice, keys: map[string]*shape{"propagation": words("private", "rprivate", "shared", "rshared", "slave", "rslave")}},
		"volume": {open: true, advice: mountVolumeAdvice, keys: map[string]*shape{"nocopy": flag, "subpath": text}},
		"tmpfs":  {open: true, advice: mountTmpfsAdvice, keys: map[string]*shape{"size": scalar(bytesScalar)}},
	},
}

var updateShape = mapping(map[string]*shape{
	"parallelism": count, "delay": duration, "monitor": duration, "max_failure_ratio": ratio,
	"failure_action": words("pause", "continue", "rollback"), "order": words("start-first", "stop-first"),
})

var rollbackShape = mapping(map[string]*shape{
	"parallelism": count, "delay": duration, "monitor": duration, "max_failure_ratio": ratio,
	"failure_action": words("pause", "continue"), "order": words("start-first", "stop-first"),
})

var deployShape = mapping(map[string]*shape{
	"mode":            words("replicated", "global", "replicated-job", "global-job"),
	"endpoint_mode":   words("vip", "dnsrr"),
	"replicas":        count,
	"labels":          secretPairs,
	"update_config":   updateShape,
	"rollback_config": rollbackShape,
	"restart_policy": mapping(map[string]*shape{
		"condition": words("none", "on-failure", "any"), "delay": duration,
		"max_attempts": count, "window": duration,
	}),
	"placement": {advice: placementAdvice, keys: map[string]*shape{
		"constraints":           listOf(&shape{scalar: textScalar, check: checkConstraint}, false),
		"preferences":           listOf(mapping(map[string]*shape{"spread": text}), false),
		"max_replicas_per_node": count,
	}},
	"resources": mapping(map[string]*shape{
		"limits": mapping(map[string]*shape{"cpus": cpus, "memory": memory, "pids": wholeNum}),
		"reservations": {advice: reservationAdvice, keys: map[string]*shape{
			"cpus": cpus, "memory": memory,
			"generic_resources": listOf(mapping(map[string]*shape{
				"discrete_resource_spec": mapping(map[string]*shape{"kind": text, "value": wholeNum}),
			}), false),
		}},
	}),
})

var networkShape = &shape{nullable: true, advice: networkAdvice, keys: map[string]*shape{
	"name": text, "driver": text, "driver_opts": options, "external": external,
	"internal": flag, "attachable": flag, "labels": pairs,
	"ipam": {advice: ipamAdvice, keys: map[string]*shape{
		"driver": text, "config": listOf(&shape{advice: ipamPoolAdvice, keys: map[string]*shape{"subnet": text}}, false),
	}},
}}

var volumeShape = &shape{nullable: true, advice: volumeAdvice, keys: map[string]*shape{
	"name": text, "driver": text, "driver_opts": options, "external": external, "labels": pairs,
	"x-cluster-spec": {keys: map[string]*shape{}, open: true},
}}

var secretShape = &shape{nullable: true, keys: map[string]*shape{
	"name": text, "file": text, "environment": text, "external": external, "labels": pairs,
	"driver": text, "driver_opts": options, "template_driver": text,
}}

var configShape = &shape{nullable: true, keys: map[string]*shape{
	"name": text, "file": text, "environment": text, "content": secretText, "external": external,
	"labels": pairs, "template_driver": text,
}}
