package application

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/computed"
)

// Schema implements datasource.DataSource.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "How a release is right now, whoever deployed it: what is on record, how many tasks run, and why others do not. A release that does not exist is an error.",
		Attributes: map[string]schema.Attribute{
			"name":     schema.StringAttribute{Required: true, MarkdownDescription: "Name of the release, or of a stack that `docker stack deploy` made."},
			"id":       computed.Text("The same as `name`."),
			"swarm_id": computed.Text("Identifies the swarm."),
			"kind":     computed.Text("`application`, `database`, `registry` or `tunnel`."),
			"owner":    computed.Text("The `owner` of the provider configuration that deployed it; empty when no provider did."),
			"instance": computed.Text("Identifies this life of the release; empty when no provider deployed it."),
			"revision": computed.Text("Number of the newest revision on record, empty when there is none."),
			"status":   computed.Text("Outcome of the newest revision: `applying`, `deployed`, `failed` or `rolled_back`; empty when there is none."),
			"commit":   computed.Text("Commit that the newest revision was made from, empty when it came from no repository."),
			"conditions": computed.Conditions("The release in a few words that a program can decide on.",
				"`Deployed` (the newest revision was applied to its end) or `Converged` (every slot of every service runs the declared version)."),
			"services": schema.MapNestedAttribute{
				Computed: true, MarkdownDescription: "The services by their name in the declaration.",
				NestedObject: schema.NestedAttributeObject{Attributes: serviceAttributes()},
			},
			"history": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The revisions on record, newest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"revision": computed.Text("Number of the revision."),
					"status":   computed.Text("Its outcome."),
					"commit":   computed.Text("Commit that it was made from, empty when it came from no repository."),
					"created":  computed.Text("When it was recorded (RFC 3339, UTC)."),
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
		"id":               computed.Text("Id of the service at the engine."),
		"name":             computed.Text("Real name of the service."),
		"mode":             computed.Text("`replicated`, `global`, `replicated-job` or `global-job`."),
		"image":            computed.Text("Image as the engine has it."),
		"replicas_desired": computed.Text("How many tasks should run; of a global service the number of eligible nodes, of a job its completions."),
		"replicas_running": computed.Text("How many tasks of the current version run on nodes that are ready; of a job, how many have completed."),
		"update_state":     computed.Text("The engine's state of the last update, empty when there was none."),
		"update_message":   computed.Text("The engine's words on the last update."),
		"tasks": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "Tasks of the current version, failed ones included, by name and newest first.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"id":            computed.Text("Id of the task."),
				"name":          computed.Text("Name as the engine's tools show it."),
				"node":          computed.Text("Host name of the node, empty while the task has none."),
				"image":         computed.Text("Image of the task."),
				"state":         computed.Text("The engine's state of the task."),
				"desired_state": computed.Text("The state that the engine wants it in."),
				"error":         computed.Text("The engine's words on what went wrong, empty when nothing did."),
				"exit_code":     computed.Text("Exit code of the container, empty while it runs or when there never was one."),
				"since":         computed.Text("Since when the task is in this state (RFC 3339, UTC)."),
			}},
		},
	}
}
