// Judge reads a history of what clients asked a venue and what they were told, as JSON from standard input, and has
// Porcupine judge it: is there an order of all operations, each between its call and its return, in which a venue that does
// one thing at a time gives just these answers? It prints the verdict, and ends with 0 if there is, with 1 if there is
// none, with 2 if the time was too short, and with 3 if it can't read the history.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// Porcupine may have to try every order of what was under way together: a history that keeps it busy for longer is
// undecided.
const enough = 20 * time.Second

// Of an account for which there is no order, so many operations are shown.
const lines = 4

func main() {
	read, err := decode(os.Stdin)
	if err != nil {
		fmt.Println("no history:", err)
		os.Exit(3)
	}
	var operations []porcupine.Operation
	for _, o := range needed(read.Operations) {
		// An operation that stays open ends after all others.
		end := int64(math.MaxInt64)
		if o.Return != nil {
			end = *o.Return
		}
		operations = append(operations, porcupine.Operation{
			Call: o.Call, Return: end, ClientId: o.Account, Input: o.Asked, Output: o.Told,
		})
	}
	model, began := venue(read.Cash, read.Markets), time.Now()
	verdict := porcupine.CheckOperationsTimeout(model, operations, enough)
	took := time.Since(began).Round(time.Millisecond)
	switch verdict {
	case porcupine.Ok:
		fmt.Printf("linearizable: %d operations, in %v\n", len(operations), took)
	case porcupine.Illegal:
		fmt.Println("not linearizable")
		_, info := porcupine.CheckOperationsVerbose(model, operations, enough)
		explain(operations, info)
		os.Exit(1)
	default:
		fmt.Printf("undecided: %d operations, after %v\n", len(operations), took)
		os.Exit(2)
	}
}

// Explain prints where Porcupine got stuck, for each account with which it did: the last operations of the longest order that
// it found, and of those that do not fit behind them the ones that returned first.
func explain(all []porcupine.Operation, info porcupine.LinearizationInfo) {
	whole := byAccount(all)
	for _, orders := range info.PartialLinearizationsOperations() {
		var longest []porcupine.Operation
		for _, fits := range orders {
			if len(fits) > len(longest) {
				longest = fits
			}
		}
		if len(longest) == 0 {
			continue
		}
		fits := map[int64]bool{}
		for _, o := range longest {
			fits[o.Call] = true
		}
		var rest []porcupine.Operation
		for _, o := range whole[longest[0].ClientId] {
			if !fits[o.Call] {
				rest = append(rest, o)
			}
		}
		sort.Slice(rest, func(a, b int) bool { return rest[a].Return < rest[b].Return })
		for at, o := range longest {
			if len(rest) > 0 && at+lines >= len(longest) {
				fmt.Println("  fits:        ", describe(o))
			}
		}
		for at, o := range rest {
			if at < lines {
				fmt.Println("  does not fit:", describe(o))
			}
		}
	}
}

func describe(o porcupine.Operation) string {
	asked, _ := json.Marshal(o.Input)
	told, _ := json.Marshal(o.Output)
	return fmt.Sprintf("%d to %d: %s -> %s", o.Call, o.Return, asked, told)
}
