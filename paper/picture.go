package paper

import (
	"bytes"
	"image"
	_ "image/jpeg" // a school's logo may be one
	_ "image/png"

	"golang.org/x/image/draw"
)

const (
	logoMax      = 22.0
	sourcePixels = 4000
	printPixels  = 600 // the longer side, which is sharp at the size of a logo or a portrait
)

// picture is a picture of the document; share is its width for each unit of its height.
type picture struct {
	number int
	share  float64
}

// addPicture takes in a PNG or JPEG file. What is none, or not of a sane size, is left out: a card without
// a logo is better than none.
func (d *Document) addPicture(file []byte) *picture {
	config, _, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil || config.Width < 1 || config.Height < 1 || config.Width > sourcePixels || config.Height > sourcePixels {
		return nil
	}
	source, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil
	}
	width, height := config.Width, config.Height
	if longer := max(width, height); longer > printPixels {
		width, height = max(width*printPixels/longer, 1), max(height*printPixels/longer, 1)
	}
	clean := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(clean, clean.Bounds(), image.White, image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(clean, clean.Bounds(), source, source.Bounds(), draw.Over, nil)
	return &picture{d.pdf.image(clean), float64(width) / float64(height)}
}

// drawPicture draws a picture as large as the box allows, in its middle.
func (d *Document) drawPicture(p *picture, x, y, width, height float64) {
	w, h := width, width/p.share
	if h > height {
		w, h = height*p.share, height
	}
	x, y = x+(width-w)/2, y+(height-h)/2
	d.pdf.picture(p.number, x/point, (d.height-y-h)/point, w/point, h/point)
}
