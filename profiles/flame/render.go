package flame

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"opcost/profiles/onefile"
)

//go:embed page
var files embed.FS

// scripts are joined in this order into the page's one script.
var scripts = []string{"model", "format", "layout", "colour", "search", "tip", "graph", "main"}

// view is what the page's template is filled with.
type view struct {
	Title, Event, Unit, Per string
	Sides                   []viewSide
	Delta, Ratio            string // of New against Base
	NotPerQuery             string // why values are not per query; "" if they are
	Sampled                 bool
	Notes                   []string
	Pruned                  Pruned
	Style                   template.CSS
	Script                  template.JS
	Data                    template.JS
	Policy                  string // the page's Content-Security-Policy
}

type viewSide struct {
	Letter, Label, Total, Operations, Samples string
}

// render makes the page of a tree.
func render(in Input, t *tree, p Pruned) ([]byte, Pruned, error) {
	encoded, shortened, err := encode(in, t)
	if err != nil {
		return nil, p, fmt.Errorf("flame graph: encode its data: %w", err)
	}
	p.Shortened = shortened
	v := newView(in, t)
	v.Pruned, v.Data = p, template.JS(encoded)
	style, script, err := assets()
	if err != nil {
		return nil, p, err
	}
	v.Style, v.Script = template.CSS(style), template.JS(script)
	v.Policy = onefile.Policy(style, script)
	page, err := template.New("page.html").Funcs(template.FuncMap{"percent": percent, "count": count}).ParseFS(files, "page/page.html")
	if err != nil {
		return nil, p, fmt.Errorf("flame graph: its own template: %w", err)
	}
	var out bytes.Buffer
	if err := page.Execute(&out, v); err != nil {
		return nil, p, fmt.Errorf("flame graph: fill in the page: %w", err)
	}
	p.Bytes = out.Len()
	return out.Bytes(), p, nil
}

// assets are the page's style and script.
func assets() (style, script string, err error) {
	return onefile.Assets(files, "page", "flame.css", scripts)
}

func newView(in Input, t *tree) view {
	e := in.Base.Profile.Event
	unit, divisor := shownUnit(e, t.per != "")
	v := view{Title: in.Title, Event: e.Name, Unit: unit, Per: t.per, Notes: in.Notes}
	if v.Title == "" {
		v.Title = "Flame graph"
	}
	var values []float64
	var lacking []string
	for i, s := range in.sides() {
		letter := string(rune('A' + i))
		value := t.perOp(i, t.boxes[0].total[i]) / divisor
		values = append(values, value)
		side := viewSide{Letter: letter, Label: s.label(letter), Total: number(value), Operations: "not known"}
		if ops := s.Profile.About.Operations; ops > 0 {
			side.Operations = number(ops)
		} else {
			lacking = append(lacking, side.Label)
		}
		if _, n := s.Profile.Total(); n > 0 {
			side.Samples, v.Sampled = number(float64(n)), true
		}
		v.Sides = append(v.Sides, side)
	}
	if len(lacking) > 0 {
		v.NotPerQuery = "The operations of " + strings.Join(lacking, " and of ") + " are not known: values are totals of the whole window, not per query"
		if t.both {
			v.NotPerQuery += ". A difference between windows of different length or load says nothing about a query"
		}
	}
	if len(in.Base.Profile.Arcs) > 0 {
		v.Notes = append([]string{"This profile counts calls and holds no stacks: functions stand side by side, without their callers."}, v.Notes...)
	}
	if len(values) == 2 {
		v.Delta = signed(values[1] - values[0])
		v.Ratio = strconv.FormatFloat(values[1]/values[0], 'f', 3, 64)
	}
	return v
}

// number is a value in four significant digits, or all digits before the point.
func number(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := 3 - int(math.Floor(math.Log10(math.Abs(v))))
	text := strconv.FormatFloat(v, 'f', max(digits, 0), 64)
	whole, rest, point := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if v < 0 {
		whole = "−" + whole
	}
	if point {
		if rest = strings.TrimRight(rest, "0"); rest != "" {
			return whole + "." + rest
		}
	}
	return whole
}

func signed(v float64) string {
	if v > 0 {
		return "+" + number(v)
	}
	return number(v)
}

// percent is a share for a sentence.
func percent(v float64) string { return number(v) + " %" }

func count(n int) string { return number(float64(n)) }
