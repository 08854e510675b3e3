package page

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"

	"opcost/profiles/onefile/browser"
)

func TestZZShots(t *testing.T) {
	spec := os.Getenv("SHOTS") // file|fragment|name|width|height|mode|js
	if spec == "" {
		t.Skip()
	}
	b := browser.Start(t)
	for _, s := range strings.Split(spec, "\n") {
		f := strings.Split(s, "|")
		if len(f) < 7 {
			continue
		}
		w, h := int64(1280), int64(900)
		mobile := false
		if f[3] == "390" {
			w, mobile = 390, true
		}
		scheme := "light"
		if f[5] == "dark" {
			scheme = "dark"
		}
		media := ""
		if f[5] == "print" {
			media = "print"
		}
		browser.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		browser.Call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: w, Height: h, DeviceScaleFactor: 1, Mobile: mobile})
		b.Open(f[0], f[1])
		if f[6] != "" {
			browser.Value[bool](b, "("+f[6]+", true)")
		}
		r := browser.Call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: "png", CaptureBeyondViewport: new(true), Clip: &page.Viewport{X: 0, Y: 0, Width: float64(w), Height: float64(browser.Value[int](b, "Math.min(document.documentElement.scrollHeight, "+f[4]+")")), Scale: 1}})
		raw, err := base64.StdEncoding.DecodeString(string(r.Data))
		if err != nil {
			raw = []byte(r.Data)
		}
		os.WriteFile("/tmp/page-scratch/"+f[2]+".png", raw, 0o644)
		b.Misdeeds()
	}
	_ = cdp.Empty{}
}

func TestZZWrite(t *testing.T) {
	if os.Getenv("SHOTS") == "" {
		t.Skip()
	}
	p, _ := written(t, small().input())
	s, _ := os.ReadFile(p)
	os.WriteFile("/tmp/page-scratch/small.html", s, 0o644)
}
