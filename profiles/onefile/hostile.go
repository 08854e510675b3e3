package onefile

// Hostile are names that try to leave their place in a page, for tests. What
// runs in one of them would set window.broken.
func Hostile() []string {
	return []string{
		`</script><img src=x onerror="window.broken=1">`,
		`<img src=x onerror=window.broken=1>`,
		`"><svg onload=window.broken=1>`,
		`'-(window.broken=1)-'`,
		`\u003c/script\u003e<!--<script>`,
		"`${window.broken=1}`",
		`{{.Data}} {{template "x"}}`,
		"line\u2028and\u2029paragraph\r\n\x00\x1b[31m",
		"\u202ereversed\u2066",
		"not UTF-8: \xff\xfe\x80",
		`__proto__`,
		`constructor`,
		`]]></style><style>*{display:none}`,
		`&lt;b&gt;&amp;`,
		`std::map<int, std::vector<char> >::operator[](int const&) const`,
	}
}
