package demo

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"mime/multipart"

	"github.com/google/uuid"
)

// photographed are the codes of those who have a photo: all who work at the school.
func (p *plan) photographed() []string {
	var codes []string
	for _, e := range p.staff() {
		codes = append(codes, e.code)
	}
	if p.accountant.first != "" {
		codes = append(codes, p.accountantCode())
	}
	return codes
}

// photosDone is the condition that they have them: the last of them does.
func (p *plan) photosDone() string {
	codes := p.photographed()
	return fmt.Sprintf(`exists (select from employee where employee_code = '%s' and photo_file_id is not null)`, codes[len(codes)-1])
}

// addPhotos gives the staff photos, which are drawn: of nobody who lives. They are taken now, whenever the school began: bytes that
// no file names an hour after they came are cleared away, and on an earlier day that hour would be over before the file is written.
func (b *builder) addPhotos(ctx context.Context) error {
	b.clock.set(b.demo.now())
	b.sameAccounts.Store(true)
	defer b.sameAccounts.Store(false)
	for i, code := range b.plan.photographed() {
		there := b.staff[code]
		if there == nil || there.PhotoFileID != nil {
			continue
		}
		var file struct{ ID uuid.UUID }
		if err := b.uploadPhoto(ctx, portrait(b.plan.seed, uint64(i)), code+".png", &file); err != nil {
			return err
		}
		if err := b.put(ctx, "/school-admin/employee/"+there.ID.String(), fields{"photoFileId": file.ID}); err != nil {
			return err
		}
	}
	return nil
}

// uploadPhoto sends a picture as a form does.
func (b *builder) uploadPhoto(ctx context.Context, picture []byte, name string, into any) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	err := form.WriteField("purpose", "PHOTO")
	var part io.Writer
	if err == nil {
		part, err = form.CreateFormFile("file", name)
	}
	if err == nil {
		_, err = part.Write(picture)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return fmt.Errorf("writing a form: %w", err)
	}
	return b.send(ctx, b.admin, "POST", "/school-admin/file/upload", form.FormDataContentType(), &body, into)
}

// portraitWidth and portraitHeight are a passport photo's, in pixels; it is drawn as if it were half as large again.
const portraitWidth, portraitHeight, portraitScale = 120, 147, 1.5

var (
	backdrops = []color.RGBA{{214, 226, 240, 255}, {232, 224, 212, 255}, {219, 232, 219, 255}, {230, 220, 234, 255}}
	skins     = []color.RGBA{{224, 172, 125, 255}, {198, 134, 86, 255}, {160, 104, 66, 255}, {120, 76, 48, 255}, {236, 190, 150, 255}}
	hairs     = []color.RGBA{{30, 24, 22, 255}, {52, 36, 28, 255}, {88, 84, 82, 255}, {20, 20, 26, 255}}
	clothes   = []color.RGBA{{40, 72, 120, 255}, {130, 44, 60, 255}, {46, 96, 78, 255}, {86, 62, 110, 255}, {176, 110, 40, 255}}
	ink       = color.RGBA{40, 26, 22, 255}
)

// oval is a part of a portrait: a filled ellipse, of which only what lies above cut is drawn, unless that is 0.
type oval struct {
	x, y, rx, ry, cut float64
	fill              color.RGBA
}

