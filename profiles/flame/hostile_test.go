package flame

import "opcost/profiles/onefile"

// hostile are names that try to leave their place in a page. What runs in one of
// them would set window.broken.
var hostile = onefile.Hostile()
