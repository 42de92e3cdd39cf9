package object

// External is an object that services refer to and that is not part of the
// release. Networks that every engine has (host, bridge, none) are not listed,
// and neither are volumes, which the engine creates where they are missing.
type External struct {
	Kind Kind
	// Name is the real name at the engine.
	Name string
	// UsedBy are the keys of the services that refer to it, sorted.
	UsedBy []string
}

// Need is a feature that not every supported engine has.
type Need struct {
	// APIVersion is the lowest version of the Engine API that has it, "1.44".
	APIVersion string
	// What is the feature and who uses it: "healthcheck.start_interval of service web".
	What string
}
