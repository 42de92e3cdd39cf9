// Package serverattr holds the attributes that all kinds have which consist of
// one server: a database, a registry, a tunnel.
package serverattr

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// Resources is the attribute `resources`.
func Resources() schema.Attribute {
	size := func(description string) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: []validator.String{stringvalidator.LengthAtLeast(1)}}
	}
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "What a task may use and what its node sets aside for it. Changing them restarts it.",
		Attributes: map[string]schema.Attribute{
			"cpus":               size("Most CPU time, in CPUs: `0.5` is half of one."),
			"memory":             size("Most memory, in Docker's form: `512M`, `2g`. A task that needs more is killed."),
			"cpus_reservation":   size("CPUs that have to be free on the node."),
			"memory_reservation": size("Memory that has to be free on the node."),
		},
	}
}

// SpecResources reads a value of the attribute.
func SpecResources(o types.Object) spec.Resources {
	text := func(name string) string {
		s, _ := o.Attributes()[name].(types.String)
		return s.ValueString()
	}
	return spec.Resources{
		CPUs: text("cpus"), Memory: text("memory"),
		CPUsReservation: text("cpus_reservation"), MemoryReservation: text("memory_reservation"),
	}
}

// Placement is the attribute `placement`. Its description says what placement
// means to the kind.
func Placement(description string) schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"constraints": schema.ListAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "Constraints that a node has to meet, all of them: `node.hostname==n1`, `node.labels.disk==ssd`, `node.role!=manager`.",
				Validators:          []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()},
			},
		},
	}
}

// SpecPlacement reads a value of the attribute.
func SpecPlacement(o types.Object) spec.Placement {
	list, _ := o.Attributes()["constraints"].(types.List)
	return spec.Placement{Constraints: lifecycle.Texts(list)}
}

// OrDefault is the text of an attribute, or what it is without one: the defaults of
// a schema are not filled in when Terraform validates, and after an import.
func OrDefault(v types.String, fallback string) string {
	if text := v.ValueString(); text != "" {
		return text
	}
	return fallback
}
