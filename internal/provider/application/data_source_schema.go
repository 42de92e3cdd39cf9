package application

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Schema implements datasource.DataSource. Numbers are strings here as well, so
// that they can be compared with the attributes of the resource.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "How a release is right now, whoever deployed it: what is on record, how many tasks run, and why others do not. A release that does not exist is an error.",
		Attributes: map[string]schema.Attribute{
			"name":     schema.StringAttribute{Required: true, MarkdownDescription: "Name of the release, or of a stack that `docker stack deploy` made."},
			"id":       text("The same as `name`."),
			"swarm_id": text("Identifies the swarm."),
			"kind":     text("`application`, `database`, `registry` or `tunnel`."),
			"owner":    text("The `owner` of the provider configuration that deployed it; empty when no provider did."),
			"instance": text("Identifies this life of the release; empty when no provider deployed it."),
			"revision": text("Number of the newest revision on record, empty when there is none."),
			"status":   text("Outcome of the newest revision: `applying`, `deployed`, `failed` or `rolled_back`; empty when there is none."),
			"commit":   text("Commit that the newest revision was made from, empty when it came from no repository."),
			"conditions": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The release in a few words that a program can decide on.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"type":    text("`Deployed` (the newest revision was applied to its end) or `Converged` (every slot of every service runs the declared version)."),
					"status":  text("`True`, `False`, or `Unknown` when it could not be found out."),
					"reason":  text("One word for why, from a closed set."),
					"message": text("The same for people."),
				}},
			},
			"services": schema.MapNestedAttribute{
				Computed: true, MarkdownDescription: "The services by their name in the declaration.",
				NestedObject: schema.NestedAttributeObject{Attributes: serviceAttributes()},
			},
			"history": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The revisions on record, newest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"revision": text("Number of the revision."),
					"status":   text("Its outcome."),
					"commit":   text("Commit that it was made from, empty when it came from no repository."),
					"created":  text("When it was recorded (RFC 3339, UTC)."),
					"changed": schema.ListAttribute{
						Computed: true, ElementType: types.StringType,
						MarkdownDescription: "Objects (`service/web`) that differ from the revision before; empty when that is no longer on record.",
					},
				}},
			},
		},
	}
}

func serviceAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":               text("Id of the service at the engine."),
		"name":             text("Real name of the service."),
		"mode":             text("`replicated`, `global`, `replicated-job` or `global-job`."),
		"image":            text("Image as the engine has it."),
		"replicas_desired": text("How many tasks should run; of a global service the number of eligible nodes, of a job its completions."),
		"replicas_running": text("How many tasks of the current version run on nodes that are ready; of a job, how many have completed."),
		"update_state":     text("The engine's state of the last update, empty when there was none."),
		"update_message":   text("The engine's words on the last update."),
		"tasks": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "Tasks of the current version, failed ones included, by name and newest first.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"id":            text("Id of the task."),
				"name":          text("Name as the engine's tools show it."),
				"node":          text("Host name of the node, empty while the task has none."),
				"image":         text("Image of the task."),
				"state":         text("The engine's state of the task."),
				"desired_state": text("The state that the engine wants it in."),
				"error":         text("The engine's words on what went wrong, empty when nothing did."),
				"exit_code":     text("Exit code of the container, empty while it runs or when there never was one."),
				"since":         text("Since when the task is in this state (RFC 3339, UTC)."),
			}},
		},
	}
}

func text(description string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}
