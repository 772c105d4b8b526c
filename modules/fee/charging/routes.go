// Package charging is what students are charged: fee heads, subscriptions and structures, bills, concessions and rules, fines,
// opening balances, and what other modules add. It posts to the ledger and receives no money.
package charging

import "homeroom/api"

// Endpoints serve what students are charged.
type Endpoints struct {
	// Transport says who rides where, for heads with an amount by route or stop.
	Transport Transport
}

// Rows are their endpoints.
func (m *Endpoints) Rows() []api.Row {
	return api.Rows(
		api.Create("/school-admin/fee/head/create", "fee", "Add a fee head", m.createHead, api.Says("Fee head created")),
		api.List("/school-admin/fee/head/list", "fee", "List the fee heads", headListing, listHeads),
		api.Get("/school-admin/fee/head/:id", "fee", "Read a fee head", getHead),
		api.Put("/school-admin/fee/head/:id", "fee", "Change a fee head", m.updateHead, api.Versioned),
		api.Remove("/school-admin/fee/head/:id", "fee", "Delete a fee head nothing refers to", deleteHead),

		api.Create("/school-admin/fee/subscription/create", "fee", "Subscribe students, or a class, to an optional fee head", subscribe,
			api.Says("Subscribed")),
		api.List("/school-admin/fee/subscription/list", "fee", "List who is subscribed to optional fee heads", subscriptionListing,
			listSubscriptions),
		api.Get("/school-admin/fee/subscription/:id", "fee", "Read a subscription", getSubscription),
		api.Put("/school-admin/fee/subscription/:id", "fee", "Change or end a subscription; what was charged stays", updateSubscription,
			api.Versioned),
		api.Remove("/school-admin/fee/subscription/:id", "fee", "Delete a subscription; what was charged stays", deleteSubscription),

		api.Create("/school-admin/fee/structure/create", "fee", "Say what a class pays in a year", createStructure,
			api.Says("Fee structure created")),
		api.List("/school-admin/fee/structure/list", "fee", "List the fee structures", structureListing, listStructures),
		api.Get("/school-admin/fee/structure/:id", "fee", "What a class pays, by the class's id or the structure's own", getStructure),
		api.Put("/school-admin/fee/structure/:id", "fee", "Change what a class will be charged; what was charged stays", updateStructure,
			api.Versioned),

		api.Post("/school-admin/fee/charge", "fee", "Bill a class, or some of it, for an instalment, once; a dry run says whom and how much",
			m.charge, api.Says("Charged")),
		api.Create("/school-admin/fee/concession", "fee", "Let a student off a part of the fees", grantConcession,
			api.Says("Concession granted")),
		api.List("/school-admin/fee/concession/list", "fee", "List the concessions, with what each has come to", concessionListing,
			listConcessions),
		api.Get("/school-admin/fee/concession/:id", "fee", "Read a concession", getConcession),
		api.Post("/school-admin/fee/concession/:id/end", "fee", "End a concession from a day on; what was given stays", endConcession,
			api.NoBodyNeeded, api.Says("Concession ended")),
		api.Create("/school-admin/fee/rule/create", "fee", "Add a concession that applies by itself", createRule,
			api.Says("Rule added")),
		api.List("/school-admin/fee/rule/list", "fee", "List the concessions that apply by themselves", ruleListing, listRules),
		api.Get("/school-admin/fee/rule/:id", "fee", "Read a rule", getRule),
		api.Put("/school-admin/fee/rule/:id", "fee", "Change a rule; what was charged stays", updateRule, api.Versioned),
		api.Remove("/school-admin/fee/rule/:id", "fee", "Delete a rule; what was charged stays", deleteRule),
		api.Create("/school-admin/fee/charge/ad-hoc", "fee",
			"Bill students, or a class, for something besides the instalments; a dry run says whom",
			chargeAdHoc, api.Says("Charged")),
		api.Post("/school-admin/fee/transaction/:id/reverse", "fee",
			"Take back an ad-hoc charge, a fine or an opening balance, once, by its mirror image", reverseDemand,
			api.Says("Reversed")),
		api.Create("/school-admin/fee/opening-balance/create", "fee", "Enter what a student owed, or had in credit, at the beginning",
			createOpening, api.Silent, api.Says("Opening balance entered")),
		OpeningFiles().Rows(),
		ConcessionFiles().Rows(),
		api.List("/school-admin/fee/opening-balance/list", "fee", "List the opening balances", openingListing, listOpenings),
		api.Get("/school-admin/fee/opening-balance/:id", "fee", "Read an opening balance", getOpening),
		api.Create("/school-admin/fee/fine", "fee", "Fine a student", fineByHand, api.Says("Fine posted")),
	)
}
