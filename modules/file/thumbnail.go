package file

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // what can be made small
	"image/jpeg"
	_ "image/png"

	_ "golang.org/x/image/webp"
)

const (
	thumbnailType = "image/jpeg"
	thumbnailSide = 256
	// mostPixels keeps a small file from becoming a picture that fills the memory.
	mostPixels = 16_000_000
)

// making bounds how many pictures are in memory at once.
var making = make(chan struct{}, 2)

// thumbnail is a picture no larger than 256 by 256, on white; nil of a kind that
// cannot be read here.
func thumbnail(whole []byte) ([]byte, error) {
	switch err := checkPicture(whole); {
	case errors.Is(err, image.ErrFormat):
		return nil, nil
	case err != nil:
		return nil, err
	}
	making <- struct{}{}
	defer func() { <-making }()
	full, _, err := image.Decode(bytes.NewReader(whole))
	if err != nil {
		return nil, errors.New("the picture is damaged")
	}
	var out bytes.Buffer
	err = jpeg.Encode(&out, shrink(full, thumbnailSide), &jpeg.Options{Quality: 80})
	return out.Bytes(), err
}

// checkPicture looks at how large a picture is, which its first bytes say.
func checkPicture(whole []byte) error {
	shape, _, err := image.DecodeConfig(bytes.NewReader(whole))
	switch {
	case errors.Is(err, image.ErrFormat):
		return err
	case err != nil:
		return errors.New("the picture is damaged")
	case shape.Width*shape.Height > mostPixels || shape.Width < 1 || shape.Height < 1:
		return errors.New("the picture is too large")
	}
	return nil
}

// shrink averages the pixels that fall into each of the smaller picture's.
func shrink(full image.Image, side int) image.Image {
	b := full.Bounds()
	w, h := b.Dx(), b.Dy()
	largest := max(w, h, side)
	tw, th := max(1, w*side/largest), max(1, h*side/largest)
	small := image.NewRGBA(image.Rect(0, 0, tw, th))
	if tw == w && th == h { // as it is: nothing to average
		draw.Draw(small, small.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(small, small.Rect, full, b.Min, draw.Over)
		return small
	}
	for y := range th {
		y0, y1 := y*h/th, max((y+1)*h/th, y*h/th+1)
		for x := range tw {
			x0, x1 := x*w/tw, max((x+1)*w/tw, x*w/tw+1)
			var red, green, blue, n uint64
			for sy := y0; sy < y1; sy++ {
				for sx := x0; sx < x1; sx++ {
					r, g, bl, a := full.At(b.Min.X+sx, b.Min.Y+sy).RGBA()
					white := uint64(0xffff - a)
					red, green, blue, n = red+uint64(r)+white, green+uint64(g)+white, blue+uint64(bl)+white, n+1
				}
			}
			small.SetRGBA(x, y, color.RGBA{uint8(red / n >> 8), uint8(green / n >> 8), uint8(blue / n >> 8), 255})
		}
	}
	return small
}
