package service_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// knownEach is how many ids of a kind are remembered; newer ones take the place of older,
// which may be deleted by now.
const knownEach = 20

// ownOnly are ids that are never learned: the platform's lists show schools and accounts
// of other tests, which must not be touched.
var ownOnly = []string{"schoolId", "accountId", "adminId"}

// known is the ids that answers have shown, by what they are ids of.
type known struct {
	mu  sync.Mutex
	ids map[string][]string
}

func newKnown() *known { return &known{ids: map[string][]string{}} }

// forget is for when all of them are of another school.
func (k *known) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.ids)
}

// tell adds one by name.
func (k *known) tell(name, id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(name, id)
}

func (k *known) add(name, id string) {
	of := k.ids[name]
	if slices.Contains(of, id) {
		return
	}
	if len(of) >= knownEach {
		of = of[1:]
	}
	k.ids[name] = append(of, id)
}

// learn takes the ids out of an answer. "id" is that of whatever the path is about.
func (k *known) learn(path string, value any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.walk(nounOf(path), value)
}

func (k *known) walk(noun string, value any) {
	switch v := value.(type) {
	case []any:
		for _, one := range v[:min(len(v), 3)] {
			k.walk(noun, one)
		}
	case map[string]any:
		for name, one := range v {
			text, ok := one.(string)
			if !ok {
				k.walk(noun, one)
				continue
			}
			if _, err := uuid.Parse(text); err != nil {
				continue
			}
			if name == "id" {
				name = noun + "Id"
			}
			if !slices.Contains(ownOnly, name) {
				k.add(name, text)
			}
		}
	}
}

// alsoCalled are names under which rows ask for what answers call otherwise.
var alsoCalled = map[string]string{"driverId": "employeeId", "attendantId": "employeeId", "teacherId": "employeeId",
	"recipientId": "userId", "rider": "studentId"}

// of is the ids of that name, or of one it ends with or that ends with it: a nextClassId is
// a classId, and a headId a feeHeadId.
func (k *known) of(name string) []string {
	for _, called := range []string{name, name + "Id", alsoCalled[name]} {
		if ids := k.ids[called]; len(ids) > 0 {
			return ids
		}
	}
	lower := strings.ToLower(name)
	for _, other := range slices.Sorted(maps.Keys(k.ids)) {
		if l := strings.ToLower(other); !slices.Contains(ownOnly, other) && (strings.HasSuffix(lower, l) || strings.HasSuffix(l, lower)) {
			return k.ids[other]
		}
	}
	return nil
}

// one is an id of that name, or of anything, or nobody's.
func (k *known) one(random *rand.Rand, name, path string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if name == "id" {
		name = nounOf(path) + "Id"
	}
	if slices.Contains(ownOnly, name) {
		if of := k.ids[name]; len(of) > 0 && random.IntN(10) > 0 {
			return of[random.IntN(len(of))]
		}
		return uuid.NewString()
	}
	of := k.of(name)
	if len(of) == 0 || random.IntN(20) == 0 {
		for other, others := range k.ids { // any order will do
			if !slices.Contains(ownOnly, other) {
				of = others
				break
			}
		}
	}
	if len(of) == 0 || random.IntN(20) == 0 {
		return uuid.NewString()
	}
	return of[random.IntN(len(of))]
}

// nounOf is what a path is about: "trip" of /school-admin/transport/trip/:id.
func nounOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i := len(parts) - 1; i > 0; i-- {
		switch p := parts[i]; {
		case strings.HasPrefix(p, "{"), strings.HasPrefix(p, ":"):
		case i > 1 && strings.HasPrefix(parts[i-1], "{"): // an action on it
		case p == "list" || p == "create" || p == "record" || p == "upload" || p == "schedule" || p == "apply" || p == "report":
		default:
			return singular(p)
		}
	}
	return fmt.Sprint(parts)
}

// singular is one of them, as names in JSON are written: "academic-years" is academicYear.
func singular(word string) string {
	if !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "bus") {
		word = strings.TrimSuffix(word, "s")
	}
	parts := strings.Split(word, "-")
	for i, p := range parts[1:] {
		if p != "" {
			parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}
