package fee

import (
	"fmt"

	"homeroom/api"
	"homeroom/tenancy"
)

// TrialBalance is every account's balance; its two sides are equal, or the ledger is broken.
type TrialBalance struct {
	Accounts    []AccountBalance `json:"accounts"`
	TotalDebit  int64            `json:"totalDebit"`
	TotalCredit int64            `json:"totalCredit"`
}

// AccountBalance is one account's balance, on the side it stands. The students' accounts
// are two lines: what is owed, and what was paid ahead.
type AccountBalance struct {
	Code   string `json:"code"`
	Name   string `json:"name"`
	Type   string `json:"type" enum:"STUDENT,INCOME,CASH,BANK,CONCESSION,FINE,ADVANCE,EXPENSE,OPENING,CLEARING"`
	Debit  int64  `json:"debit"`
	Credit int64  `json:"credit"`
}

func trialBalance(c api.Ctx, _ api.Nothing) (TrialBalance, error) {
	var out TrialBalance
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `with balance as (
			select account_id, sum(case entry_type when 'DR' then amount else -amount end)::bigint as net from ledger_entry group by account_id),
		line as (
			select coalesce(h.code, a.code) as code, coalesce(h.name, a.name) as name, a.type, b.net from balance b
			join ledger_account a on a.id = b.account_id left join fee_head h on h.id = a.id where a.type <> 'STUDENT'
			union all
			select 'STUDENTS', 'Owed by students', 'STUDENT', sum(b.net)::bigint from balance b join ledger_account a on a.id = b.account_id
			where a.type = 'STUDENT' and b.net > 0
			union all
			select 'ADVANCE', 'Advances from students', 'ADVANCE', sum(b.net)::bigint from balance b join ledger_account a on a.id = b.account_id
			where a.type = 'STUDENT' and b.net < 0)
		select code, name, type, greatest(net, 0) as debit, greatest(-net, 0) as credit from line where net <> 0
		order by type, code`, Scan: tenancy.Collect(&out.Accounts)})
	if err != nil {
		return out, fmt.Errorf("drawing up a trial balance: %w", err)
	}
	for _, a := range out.Accounts {
		out.TotalDebit, out.TotalCredit = out.TotalDebit+a.Debit, out.TotalCredit+a.Credit
	}
	return out, nil
}
