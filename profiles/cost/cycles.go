package cost

// cycles numbers the strongly connected components of the graph: nodes that
// can reach one another have the same number. (Tarjan 1972, without recursion,
// since a file may hold a chain of any length.)
func (g *graph) cycles() (number []int, count int) {
	n := len(g.nodes)
	number = make([]int, n)
	order, low := make([]int, n), make([]int, n) // order from 1; 0 is not visited
	onStack := make([]bool, n)
	var stack []int
	type visit struct{ node, next int }
	var path []visit
	visited := 0
	enter := func(v int) {
		visited++
		order[v], low[v] = visited, visited
		stack = append(stack, v)
		onStack[v] = true
		path = append(path, visit{node: v})
	}
	for root := range n {
		if order[root] != 0 {
			continue
		}
		enter(root)
		for len(path) > 0 {
			at := &path[len(path)-1]
			v := at.node
			if at.next < len(g.out[v]) {
				w := g.out[v][at.next].to
				at.next++
				if order[w] == 0 {
					enter(w)
				} else if onStack[w] {
					low[v] = min(low[v], order[w])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				caller := path[len(path)-1].node
				low[caller] = min(low[caller], low[v])
			}
			if low[v] != order[v] {
				continue
			}
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				onStack[w] = false
				number[w] = count
				if w == v {
					break
				}
			}
			count++
		}
	}
	return number, count
}