// portrait draws a face from the front: the same for the same numbers.
func portrait(seed, n uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 1000+n))
	of := func(list []color.RGBA) color.RGBA { return list[random.IntN(len(list))] }
	backdrop, skin, hair, shirt := of(backdrops), of(skins), of(hairs), of(clothes)
	long, glasses, moustache := random.IntN(2) == 0, random.IntN(4) == 0, random.IntN(4) == 0
	wide := 36 + float64(random.IntN(6))
	var parts []oval
	if long {
		parts = append(parts, oval{90, 108, wide + 15, 66, 0, hair})
	}
	parts = append(parts, oval{90, 236, 76, 74, 0, shirt}, oval{90, 160, 17, 30, 0, skin},
		oval{90, 88, wide + 4, 52, 78, hair}, oval{90, 98, wide, 48, 0, skin}, oval{90, 60, wide - 3, 20, 66, hair})
	for _, side := range []float64{-1, 1} {
		x := 90 + side*15
		if glasses {
			parts = append(parts, oval{x, 96, 11, 9, 0, ink}, oval{x, 96, 9.5, 7.5, 0, skin})
		}
		white := color.RGBA{250, 250, 250, 255}
		parts = append(parts, oval{x, 85, 8, 2.2, 0, hair}, oval{x, 96, 5, 3.4, 0, white}, oval{x, 96, 2.6, 2.8, 0, ink})
	}
	parts = append(parts, oval{90, 111, 3.4, 2, 0, shade(skin)}, oval{90, 124, 11, 3.4, 0, shade(skin)})
	if moustache && !long {
		parts = append(parts, oval{90, 118, 13, 3.6, 0, hair})
	}
	picture := image.NewRGBA(image.Rect(0, 0, portraitWidth, portraitHeight))
	draw.Draw(picture, picture.Rect, image.NewUniform(backdrop), image.Point{}, draw.Src)
	for _, o := range parts {
		o.paint(picture)
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.NoCompression}
	_ = encoder.Encode(&out, picture) // into memory
	return out.Bytes()
}

// paint puts the oval over what is there. Most of its pixels are within it, and are looked at no closer.
func (o oval) paint(on *image.RGBA) {
	at := func(v float64) int { return int(v / portraitScale) }
	area := image.Rect(at(o.x-o.rx)-1, at(o.y-o.ry)-1, at(o.x+o.rx)+2, at(o.y+o.ry)+2).Intersect(on.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		middle := (float64(y) + 0.5) * portraitScale
		if o.cut > 0 && middle > o.cut {
			return
		}
		from, to := o.within(middle)
		from, to = max(from, area.Min.X), min(to, area.Max.X)
		for x := area.Min.X; x < area.Max.X; x++ {
			if x == from && from < to {
				draw.Draw(on, image.Rect(from, y, to, y+1), image.NewUniform(o.fill), image.Point{}, draw.Src)
				x = to - 1
				continue
			}
			if share := o.covers((float64(x)+0.5)*portraitScale, middle); share > 0 {
				on.SetRGBA(x, y, mixed(on.RGBAAt(x, y), o.fill, share))
			}
		}
	}
}

// edge is how far from the oval's edge, as a share of its radius, a pixel is half covered.
func (o oval) edge() float64 { return portraitScale / (2 * min(o.rx, o.ry)) }

// within are the pixels of a row that the oval covers whole: the first, and the one after the last.
func (o oval) within(y float64) (from, to int) {
	dy, inner := (y-o.y)/o.ry, 1-o.edge()
	if math.Abs(dy) >= inner {
		return 0, 0
	}
	reach := o.rx * math.Sqrt(inner*inner-dy*dy)
	return int(math.Ceil((o.x-reach)/portraitScale + 0.5)), int(math.Floor((o.x+reach)/portraitScale - 0.5))
}

// covers is how much of a pixel the oval covers: its edge is smooth.
func (o oval) covers(x, y float64) float64 {
	dx, dy := (x-o.x)/o.rx, (y-o.y)/o.ry
	return min(1, max(0, (1-math.Sqrt(dx*dx+dy*dy))/(2*o.edge())+0.5))
}

// shade is a colour, darker.
func shade(c color.RGBA) color.RGBA { return mixed(c, ink, 0.35) }

func mixed(a, b color.RGBA, share float64) color.RGBA {
	part := func(a, b uint8) uint8 { return uint8(float64(a)*(1-share) + float64(b)*share + 0.5) }
	return color.RGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 255}
}
