package sheet

import (
	"bufio"
	"strings"
	"testing"
	"testing/iotest"
)

func TestMixedText_AnyRoomToReadInto_GivesAllOfIt(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("अशा,Zoë,5 B\n", 50)
	for name, in := range map[string]string{"UTF-8": text, "Windows-1252 among it": strings.ReplaceAll(text, "ë", "\xEB")} {
		r := &mixedText{in: bufio.NewReader(strings.NewReader(in)), is: &Understood{}}
		if err := iotest.TestReader(r, []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
