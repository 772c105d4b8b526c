package tenancy

import "strings"

// digitsOf is how many decimals the currencies of ISO 4217 have. Minor units are counted by
// it everywhere; what browsers know of currencies differs from it for some, as IQD.
var digitsOf = func() map[string]int {
	out := map[string]int{}
	for digits, codes := range map[int]string{
		0: `BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF`,
		2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU
			CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS
			KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB
			PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD
			TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
		3: `BHD IQD JOD KWD LYD OMR TND`,
		4: `CLF UYW`,
	} {
		for code := range strings.FieldsSeq(codes) {
			out[code] = digits
		}
	}
	return out
}()

// CurrencyDigits is how many decimals a currency has: two where ISO 4217 does not say.
func CurrencyDigits(code string) int {
	if digits, known := digitsOf[code]; known {
		return digits
	}
	return 2
}

// Writes is how the school writes dates and money: its locale, its currency and that one's decimals.
func (s *School) Writes() (locale, currency string, digits int) {
	return s.Locale, s.Currency, CurrencyDigits(s.Currency)
}
