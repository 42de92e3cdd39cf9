package application

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/render"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

type model struct {
	lifecycle.Common

	Compose         types.List   `tfsdk:"compose"`
	Git             types.Object `tfsdk:"git"`
	Files           types.Map    `tfsdk:"files"`
	Variables       types.Map    `tfsdk:"variables"`
	VariablesWO     types.Map    `tfsdk:"variables_wo"`
	Values          types.List   `tfsdk:"values"`
	ValuesWO        types.List   `tfsdk:"values_wo"`
	SecretsWO       types.Map    `tfsdk:"secrets_wo"`
	ResolveImage    types.String `tfsdk:"resolve_image"`
	Suspended       types.Bool   `tfsdk:"suspended"`
	RedeployTrigger types.String `tfsdk:"redeploy_trigger"`
	Wait            types.Bool   `tfsdk:"wait"`
	Prune           types.Bool   `tfsdk:"prune"`
	PurgeVolumes    types.Bool   `tfsdk:"purge_volumes"`
	Networks        types.Map    `tfsdk:"networks"`
}

var (
	_ lifecycle.Waiter  = (*model)(nil)
	_ lifecycle.Remover = (*model)(nil)
)

// Waiting implements lifecycle.Waiter.
func (m *model) Waiting() lifecycle.Waiting {
	return lifecycle.Waiting{NoWait: !m.Wait.ValueBool(), NoPrune: !m.Prune.ValueBool()}
}

// Removal implements lifecycle.Remover.
func (m *model) Removal() lifecycle.Removal {
	return lifecycle.Removal{PurgeVolumes: m.PurgeVolumes.ValueBool()}
}

// Render implements lifecycle.Model.
func (m *model) Render(ctx context.Context, session *lifecycle.Session) (*reconcile.Release, spec.Problems) {
	if m.Compose.IsNull() && m.Git.IsNull() {
		return nil, nil // the schema says that there has to be one
	}
	app, commit := m.application(), ""
	repository, problems := m.repository(ctx)
	if repository != nil {
		client := session.Git()
		if client == nil {
			return nil, nil
		}
		problems = repository.read(ctx, client, &app)
		commit = repository.Commit.ValueString()
	}
	if problems.HasErrors() {
		return nil, problems
	}
	rendered, problems := render.Application(app)
	if rendered == nil {
		return nil, problems
	}
	release := lifecycle.Release(rendered)
	release.Commit, release.Resolve = commit, reconcile.Resolution(m.ResolveImage.ValueString())
	for _, value := range lifecycle.Strings(m.SecretsWO) {
		release.Sensitive = append(release.Sensitive, value)
	}
	return release, problems
}

func (m *model) application() spec.Application {
	app := spec.Application{
		Name:               m.Name.ValueString(),
		Files:              lifecycle.Strings(m.Files),
		Variables:          lifecycle.Strings(m.Variables),
		SensitiveVariables: lifecycle.Strings(m.VariablesWO),
		Values:             lifecycle.Texts(m.Values),
		SensitiveValues:    lifecycle.Texts(m.ValuesWO),
		Secrets:            lifecycle.Strings(m.SecretsWO),
		Suspended:          m.Suspended.ValueBool(),
		RedeployTrigger:    m.RedeployTrigger.ValueString(),
	}
	for i, text := range lifecycle.Texts(m.Compose) {
		app.Compose = append(app.Compose, spec.Source{Name: fmt.Sprintf("compose[%d]", i), Text: text})
	}
	return app
}
