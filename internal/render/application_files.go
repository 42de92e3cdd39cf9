package render

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/docker/cli/cli/compose/convert"
	"github.com/docker/cli/cli/compose/types"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// Limits of swarmkit (manager/controlapi: MaxConfigSize, api/validation:
// MaxSecretSize, validateConfigOrSecretAnnotations). A content has at least one
// byte and less than the limit.
const (
	maxConfigBytes   = 1000 * 1024
	maxSecretBytes   = 500 * 1024
	maxFileNameChars = 64
)

var fileObjectName = regexp.MustCompile(`^[a-zA-Z0-9]+(?:[a-zA-Z0-9-_.]*[a-zA-Z0-9])?$`)

func (a *applicationRenderer) configs() {
	for _, key := range sortedKeys(a.config.Configs) {
		config, p := types.FileObjectConfig(a.config.Configs[key]), path{"configs", key}
		if config.External.External {
			a.realNames[object.KindConfig][key] = config.Name
			continue
		}
		data, ok := a.configData(config.File, p)
		if !ok {
			continue
		}
		spec := &swarm.ConfigSpec{
			Annotations: swarm.Annotations{Labels: a.labels(config.Labels, p)},
			Data:        data,
			Templating:  templating(config),
		}
		o := object.Object{Kind: object.KindConfig, Key: key, Spec: spec, Fingerprint: object.ConfigFingerprint(spec)}
		a.name(&o, config.Name, p)
		spec.Name = o.Name
		a.objects = append(a.objects, o)
	}
}

func (a *applicationRenderer) configData(file string, p path) ([]byte, bool) {
	if file == "" {
		if !a.report.isDamaged(p.with("file")) && !a.report.isDamaged(p.with("content")) {
			a.errorAt(p, fmt.Sprintf("Config %s has no content", p[1]), "Give it `file:`, `content:` or `environment:`, or declare it `external: true`.")
		}
		return nil, false
	}
	text, ok := a.inline[file]
	if !ok {
		if text, ok = a.readFile(file, a.at(p.with("file")), p, false); !ok {
			return nil, false
		}
	}
	return a.checkSize([]byte(text), "Config", maxConfigBytes, a.at(p), p)
}

func (a *applicationRenderer) checkSize(data []byte, what string, limit int, at place, p path) ([]byte, bool) {
	switch {
	case len(data) == 0:
		a.report.errorAt(at, p, fmt.Sprintf("%s %s is empty", what, p[1]), "Swarm refuses empty contents.")
	case len(data) >= limit && !a.vars.isMarked:
		a.report.errorAt(at, p, fmt.Sprintf("%s %s is too large", what, p[1]),
			fmt.Sprintf("It has %d bytes, and Swarm takes less than %d KiB. Put large files into the image or a volume.", len(data), limit/1024))
	default:
		return data, true
	}
	return nil, false
}

func (a *applicationRenderer) secrets() {
	for _, key := range sortedKeys(a.config.Secrets) {
		secret, p := types.FileObjectConfig(a.config.Secrets[key]), path{"secrets", key}
		if secret.External.External {
			if _, given := a.app.Secrets[key]; given {
				a.errorAt(p, fmt.Sprintf("Secret %s is external and has content", key), fmt.Sprintf("An external secret is not written. Remove `external:`, or %q from `secrets_wo`.", key))
			}
			a.realNames[object.KindSecret][key] = secret.Name
			continue
		}
		data, ok := a.secretData(key, secret, p)
		if !ok {
			continue
		}
		spec := &swarm.SecretSpec{
			Annotations: swarm.Annotations{Labels: a.labels(secret.Labels, p)},
			Data:        data,
			Templating:  templating(secret),
		}
		if secret.Driver != "" {
			spec.Driver = &swarm.Driver{Name: secret.Driver, Options: secret.DriverOpts}
		}
		o := object.Object{
			Kind: object.KindSecret, Key: key, Spec: spec,
			Fingerprint: object.SecretFingerprint(kindApplication, a.app.Name, key, immutablePart(spec)),
		}
		a.name(&o, secret.Name, p)
		spec.Name = o.Name
		a.objects = append(a.objects, o)
	}
	declared := a.declared("secrets")
	for _, key := range sortedKeys(a.app.Secrets) {
		if !declared[key] && !a.report.isDamaged(path{"secrets", key}) {
			a.report.attributeError([]string{"secrets_wo", key}, fmt.Sprintf("Secret %s is not declared", key),
				fmt.Sprintf("Content is given for it, and no Compose file has it. Declare it: `secrets: {%s: {}}`.", key))
		}
	}
}

// immutablePart is what a secret cannot change without a new name.
func immutablePart(spec *swarm.SecretSpec) []byte {
	if spec.Driver == nil && spec.Templating == nil {
		return spec.Data
	}
	drivers, _ := json.Marshal([]*swarm.Driver{spec.Driver, spec.Templating})
	return append(append([]byte(nil), spec.Data...), drivers...)
}

