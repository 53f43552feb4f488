package main

import "github.com/anishathalye/porcupine"

// A request is what a client asks for. Which fields it has depends on what is to be done: "place", "cancel", "deposit" and
// "withdraw" have a lane and a number, the reads "orders" and "money" have neither. All operations that ask for one
// number share one request.
type request struct {
	Do       string
	Lane     int `json:",omitempty"`
	Number   int `json:",omitempty"`
	Market   int `json:",omitempty"`
	Price    int `json:",omitempty"`
	Quantity int `json:",omitempty"`
	Order    int `json:",omitempty"`
	Amount   int `json:",omitempty"`

	// Its place among the requests of its account.
	at int
	// What a client was told of it first; nil if none ever was told. A repeat has to be told the same, so whatever becomes
	// of the request has to agree with this.
	first *answer
}

// An answer is what a client was told.
type answer struct {
	// Why the request was rejected; empty where it was not.
	Reason string `json:",omitempty"`
	// The number that the venue gave to an order.
	Order int `json:",omitempty"`
	// The whole answer, word for word.
	Text string `json:",omitempty"`
	// What a read shows.
	Orders []order `json:",omitempty"`
	Money  []money `json:",omitempty"`
}

type order struct {
	Market, Order, Price, Quantity int
}

type money struct {
	Market, Cash, Locked int
}

// A state is all that there is of one account. Its orders never meet another's, so no other account changes it. A state is
// never changed: Porcupine goes back to earlier ones.
type state struct {
	done    set
	resting []*request
	// What is free, by market.
	cash map[int]int
}

// Venue is the model: a venue that does one thing at a time. A request is carried out once, however often it is sent.
func venue(cash int, markets []int) porcupine.Model {
	return porcupine.Model{
		Partition: func(all []porcupine.Operation) (parts [][]porcupine.Operation) {
			for _, part := range byAccount(all) {
				parts = append(parts, part)
			}
			return
		},
		Init: func() interface{} {
			begin := state{cash: map[int]int{}}
			for _, market := range markets {
				begin.cash[market] = cash
			}
			return begin
		},
		Step: func(before, input, output interface{}) (bool, interface{}) {
			s, asked, told := before.(state), input.(*request), output.(*answer)
			switch asked.Do {
			case "orders":
				return s.shows(told.Orders), s
			case "money":
				return s.holds(told.Money), s
			default:
				return s.ask(asked, told)
			}
		},
		Equal: func(a, b interface{}) bool { return a.(state).equals(b.(state)) },
	}
}

// ByAccount groups operations. To Porcupine the client is the account: which of its traders asked makes no difference.
func byAccount(all []porcupine.Operation) map[int][]porcupine.Operation {
	parts := map[int][]porcupine.Operation{}
	for _, o := range all {
		parts[o.ClientId] = append(parts[o.ClientId], o)
	}
	return parts
}

// Ask carries out a request that was not carried out before. It returns whether this agrees with what the clients were
// told, and the state after it.
func (s state) ask(asked *request, told *answer) (bool, state) {
	if told != nil && !told.equals(asked.first) {
		return false, s
	}
	if s.done.has(asked.at) {
		return true, s
	}
	after, reason := s.carryOut(asked)
	return asked.first == nil || asked.first.Reason == reason, after
}

// CarryOut returns the state after a request, and the reason if it was rejected: it is done then, too.
func (s state) carryOut(asked *request) (state, string) {
	after := state{done: s.done.with(asked.at), resting: s.resting, cash: s.cash}
	switch asked.Do {
	case "place":
		if s.cash[asked.Market] < asked.cost() {
			return after, "insufficient-cash"
		}
		after.resting = append(append([]*request{}, s.resting...), asked)
		after.cash = s.cashWith(asked.Market, -asked.cost())
	case "cancel":
		for i, r := range s.resting {
			if o := r.order(); o.Market == asked.Market && o.Order == asked.Order {
				after.resting = append(append([]*request{}, s.resting[:i]...), s.resting[i+1:]...)
				after.cash = s.cashWith(r.Market, r.cost())
				return after, ""
			}
		}
		return after, "unknown-order"
	case "deposit":
		after.cash = s.cashWith(asked.Market, asked.Amount)
	case "withdraw":
		if s.cash[asked.Market] < asked.Amount {
			return after, "insufficient-cash"
		}
		after.cash = s.cashWith(asked.Market, -asked.Amount)
	}
	return after, ""
}

// What an order locks.
func (r *request) cost() int {
	return r.Price * r.Quantity
}

// Order is how a read shows a request that rests. Its number is 0 if the venue never told it.
func (r *request) order() order {
	o := order{Market: r.Market, Price: r.Price, Quantity: r.Quantity}
	if r.first != nil {
		o.Order = r.first.Order
	}
	return o
}

// CashWith returns what is free after so much was added to a market.
func (s state) cashWith(market, amount int) map[int]int {
	after := map[int]int{}
	for m, cash := range s.cash {
		after[m] = cash
	}
	after[market] += amount
	return after
}

// Shows says whether a read shows the orders that rest: each once, and no other. An order whose number the venue never told
// may have any.
func (s state) shows(orders []order) bool {
	left := map[order]int{}
	for _, o := range orders {
		left[o]++
	}
	var untold []order
	for _, r := range s.resting {
		o := r.order()
		if o.Order == 0 {
			untold = append(untold, o)
		} else if left[o]--; left[o] < 0 {
			return false
		}
	}
	for o, count := range left {
		o.Order = 0
		for ; count > 0; count-- {
			untold = without(untold, o)
		}
	}
	return len(orders) == len(s.resting) && len(untold) == 0
}

// Without returns the list without one that is equal to this.
func without(list []order, o order) []order {
	for i := range list {
		if list[i] == o {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

// Holds says whether a read shows what is free and what the orders lock.
func (s state) holds(shown []money) bool {
	locked := map[int]int{}
	for _, r := range s.resting {
		locked[r.Market] += r.cost()
	}
	for _, m := range shown {
		if cash, there := s.cash[m.Market]; !there || m.Cash != cash || m.Locked != locked[m.Market] {
			return false
		}
	}
	return len(shown) == len(s.cash)
}
