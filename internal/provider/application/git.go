package application

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	slashpath "path"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/swarmkeel/terraform-provider-swarm/internal/git"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// Where a stack is in a repository that does not say.
const (
	defaultFolder = "."
	defaultFile   = "docker-stack.yml"
)

func gitAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "The Compose files at one commit of a git repository. What they refer to by `file:` and `env_file:` is read from the same commit, relative to `path`. " +
			"Credentials are those of the provider's `git_auth`.",
		Attributes: map[string]schema.Attribute{
			"url": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "The repository: `https://host/path`, `ssh://git@host/path`, `git@host:path`, `file:///path`, or `http://` where somebody means it. Without user name and password: those are in `git_auth`.",
				Validators:          []validator.String{lifecycle.CheckedBy(checkURL)},
			},
			"commit": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Full SHA of the commit. `swarm_git_commit` gives that of a branch or tag, and the plan keeps it: what the plan showed is what is applied, wherever the branch has moved by then.",
				Validators:          []validator.String{stringvalidator.RegexMatches(regexp.MustCompile(`^[0-9a-f]{40}$`), "must be a full SHA of 40 hex digits in small letters; the data source swarm_git_commit gives it for a branch, a tag or a short SHA")},
			},
			"path": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(defaultFolder),
				MarkdownDescription: "Folder of the stack, from the top of the repository. Default `.`, the top.",
				Validators:          []validator.String{lifecycle.CheckedBy(checkPath("must be a folder of the repository"))},
			},
			"files": schema.ListAttribute{
				Optional: true, Computed: true, ElementType: types.StringType, Default: listdefault.StaticValue(lifecycle.StringList([]string{defaultFile})),
				MarkdownDescription: "Compose files below `path`, merged in order. Default `[\"docker-stack.yml\"]`.",
				Validators:          []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(lifecycle.CheckedBy(checkPath("must be a file of the repository")))},
			},
		},
	}
}

// checkURL refuses what is no URL of a repository.
func checkURL(url string) *spec.Problem {
	err := git.CheckURL(url)
	var e *git.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return &spec.Problem{Summary: e.Summary(), Detail: e.Detail + " " + e.Next}
	}
	return invalid(url, "must be the URL of a git repository", err.Error())
}

// checkPath refuses what leaves the repository. What symbolic links do there is
// seen when they are followed. must says what a path has to be.
func checkPath(must string) spec.TextCheck {
	return func(path string) *spec.Problem {
		clean := slashpath.Clean(path)
		if path == "" || strings.HasPrefix(clean, "/") || clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains(path, `\`) {
			return invalid(path, must, "it has to be relative, with slashes, and without .. at its beginning")
		}
		return nil
	}
}

func invalid(value, must, why string) *spec.Problem {
	return &spec.Problem{Summary: "Invalid value", Detail: fmt.Sprintf("The value %q %s: %s.", value, must, why)}
}

type gitModel struct {
	URL    types.String `tfsdk:"url"`
	Commit types.String `tfsdk:"commit"`
	Path   types.String `tfsdk:"path"`
	Files  types.List   `tfsdk:"files"`
}

// repository is the git attribute; nil when there is none. A configuration has no
// defaults yet when it is validated.
func (m *model) repository(ctx context.Context) (*gitModel, spec.Problems) {
	if m.Git.IsNull() {
		return nil, nil
	}
	var g gitModel
	if diags := m.Git.As(ctx, &g, basetypes.ObjectAsOptions{}); diags.HasError() {
		return nil, spec.Problems{{Attribute: []string{"git"}, Summary: "The repository cannot be read from the configuration", Detail: fmt.Sprint(diags)}}
	}
	if g.Path.IsNull() {
		g.Path = types.StringValue(defaultFolder)
	}
	if g.Files.IsNull() {
		g.Files = lifecycle.StringList([]string{defaultFile})
	}
	return &g, nil
}

// read adds the Compose files of the repository to an application, and where the
// others are.
func (g *gitModel) read(ctx context.Context, client *git.Client, app *spec.Application) spec.Problems {
	folder := slashpath.Clean(g.Path.ValueString())
	tree, err := client.Tree(ctx, g.URL.ValueString(), g.Commit.ValueString(), folder)
	if err != nil {
		return spec.Problems{gitProblem(err)}
	}
	var problems spec.Problems
	for i, file := range lifecycle.Texts(g.Files) {
		file = slashpath.Clean(file)
		name := slashpath.Join(folder, file)
		text, err := tree.File(file)
		if err != nil {
			problem := spec.Problem{Attribute: []string{"git", "files", strconv.Itoa(i)}, Summary: "Compose file " + name + " cannot be read from the repository"}
			where := fmt.Sprintf("Commit %s of %s", g.Commit.ValueString(), g.URL.ValueString())
			if problem.Detail = where + ": " + err.Error() + "."; errors.Is(err, fs.ErrNotExist) {
				problem.Summary = "Compose file " + name + " is not in the repository"
				problem.Detail = where + " has no such file. Check git.path, which is the folder, and git.files."
			}
			problems = append(problems, problem)
			continue
		}
		app.Compose = append(app.Compose, spec.Source{Name: name, Text: text})
	}
	app.Tree = tree
	return problems
}

// gitProblem points to the part of the git attribute that is at fault.
func gitProblem(err error) spec.Problem {
	var e *git.Error
	if !errors.As(err, &e) {
		return spec.Problem{Attribute: []string{"git"}, Summary: "The git repository cannot be read", Detail: err.Error()}
	}
	at := "url"
	switch e.Reason {
	case git.NotFound:
		at = "commit"
	case git.NoFolder:
		at = "path"
	}
	return spec.Problem{Attribute: []string{"git", at}, Summary: e.Summary(), Detail: e.Explanation()}
}
