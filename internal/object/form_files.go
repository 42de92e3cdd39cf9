package object

import (
	"crypto/sha256"
	"fmt"
	"unicode/utf8"

	"github.com/docker/docker/api/types/swarm"
)

// maxShownContent is the size in bytes up to which a content is shown as text.
const maxShownContent = 16 << 10

// unknownContent stands for the fingerprint of a secret whose content nobody
// has told us, since the engine does not give it back.
const unknownContent = "(unknown)"

type configForm struct {
	Content         string            `json:"content"`
	Labels          map[string]string `json:"labels,omitempty"`
	TemplateDriver  string            `json:"template_driver,omitempty"`
	TemplateOptions map[string]string `json:"template_options,omitempty"`
}

func configFields(spec *swarm.ConfigSpec) any {
	form := configForm{Content: readable(spec.Data), Labels: shownLabels(spec.Labels)}
	if t := spec.Templating; t != nil {
		form.TemplateDriver, form.TemplateOptions = t.Name, t.Options
	}
	return form
}

// readable returns a content as it is when a person can read it, else its hash and
// size.
func readable(data []byte) string {
	if len(data) <= maxShownContent && utf8.Valid(data) {
		return string(data)
	}
	return fmt.Sprintf("sha256:%x (%d bytes)", sha256.Sum256(data), len(data))
}

// secretForm shows a fingerprint of the content, never the content. A secret
// that a driver fetches from elsewhere has none.
type secretForm struct {
	Fingerprint     string            `json:"fingerprint,omitempty"`
	Labels          map[string]string `json:"labels,omitempty"`
	Driver          *nameForm         `json:"driver,omitempty"`
	TemplateDriver  string            `json:"template_driver,omitempty"`
	TemplateOptions map[string]string `json:"template_options,omitempty"`
}

type nameForm struct {
	Name    string            `json:"name"`
	Options map[string]string `json:"options,omitempty"`
}

func secretFields(spec *swarm.SecretSpec, fingerprint string) any {
	form := secretForm{Fingerprint: fingerprint, Labels: shownLabels(spec.Labels)}
	if d := spec.Driver; d != nil && (d.Name != "" || len(d.Options) > 0) {
		form.Driver = &nameForm{Name: d.Name, Options: d.Options}
	} else if fingerprint == "" {
		form.Fingerprint = unknownContent
	}
	if t := spec.Templating; t != nil {
		form.TemplateDriver, form.TemplateOptions = t.Name, t.Options
	}
	return form
}
