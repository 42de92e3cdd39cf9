package object

import (
	"cmp"
	"slices"
)

// vxlanOption is an option that the overlay driver adds by itself.
const vxlanOption = "com.docker.network.driver.overlay.vxlanid_list"

type networkForm struct {
	Driver     string            `json:"driver,omitempty"`
	Options    map[string]string `json:"options,omitempty"`
	Attachable bool              `json:"attachable,omitempty"`
	Internal   bool              `json:"internal,omitempty"`
	IPv6       bool              `json:"ipv6,omitempty"`
	Ingress    bool              `json:"ingress,omitempty"`
	Scope      string            `json:"scope,omitempty"`
	ConfigOnly bool              `json:"config_only,omitempty"`
	ConfigFrom string            `json:"config_from,omitempty"`
	IPAM       ipamForm          `json:"ipam,omitzero"`
	Labels     map[string]string `json:"labels,omitempty"`
}

type ipamForm struct {
	Driver  string            `json:"driver,omitempty"`
	Options map[string]string `json:"options,omitempty"`
	Config  []poolForm        `json:"config,omitempty"`
}

type poolForm struct {
	Subnet  string `json:"subnet,omitempty"`
	IPRange string `json:"ip_range,omitempty"`
	Gateway string `json:"gateway,omitempty"`
}

func networkFields(spec *NetworkSpec, v View) any {
	o := spec.Options
	form := networkForm{
		Driver:     cmp.Or(o.Driver, "overlay"),
		Attachable: o.Attachable,
		Internal:   o.Internal,
		IPv6:       valueOr(o.EnableIPv6, false),
		Ingress:    o.Ingress,
		ConfigOnly: o.ConfigOnly,
		Labels:     shownLabels(o.Labels),
	}
	if o.Scope != "swarm" {
		form.Scope = o.Scope
	}
	if o.ConfigFrom != nil {
		form.ConfigFrom = o.ConfigFrom.Network
	}
	for k, value := range o.Options {
		if k == vxlanOption {
			continue
		}
		if form.Options == nil {
			form.Options = make(map[string]string, len(o.Options))
		}
		form.Options[k] = value
	}
	if o.IPAM != nil {
		if o.IPAM.Driver != "default" {
			form.IPAM.Driver = o.IPAM.Driver
		}
		form.IPAM.Options = filled(o.IPAM.Options)
	}
	if v.live() {
		form.IPAM.Config = askedPools(pools(spec), pools(declaredNetwork(v.Declared)))
	} else {
		form.IPAM.Config = pools(spec)
	}
	return form
}

func declaredNetwork(o *Object) *NetworkSpec {
	if o == nil {
		return nil
	}
	spec, _ := o.Spec.(*NetworkSpec)
	return spec
}

// pools returns the address pools of a network, sorted. Auxiliary addresses are
// left out: the engine drops those of a swarm network.
func pools(spec *NetworkSpec) []poolForm {
	if spec == nil || spec.Options.IPAM == nil {
		return nil
	}
	var list []poolForm
	for _, c := range spec.Options.IPAM.Config {
		if p := (poolForm{Subnet: c.Subnet, IPRange: c.IPRange, Gateway: c.Gateway}); p != (poolForm{}) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b poolForm) int {
		return cmp.Or(cmp.Compare(a.Subnet, b.Subnet), cmp.Compare(a.IPRange, b.IPRange), cmp.Compare(a.Gateway, b.Gateway))
	})
	return list
}

// askedPools leaves of the live pools what was declared: the engine fills in
// subnets and gateways, which are nobody's wish. A declared pool is matched with
// the live one of its subnet, else with the first that no other one matches.
func askedPools(live, declared []poolForm) []poolForm {
	if len(declared) == 0 {
		return nil
	}
	rest := slices.Clone(live)
	matched := make([]*poolForm, len(declared))
	take := func(i, at int) {
		pool := rest[at]
		matched[i] = &pool
		rest = slices.Delete(rest, at, at+1)
	}
	for i, d := range declared {
		if at := slices.IndexFunc(rest, func(p poolForm) bool { return d.Subnet != "" && p.Subnet == d.Subnet }); at >= 0 {
			take(i, at)
		}
	}
	var asked []poolForm
	for i, d := range declared {
		if matched[i] == nil && len(rest) > 0 {
			take(i, 0)
		}
		if matched[i] == nil {
			continue
		}
		pool := *matched[i]
		if d.Subnet == "" {
			pool.Subnet = ""
		}
		if d.IPRange == "" {
			pool.IPRange = ""
		}
		if d.Gateway == "" {
			pool.Gateway = ""
		}
		asked = append(asked, pool)
	}
	return asked
}

// ImmutableDifferences returns those differences of a network for which it has
// to be removed and created again. The engine cannot change a network at all;
// other labels alone are not worth an interruption.
func ImmutableDifferences(differences []Difference) []Difference {
	var immutable []Difference
	for _, d := range differences {
		if len(d.Path) == 0 || d.Path[0] != "labels" {
			immutable = append(immutable, d)
		}
	}
	return immutable
}