func (a *applicationRenderer) secretData(key string, secret types.FileObjectConfig, p path) ([]byte, bool) {
	given, isGiven := a.app.Secrets[key]
	inline, isInline := a.inline[secret.File]
	switch {
	case secret.Driver != "":
		if isGiven {
			a.errorAt(p, fmt.Sprintf("Secret %s has a driver and content", key), fmt.Sprintf("Its driver provides the content. Remove %q from `secrets_wo`, or the driver.", key))
			return nil, false
		}
		return []byte{}, true
	case secret.File != "" && !isInline && a.app.Tree != nil:
		return a.secretFile(key, secret.File, isGiven, p)
	case secret.File != "" && !isInline:
		a.errorAt(p.with("file"), fmt.Sprintf("Secret %s has a file", key),
			fmt.Sprintf("The content of a secret is not kept in `files`, as it would get into the state. Write `%s: {}` and set secrets_wo = { %s = file(%q) }.", key, key, secret.File))
		return nil, false
	case isInline && isGiven:
		a.errorAt(p, fmt.Sprintf("Secret %s has more than one source", key), fmt.Sprintf("Remove `environment:`, or %q from `secrets_wo`.", key))
		return nil, false
	case isInline:
		return a.checkSize([]byte(inline), "Secret", maxSecretBytes, a.at(p), p)
	case !isGiven && a.report.isDamaged(p.with("content")):
		return nil, false // said already
	case !isGiven:
		a.errorAt(p, fmt.Sprintf("Secret %s has no content", key),
			fmt.Sprintf("Set secrets_wo = { %s = … }, or declare it `external: true` if it exists already.", key))
		return nil, false
	}
	return a.checkSize([]byte(given), "Secret", maxSecretBytes, a.at(p), p)
}

// secretFile takes the content of a secret from the repository. One that is
// encrypted there is refused: nobody could use what would be deployed.
func (a *applicationRenderer) secretFile(key, file string, isGiven bool, p path) ([]byte, bool) {
	if isGiven {
		a.errorAt(p, fmt.Sprintf("Secret %s has more than one source", key), fmt.Sprintf("Remove `file:`, or %q from `secrets_wo`.", key))
		return nil, false
	}
	text, ok := a.readFile(file, a.at(p.with("file")), p, false)
	if !ok {
		return nil, false
	}
	if kind := envelope(text); kind != "" {
		a.errorAt(p.with("file"), fmt.Sprintf("Secret %s is encrypted", key),
			fmt.Sprintf("The file %q is encrypted with %s, and would be deployed as it is. Write `%s: {}` and give the decrypted content: secrets_wo = { %s = … }.", excerpt(file), kind, key, key))
		return nil, false
	}
	return a.checkSize([]byte(text), "Secret", maxSecretBytes, a.at(p), p)
}

func templating(config types.FileObjectConfig) *swarm.Driver {
	if config.TemplateDriver == "" {
		return nil
	}
	return &swarm.Driver{Name: config.TemplateDriver}
}

// labels adds the stack's label, as convert does, and refuses ours.
func (a *applicationRenderer) labels(labels map[string]string, p path) map[string]string {
	a.checkLabels(labels, p.with("labels"))
	return convert.AddStackLabel(a.namespace, labels)
}

func (s *stack) checkLabels(labels map[string]string, p path) {
	for _, key := range sortedKeys(labels) {
		if strings.HasPrefix(key, object.LabelPrefix) {
			s.errorAt(p.with(key), fmt.Sprintf("Label %s is reserved", key),
				fmt.Sprintf("Labels that start with %s tell what the provider manages. Choose another name.", object.LabelPrefix))
		}
	}
}

// name gives a config or secret its real name and remembers it for references.
func (a *applicationRenderer) name(o *object.Object, explicit string, p path) {
	o.Name = object.ContentName(a.app.Name, o.Key, o.Fingerprint)
	if explicit != "" {
		o.Name, o.FixedName = explicit, true
		if len(explicit) > maxFileNameChars || !fileObjectName.MatchString(explicit) {
			a.errorAt(p.with("name"), fmt.Sprintf("Invalid name of %s %s", o.Kind, o.Key),
				fmt.Sprintf("%q: names of configs and secrets have at most %d letters, digits, `-`, `_` and `.`, and start and end with a letter or digit.", excerpt(explicit), maxFileNameChars))
		}
		for key, name := range a.realNames[o.Kind] {
			if name == explicit {
				a.errorAt(p.with("name"), fmt.Sprintf("Two %ss are called %q", o.Kind, explicit), fmt.Sprintf("%q and %q have the same name.", key, o.Key))
			}
		}
	}
	a.realNames[o.Kind][o.Key] = o.Name
}
