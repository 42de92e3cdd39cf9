package database

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/serverattr"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/render"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

type model struct {
	lifecycle.Common

	Engine             types.String `tfsdk:"engine"`
	Version            types.String `tfsdk:"version"`
	Image              types.String `tfsdk:"image"`
	Database           types.String `tfsdk:"database"`
	Username           types.String `tfsdk:"username"`
	PasswordWO         types.String `tfsdk:"password_wo"`
	Settings           types.Map    `tfsdk:"settings"`
	Resources          types.Object `tfsdk:"resources"`
	Placement          types.Object `tfsdk:"placement"`
	ExistingVolume     types.String `tfsdk:"existing_volume"`
	DeletionProtection types.Bool   `tfsdk:"deletion_protection"`
	DeleteData         types.Bool   `tfsdk:"delete_data"`

	Host           types.String `tfsdk:"host"`
	Port           types.String `tfsdk:"port"`
	Network        types.String `tfsdk:"network"`
	PasswordSecret types.String `tfsdk:"password_secret"`
	URLSecret      types.String `tfsdk:"url_secret"`
	Volume         types.String `tfsdk:"volume"`
}

var (
	_ lifecycle.Remover  = (*model)(nil)
	_ lifecycle.Changer  = (*model)(nil)
	_ lifecycle.Computed = (*model)(nil)
)

// serviceRef is the object that attributes speak of.
const serviceRef = "service/db"

// Render implements lifecycle.Model.
func (m *model) Render(context.Context, *lifecycle.Session) (*reconcile.Release, spec.Problems) {
	rendered, problems := render.Database(m.spec())
	return lifecycle.Release(rendered), problems
}

func (m *model) spec() spec.Database {
	db := spec.Database{
		Name:   m.Name.ValueString(),
		Engine: m.Engine.ValueString(), Version: m.Version.ValueString(), Image: m.Image.ValueString(),
		Database: m.Database.ValueString(), Username: m.Username.ValueString(),
		Settings:  lifecycle.Strings(m.Settings),
		Resources: serverattr.SpecResources(m.Resources), Placement: serverattr.SpecPlacement(m.Placement),
		Existing: spec.ExistingVolume(m.ExistingVolume.ValueString()),
	}
	if !m.PasswordWO.IsNull() {
		password := m.PasswordWO.ValueString()
		db.Password = &password
	}
	return db
}

// Removal implements lifecycle.Remover. A state that does not say otherwise, as
// after an import of an older one, protects.
func (m *model) Removal() lifecycle.Removal {
	var removal lifecycle.Removal
	if m.DeletionProtection.IsNull() || m.DeletionProtection.ValueBool() {
		removal.Protected = deletionProtection
	}
	if !m.DeleteData.ValueBool() {
		return removal
	}
	removal.PurgeVolumes = true
	// A state that was written by an apply renders, unless it was edited by hand;
	// then the volume of the connected node is all that is known.
	if rendered, _ := render.Database(m.spec()); rendered != nil {
		removal.Empty = rendered.Empty
	}
	return removal
}

// CheckChange implements lifecycle.Changer.
func (m *model) CheckChange(prior lifecycle.Model) spec.Problems {
	was, ok := prior.(*model)
	if !ok {
		return nil
	}
	return render.DatabaseChange(m.Name.ValueString(), m.identity(), was.identity(), was.live())
}

// identity is what the attributes say; what they do not is left open.
func (m *model) identity() render.DatabaseIdentity {
	return render.DatabaseIdentity{
		Engine: m.Engine.ValueString(), Version: m.Version.ValueString(),
		Username: m.Username.ValueString(), Database: m.Database.ValueString(),
	}
}

// live is what the service says that was there at the last refresh.
func (m *model) live() render.DatabaseIdentity {
	form, err := object.ParseForm(lifecycle.Strings(m.Objects)[serviceRef])
	if err != nil {
		return render.DatabaseIdentity{} // there is no service: nothing is known
	}
	return render.LiveDatabase(form)
}

// PlanComputed implements lifecycle.Computed.
func (m *model) PlanComputed(prior lifecycle.Model, stays func(ref string) bool) {
	m.Host = m.Name
	m.Network, m.Volume = m.named(render.ServerNetwork), m.named(render.DataVolume)
	m.Port = types.StringUnknown()
	if port := render.DatabasePort(m.Engine.ValueString()); port != "" {
		m.Port = types.StringValue(port)
	}
	m.PasswordSecret, m.URLSecret = types.StringUnknown(), types.StringUnknown()
	was, ok := prior.(*model)
	if !ok {
		return
	}
	for _, key := range render.DatabaseSecrets(m.Engine.ValueString()) {
		if !stays("secret/" + key) {
			return // secrets that are made together are made anew together
		}
	}
	m.PasswordSecret, m.URLSecret = known(was.PasswordSecret), known(was.URLSecret)
}

// named is the real name of an object that follows from the release's.
func (m *model) named(realName func(release string) string) types.String {
	if m.Name.IsUnknown() {
		return types.StringUnknown()
	}
	return types.StringValue(realName(m.Name.ValueString()))
}

// known is a value of a state, or unknown where that has none.
func known(s types.String) types.String {
	if s.IsNull() {
		return types.StringUnknown()
	}
	return s
}

// Observe implements lifecycle.Computed.
func (m *model) Observe(view *reconcile.View, unknownOnly bool) {
	form, _ := object.ParseForm(view.Display[serviceRef])
	live := render.LiveDatabase(form)
	m.observeImported(live, unknownOnly)

	image, _ := form["image"].(string)
	if object.NormalizeImage(m.Image.ValueString()) != image { // else it is written otherwise, and the same
		lifecycle.Observed(&m.Image, image, unknownOnly)
	}
	lifecycle.Observed(&m.Host, m.Name.ValueString(), unknownOnly)
	lifecycle.Observed(&m.Port, render.DatabasePort(m.Engine.ValueString()), unknownOnly)
	lifecycle.Observed(&m.Network, view.Networks["default"], unknownOnly)
	lifecycle.Observed(&m.PasswordSecret, view.Secrets["password"], unknownOnly)
	lifecycle.Observed(&m.URLSecret, view.Secrets["url"], unknownOnly)
	lifecycle.Observed(&m.Volume, view.Volumes[render.DataKey], unknownOnly)
}

// observeImported fills in what an import leaves open of the configuration, so
// that the plan after it shows only what an apply would do. What a state says is
// the user's, and stays.
func (m *model) observeImported(live render.DatabaseIdentity, unknownOnly bool) {
	if unknownOnly {
		return
	}
	for _, a := range []struct {
		attribute *types.String
		live      string
	}{{&m.Engine, live.Engine}, {&m.Version, live.Version}, {&m.Username, live.Username}, {&m.Database, live.Database}} {
		if a.attribute.IsNull() && strings.TrimSpace(a.live) != "" {
			*a.attribute = types.StringValue(a.live)
		}
	}
}
