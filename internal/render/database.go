package render

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// Keys of a database's objects. Users see them in `objects`.
const (
	kindDatabase = "database"
	databaseKey  = "db"
	passwordKey  = "password"
	urlKey       = "url"
)

// passwordFile is where server and clients find the password.
const passwordFile = "/run/secrets/" + passwordKey

// databaseGrace is how long a server may take to end in order.
const databaseGrace = time.Minute

// databaseRenderer renders one database.
type databaseRenderer struct {
	*server
	spec    spec.Database
	engine  *databaseEngine
	version engineVersion
	// image, user and database are those of the spec with defaults filled in.
	image, user, database string
	where                 *swarm.Placement
	// secrets are the real names of secrets by key.
	secrets map[string]string
}

// Database renders a database server: a service with one task, which owns a
// volume, a network that its clients attach to, and secrets for them to mount. It
// returns every problem it finds; with an error among them there are no objects.
//
// The password of the secret is the user's password at every start of the server.
// So a change of it is a change of the secret like any other: the service is
// restarted with the new one, and a roll-back restarts it with the old one.
func Database(db spec.Database) (*Rendered, spec.Problems) {
	r := &databaseRenderer{server: newServer(kindDatabase, db.Name), spec: db, engine: databaseEngines[db.Engine]}
	if p := spec.CheckDatabaseEngine(db.Engine); p != nil {
		r.add(*p)
		return r.result()
	}
	r.settle()
	r.check()
	resources := r.resources(db.Resources)
	r.where = r.placement(db.Placement)
	if r.problems.HasErrors() {
		return r.result()
	}

	network := r.network(defaultNetwork)
	r.credentials()
	service := r.service(databaseKey, r.image, swarm.UpdateOrderStopFirst)
	container := service.TaskTemplate.ContainerSpec
	grace := databaseGrace
	container.StopGracePeriod, container.StopSignal = &grace, r.engine.stopSignal
	container.Healthcheck = r.healthcheck()
	container.Mounts = []mount.Mount{r.volume(r.engine.data)}
	container.Secrets = []*swarm.SecretReference{mountSecret(r.secrets[passwordKey], passwordKey)}
	service.TaskTemplate.Resources = resources
	service.TaskTemplate.Placement = oneOnANode(r.where)
	attach(service, network, db.Name)
	r.engine.server(r, container)
	r.out.Objects = append(r.out.Objects, serviceObject(databaseKey, service))

	r.out.Before = []object.OneShot{r.look()}
	r.out.After = []object.OneShot{r.ready(network)}
	r.out.Empty = []object.OneShot{r.empty(r.image, databaseKey, lookedAt, r.where)}
	r.out.Local = []string{databaseKey}
	return r.result()
}

// settle fills in defaults.
func (r *databaseRenderer) settle() {
	r.version = parseVersion(r.spec.Version)
	r.image = r.spec.Image
	if r.image == "" {
		r.image = DatabaseImage(r.spec.Engine, r.spec.Version)
	}
	if r.engine.names {
		r.user, r.database = r.spec.Username, r.spec.Database
		if r.user == "" {
			r.user = r.spec.Name
		}
		if r.database == "" {
			r.database = r.spec.Name
		}
	}
}

// oneOnANode keeps a second task off the volume, should somebody scale the service.
func oneOnANode(where *swarm.Placement) *swarm.Placement {
	out := swarm.Placement{MaxReplicas: 1}
	if where != nil {
		out.Constraints = where.Constraints
	}
	return &out
}

// credentials adds the secrets. What the user has not given is made when the
// secrets are, all in one, and known to the swarm alone.
func (r *databaseRenderer) credentials() {
	r.secrets = map[string]string{}
	if r.spec.Password != nil {
		contents := r.contents(*r.spec.Password)
		for _, key := range sortedKeys(contents) {
			r.secrets[key] = r.secret(key, contents[key])
		}
		return
	}
	// No user can give the empty password, so that it stands for one that is made.
	inputs := r.contents("")
	how := &object.Derived{Keys: sortedKeys(inputs), Make: func() (map[string][]byte, error) {
		password, err := generatePassword()
		if err != nil {
			return nil, err
		}
		return r.contents(password), nil
	}}
	for _, key := range how.Keys {
		r.secrets[key] = r.derived(key, inputs[key], how)
	}
}

// contents are those of the secrets by key.
func (r *databaseRenderer) contents(password string) map[string][]byte {
	contents := map[string][]byte{passwordKey: []byte(password), urlKey: []byte(r.url(password))}
	if r.spec.Engine == spec.MariaDB {
		contents[mariadbInitKey] = []byte(mariadbInit(r.user, password))
	}
	return contents
}

// url is what clients connect to. Everything in it is escaped, even what only some
// parsers stumble over.
func (r *databaseRenderer) url(password string) string {
	escape := func(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
	database := "0"
	if r.engine.names {
		database = escape(r.database)
	}
	return fmt.Sprintf("%s://%s:%s@%s:%s/%s%s", r.engine.scheme, escape(r.user), escape(password), r.spec.Name, r.engine.port, database, r.engine.query)
}

// generatePassword makes 256 random bits into 43 characters that need no quoting
// anywhere.
func generatePassword() (string, error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return "", fmt.Errorf("read random bytes for a password: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(secret), nil
}
