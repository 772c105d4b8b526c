package delivery

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // it is how Twilio signs
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
)

// CheckTwilio checks X-Twilio-Signature: the HMAC of the address that was called and the form's fields in their order.
func CheckTwilio(token, header, address string, form url.Values) error {
	mac := hmac.New(sha1.New, []byte(token))
	_, _ = mac.Write([]byte(address))
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range form[name] {
			_, _ = mac.Write([]byte(name + value))
		}
	}
	sum, err := base64.StdEncoding.DecodeString(header)
	if err != nil || token == "" || !hmac.Equal(mac.Sum(nil), sum) {
		return ErrBadSignature
	}
	return nil
}

// twilioSuppresses are Twilio's codes of a number to which nothing is to be sent any more: its owner wrote STOP; it does not
// exist, or takes no SMS.
var twilioSuppresses = map[string]string{"21610": hasStopped, "30005": hasBounced, "30006": hasBounced, "21614": hasBounced}

// ReadTwilio reads what Twilio says of a message, or what somebody wrote back. ref is what we put into the address.
func ReadTwilio(ref string, form url.Values) []Status {
	if word := stopWord(form.Get("Body")); word != "" {
		return []Status{{Status: word, To: form.Get("From"), Reason: "they wrote " + form.Get("Body")}}
	}
	one := Status{To: form.Get("To")}
	var known bool
	if one.SchoolID, one.ID, known = parseReference(ref); !known {
		return nil
	}
	switch code := form.Get("ErrorCode"); form.Get("MessageStatus") {
	case "delivered":
		one.Status = wasDelivered
	case "read":
		one.Status = wasRead
	case "failed", "undelivered":
		one.Status, one.Reason = wasLost, "the provider could not deliver it (code "+code+")"
		if suppresses := twilioSuppresses[code]; suppresses != "" {
			also := one
			also.Status = suppresses
			return []Status{one, also}
		}
	default:
		return nil
	}
	return []Status{one}
}
