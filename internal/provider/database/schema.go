// Package database is the resource of database servers.
package database

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/serverattr"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// Kind is the swarm_database resource.
type Kind struct{}

var _ lifecycle.Kind = Kind{}

// Name implements lifecycle.Kind.
func (Kind) Name() string { return kindName }

const kindName = "database"

// NewModel implements lifecycle.Kind.
func (Kind) NewModel() lifecycle.Model { return &model{} }

// Description implements lifecycle.Kind.
func (Kind) Description() string {
	return `A database server on Docker Swarm: PostgreSQL, MariaDB or Redis, with one database, one user, and its data in a named volume.

Applying returns when a client that connects over the network with the credential gets an answer to a query. Applications mount ` + "`url_secret` or `password_secret`" + `; a password that is not given is generated, and exists in the swarm alone. Changes restart the server on the same data. Destroying keeps the volume, and is refused while ` + "`deletion_protection`" + ` is on.`
}

// deletionProtection is named by the error that refuses a removal.
const deletionProtection = "deletion_protection"

// Attributes implements lifecycle.Kind.
func (Kind) Attributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{
		"engine": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "`postgres`, `mariadb` or `redis`. Cannot be changed.",
			Validators:          []validator.String{lifecycle.CheckedBy(spec.CheckDatabaseEngine)},
		},
		"version": schema.StringAttribute{
			Required: true,
			MarkdownDescription: "Tag of the engine's official image, beginning with a version: `17`, `17.2-alpine`, `10.11`. " +
				"A minor upgrade restarts the server on its data; a major one (the first number; the first two of MariaDB) and a downgrade are errors in the plan.",
		},
		"image": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Image to run instead of the official one, with tag or digest: a mirror of it, or one with extensions. It has to behave like the official image. If its tag begins with a version, that has to agree with `version`.",
			PlanModifiers:       []planmodifier.String{unconfigured{officialImage}},
		},
		"database": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Name of the database. Default: `name`. Cannot be changed. Not for `redis`, whose clients use database 0.",
			PlanModifiers:       []planmodifier.String{unconfigured{releaseName}},
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"username": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "User that clients connect as: the superuser of PostgreSQL, in MariaDB one with all rights on `database`. Default: `name`. Cannot be changed. Not for `redis`.",
			PlanModifiers:       []planmodifier.String{unconfigured{releaseName}},
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"password_wo": schema.StringAttribute{
			Optional: true, WriteOnly: true,
			MarkdownDescription: "Password of the user, 1 to 128 characters, not stored and not shown. Another value restarts the server with it, and makes new secrets for applications to mount. When it is left out, a password is generated once, and kept.",
		},
		"settings": schema.MapAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Parameters of the engine: `max_connections = \"200\"` of PostgreSQL and MariaDB; of Redis a directive to its arguments as in redis.conf, `save = \"60 1000\"`. Stored in the state in clear. A change restarts the server. What concerns ports, files and access is the resource's own.",
			Validators:          []validator.Map{mapvalidator.NoNullValues()},
		},
		"resources": serverattr.Resources(),
		"placement": serverattr.Placement("Which node the database runs on. The volume is the node's own: on a swarm of several nodes a database without constraints may find itself on another node, with an empty volume, and the plan warns. " +
			"A placement that would move it away from its data is refused."),
		"existing_volume": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(string(spec.ExistingFail)),
			MarkdownDescription: "What creating does with a volume `<name>_data` that holds something already: `fail`; `reuse`, which starts on data of the same engine and major version and gives its user the password; `discard`, which empties it first. Default `fail`.",
			Validators: []validator.String{stringvalidator.OneOf(
				string(spec.ExistingFail), string(spec.ExistingReuse), string(spec.ExistingDiscard))},
		},
		deletionProtection: schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(true),
			MarkdownDescription: "Whether destroying a database that has once been ready is refused. The value in the state counts: set `false`, apply, and destroy then. Default `true`.",
		},
		"delete_data": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			MarkdownDescription: "Whether destroying deletes the data, on whatever node it is. The value in the state counts. Default `false`: the volume stays.",
		},
	}
	for name, description := range map[string]string{
		"host":            "Name under which clients on `network` reach the server; the same as `name`.",
		"port":            "Port that the server listens on. It is not published outside of `network`.",
		"network":         "Real name of the overlay network of the database. Applications declare it `external` and attach to it.",
		"password_secret": "Real name of the secret with the password. Another password has another name, so that applications which refer to it are restarted.",
		"url_secret":      "Real name of the secret with the URL, password included: `postgres://user:password@host:5432/database?sslmode=disable`, `mysql://user:password@host:3306/database`, `redis://:password@host:6379/0`.",
		"volume":          "Real name of the volume with the data, on the node of the database.",
	} {
		attributes[name] = schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return attributes
}
