package report

import (
	"os"
	"strconv"
	"testing"
)

func TestLook(t *testing.T) {
	w, _ := strconv.Atoi(os.Getenv("W"))
	Write(os.Stdout, Format(os.Getenv("F")), demo(), Layout{Width: w, Color: os.Getenv("C") != ""})
}
