package demo

// Calls is how many calls of the product's endpoints the demo has made.
func (d *Demo) Calls() int { return int(d.calls.Load()) }
