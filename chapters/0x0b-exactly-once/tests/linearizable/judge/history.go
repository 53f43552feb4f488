package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// A history is what all clients of a venue saw.
type history struct {
	// What each account has in each market at the beginning.
	Cash       int
	Markets    []int
	Operations []operation
}

// An operation is one call of a client, by the clock that all clients share.
type operation struct {
	Account int
	Call    int64
	// Nil where the client never had an answer: the request may be carried out at any later time, or never.
	Return *int64
	Asked  *request
	Told   *answer
}

// A number names a request of an account for ever.
type number struct {
	account      int
	kind         string
	lane, number int
}

func (o operation) numbered() number {
	kind := map[string]string{"place": "orders", "cancel": "cancels"}[o.Asked.Do]
	if kind == "" {
		kind = "money"
	}
	return number{o.Account, kind, o.Asked.Lane, o.Asked.Number}
}

func (o operation) isRead() bool {
	return o.Asked.Do == "orders" || o.Asked.Do == "money"
}

func decode(from io.Reader) (read history, err error) {
	decoder := json.NewDecoder(from)
	decoder.DisallowUnknownFields()
	if err = decoder.Decode(&read); err != nil {
		return
	}
	requests := map[number]*request{}
	counts := map[int]int{}
	first := map[*request]int64{}
	for i := range read.Operations {
		o := &read.Operations[i]
		if (o.Return == nil) != (o.Told == nil) || o.isRead() && o.Told == nil {
			return read, fmt.Errorf("operation %d: an answer has a time, and a read an answer", i)
		}
		if o.isRead() {
			continue
		}
		shared, again := requests[o.numbered()]
		if !again {
			shared, requests[o.numbered()] = o.Asked, o.Asked
			shared.at = counts[o.Account]
			counts[o.Account]++
		}
		if !shared.asksFor(o.Asked) {
			return read, fmt.Errorf("operation %d: its number was used for another request", i)
		}
		o.Asked = shared
		if at, there := first[shared]; o.Told != nil && (!there || *o.Return < at) {
			shared.first, first[shared] = o.Told, *o.Return
		}
	}
	return
}

// AsksFor says whether two requests want the same.
func (r *request) asksFor(other *request) bool {
	a, b := *r, *other
	a.at, a.first, b.at, b.first = 0, nil, 0, nil
	return a == b
}

// Needed leaves out what can't change the verdict and would double Porcupine's work each time: an operation that was never
// answered, if another with the same number was called before it. Where it could be the first to be carried out, the other
// could be so at the same moment; and behind the first it does nothing.
func needed(all []operation) (some []operation) {
	first := map[*request]int64{}
	for _, o := range all {
		if call, there := first[o.Asked]; !there || o.Call < call {
			first[o.Asked] = o.Call
		}
	}
	for _, o := range all {
		if o.Return != nil || o.Call == first[o.Asked] {
			some = append(some, o)
		}
	}
	return
}
