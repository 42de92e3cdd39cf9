package spec

// Database is a server of one database engine with one database in it.
type Database struct {
	// Name is that of the release, and of the host that clients connect to.
	Name string
	// Engine is one of DatabaseEngines.
	Engine string
	// Version is a tag of the engine's official image that begins with a version
	// number ("17", "17.2-alpine").
	Version string
	// Image replaces the official image; "" means that one.
	Image string
	// Database and Username name what clients use; "" means the release's name.
	// Engines without such names take neither.
	Database, Username string
	// Password is what the user gives; nil has one generated.
	Password *string
	// Settings are parameters of the engine under its own names.
	Settings  map[string]string
	Resources Resources
	Placement Placement
	// Existing says what becomes of a volume of the database's name that is there
	// when the database is created; "" means ExistingFail.
	Existing ExistingVolume
}

// ExistingVolume is what a create does with a volume that it meets.
type ExistingVolume string

// What a create does with a volume that holds something.
const (
	// ExistingFail refuses the create.
	ExistingFail ExistingVolume = "fail"
	// ExistingReuse starts the server on it.
	ExistingReuse ExistingVolume = "reuse"
	// ExistingDiscard empties it first.
	ExistingDiscard ExistingVolume = "discard"
)

// The database engines.
const (
	Postgres = "postgres"
	MariaDB  = "mariadb"
	Redis    = "redis"
)

// DatabaseEngines are the engines there are.
func DatabaseEngines() []string { return []string{Postgres, MariaDB, Redis} }
