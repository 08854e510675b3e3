package granularity

import (
	"fmt"
	"maps"

	"opcost/profiles"
	"opcost/profiles/symbol"
)

// Key is what makes rows one row. Only what the level asks for is set.
type Key struct {
	Function string // normalised; "" without a name
	Object   string // see ObjectName
	// BuildID and Start tell functions without a name apart, within one build.
	BuildID string
	Start   uint64
	Unnamed bool // Function is not known
	NoStack bool // the sample had no frame
}

// Keys makes keys for one or more profiles that are to meet.
type Keys struct {
	level Level
	// builds are the build ids of each object's unnamed functions.
	builds map[string]map[string]bool
	// servers are the names that the server's object has in each profile.
	servers map[*profiles.Profile]map[string]bool
	renamed bool // they are not the same name in all
	meet    bool // there are several profiles
	cache   map[cached]Key
}

type cached struct {
	p     *profiles.Profile
	frame profiles.Frame
}

// NewKeys is for a level and all profiles that are to meet. Functions without a
// name are told apart by where they start, but where the profiles are of several
// builds of an object, or its build is not known and there are several profiles,
// they are one row: a start means nothing in another build.
func NewKeys(level Level, ps ...*profiles.Profile) *Keys {
	k := &Keys{level: level, builds: map[string]map[string]bool{}, servers: map[*profiles.Profile]map[string]bool{}, meet: len(ps) > 1, cache: map[cached]Key{}}
	names := map[string]bool{}
	for _, p := range ps {
		k.servers[p] = servers(p)
		maps.Copy(names, k.servers[p])
	}
	k.renamed = len(names) > 1
	for _, p := range ps {
		for _, f := range p.Frames {
			if f.Named() || f.Start == 0 {
				continue
			}
			object := k.object(p, f)
			if k.builds[object] == nil {
				k.builds[object] = map[string]bool{}
			}
			k.builds[object][f.BuildID] = true
		}
	}
	return k
}

func (k *Keys) object(p *profiles.Profile, f profiles.Frame) string {
	object := ObjectName(f)
	if k.renamed && k.servers[p][object] {
		return Server
	}
	return object
}

// Of is the key of a frame of one of the profiles; at the level of subsystems,
// which a frame alone does not tell, that of its function.
func (k *Keys) Of(p *profiles.Profile, f profiles.Frame) Key {
	f.Recursion = 0
	c := cached{p, f}
	if key, ok := k.cache[c]; ok {
		return key
	}
	key := k.make(p, f)
	k.cache[c] = key
	return key
}

func (k *Keys) make(p *profiles.Profile, f profiles.Frame) Key {
	object := k.object(p, f)
	if k.level == Object {
		return Key{Object: object}
	}
	if f.Named() {
		key := Key{Function: symbol.Normal(f.Function), Object: object}
		if k.level == Name {
			key.Object = ""
		}
		return key
	}
	key := Key{Object: object, Unnamed: true}
	if f.Start != 0 && k.oneBuild(object) {
		key.Start = f.Start
		for id := range k.builds[object] {
			key.BuildID = id
		}
	}
	return key
}

func (k *Keys) oneBuild(object string) bool {
	ids := k.builds[object]
	return len(ids) == 1 && (!k.meet || !ids[""])
}

// Text is the key's function for display and JSON: its name; for one without, the
// object and where in it the function begins; "[no name]" where that is not known
// either.
func (k Key) Text() string {
	switch {
	case k.NoStack:
		return "[no stack]"
	case k.Function != "":
		return k.Function
	case k.Start != 0:
		return fmt.Sprintf("%s+0x%x", k.Object, k.Start)
	case k.Unnamed:
		return "[no name]"
	}
	return ""
}

// Less is an order of keys that does not depend on costs.
func (k Key) Less(o Key) bool {
	if k.Function != o.Function {
		return k.Function < o.Function
	}
	if k.Object != o.Object {
		return k.Object < o.Object
	}
	if k.Start != o.Start {
		return k.Start < o.Start
	}
	return !k.NoStack && o.NoStack
}
