package strength

import (
	"strconv"
	"strings"
)

// commonPINs are the most common PINs that no rule below finds: patterns of the keypad,
// dates and words.
var commonPINs = func() map[string]bool {
	out := map[string]bool{}
	for _, pin := range strings.Fields(`
		0369 2580 0852 8520 5802 1470 0741 7410 3690 0963 9630 1478 8741 3698 8963 1236 6321 1590 9510 3570 7530 1379 9731 7139 3179
		1397 7931 2684 2486 4268 1254 4521 1456 6541 7896 6987 1593 7913 1004 1230 0321 1235 1243 1324 1342 1423 1123 1112 1110 1113
		1114 1115 1011 1001 1200 1300 1020 1030 1102 0007 0070 0700 0001 0010 0100 1000 2000 3000 4000 5000 6000 7000 8000 9000
		0911 1120 1225 2512 0101 3112 1231 0420 4200 5150 5683 7683 6425 1029 2112 4711 6996 1314 5201 3344 7788 8899 1776 1947
		12580 08520 14789 98741 15937 35719 12369 96321 14725 25814 12300 12345 11223 33221 10203 13145 52013
		159753 357951 753951 159357 951753 147258 258369 369258 147852 258147 741852 852741 963852 852963 789456 456789 456123 321654
		123654 654123 987321 789123 123789 147369 963147 142536 102030 010203 112358 123454 123455 123457 123450 012340 131452
		520131 314159 271828 007700 110011 246813 135792 192837 918273 100200 200100 100100 123000 321000 100000 200000 111222 222111
		111333 222333 333222 444555 777888 888999 110120 123698 159632 147896 963258 789632 252525 101112 091011 121314 131415 141516`) {
		out[pin] = true
	}
	return out
}()

// firstYear and lastYear are years that people have something to do with.
const firstYear, lastYear = 1950, 2029

// WeakPIN reports whether a PIN is among those guessed first: small steps that are all alike (1111, 1234, 8642, 7890), a
// part repeated (1212, 123123), pairs (1122), the same read backwards (1221), a year, or one
// of the commonest.
func WeakPIN(pin string) bool {
	year, _ := strconv.Atoi(pin)
	return commonPINs[pin] || evenSteps(pin) || repeats(pin, 2) || repeats(pin, 3) || pairs(pin) || mirrored(pin) ||
		len(pin) == 4 && firstYear <= year && year <= lastYear
}

// evenSteps: every digit is as far from the one before as the others, two at the most, 0
// following 9.
func evenSteps(pin string) bool {
	step := (pin[1] - pin[0] + 10) % 10
	for i := 2; i < len(pin); i++ {
		if (pin[i]-pin[i-1]+10)%10 != step {
			return false
		}
	}
	return step <= 2 || step >= 8
}

// repeats: the first so many digits come over again to the end.
func repeats(pin string, part int) bool {
	if len(pin) <= part {
		return false
	}
	for i := part; i < len(pin); i++ {
		if pin[i] != pin[i-part] {
			return false
		}
	}
	return part == 2 || len(pin) == 2*part
}

func pairs(pin string) bool {
	for i := 0; i+1 < len(pin); i += 2 {
		if pin[i] != pin[i+1] {
			return false
		}
	}
	return len(pin)%2 == 0
}

func mirrored(pin string) bool {
	for i := range len(pin) / 2 {
		if pin[i] != pin[len(pin)-1-i] {
			return false
		}
	}
	return true
}
