package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// render turns configuration into the release that should be. base carries the
// values with defaults filled in (the plan), config the write-only ones, which
// Terraform hands over nowhere else. Without an error the release is nil when
// something that it depends on is not known yet.
func (r *Resource) render(ctx context.Context, base tftypes.Value, config tfsdk.Config) (*reconcile.Release, diag.Diagnostics) {
	var diags diag.Diagnostics
	known, err := inputsKnown(config)
	if err != nil {
		diags.AddError("Configuration could not be read", err.Error())
		return nil, diags
	}
	if !known {
		return nil, diags
	}
	input, err := withWriteOnly(ctx, base, config)
	if err != nil {
		diags.AddError("Write-only arguments could not be read", err.Error())
		return nil, diags
	}
	model := r.kind.NewModel()
	if diags.Append(input.Get(ctx, model)...); diags.HasError() {
		return nil, diags
	}

	release, problems := model.Render(ctx, r.session)
	diags.Append(problemDiagnostics(problems, config)...)
	if diags.HasError() {
		return nil, diags
	}
	if release == nil {
		return nil, diags
	}
	common := model.common()
	release.Owner = reconcile.Owner{Release: common.Name.ValueString(), Kind: r.kind.Name()}
	release.HistoryLimit = common.historyLimit()
	if r.session != nil {
		if r.session.opts.CredentialsUnknown {
			return nil, diags // what is written depends on them
		}
		release.Owner.Owner = r.session.opts.Owner
		r.session.labelCredentials(release)
		diags.Append(protectedSecrets(release, r.session.opts.ProtectedSecrets)...)
	}
	return release, diags
}

// ValidateConfig renders as soon as everything is known, so that `terraform
// validate` finds what is wrong with a Compose text without an engine. Warnings
// are left to the plan, which would say them a second time.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	_, diags := r.render(ctx, req.Config.Raw, req.Config)
	resp.Diagnostics.Append(diags.Errors()...)
}

// inputsKnown reports whether the name and every configurable attribute of the
// kind itself is known, at any depth. The common settings do not go into objects.
func inputsKnown(config tfsdk.Config) (bool, error) {
	var values map[string]tftypes.Value
	if err := config.Raw.As(&values); err != nil {
		return false, fmt.Errorf("read the configuration: %w", err)
	}
	settings := settingAttributes(context.Background())
	for name, attribute := range config.Schema.GetAttributes() {
		_, common := settings[name]
		if common && name != "name" || !attribute.IsRequired() && !attribute.IsOptional() {
			continue
		}
		if !values[name].IsFullyKnown() {
			return false, nil
		}
	}
	return true, nil
}

// withWriteOnly returns base with the write-only arguments of config put in.
func withWriteOnly(ctx context.Context, base tftypes.Value, config tfsdk.Config) (tfsdk.Config, error) {
	merged, err := tftypes.Transform(base, func(p *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if len(p.Steps()) == 0 {
			return v, nil
		}
		// Elements inside an attribute have no schema of their own, which is told
		// by an error.
		attribute, err := config.Schema.AttributeAtTerraformPath(ctx, p)
		if err != nil || !attribute.IsWriteOnly() {
			return v, nil //nolint:nilerr // see above
		}
		found, _, err := tftypes.WalkAttributePath(config.Raw, p)
		if errors.Is(err, tftypes.ErrInvalidStep) {
			return v, nil
		}
		if err != nil {
			return v, fmt.Errorf("look up %s: %w", p, err)
		}
		value, ok := found.(tftypes.Value)
		if !ok {
			return v, fmt.Errorf("look up %s: found a %T", p, found)
		}
		return value, nil
	})
	return tfsdk.Config{Schema: config.Schema, Raw: merged}, err
}
