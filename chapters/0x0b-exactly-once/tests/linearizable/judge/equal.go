package main

// A set of small numbers, a bit for each. It is never changed.
type set []uint64

func (s set) has(n int) bool {
	return n/64 < len(s) && s[n/64]>>(n%64)&1 == 1
}

func (s set) with(n int) set {
	size := len(s)
	if size <= n/64 {
		size = n/64 + 1
	}
	more := make(set, size)
	copy(more, s)
	more[n/64] |= 1 << (n % 64)
	return more
}

func (s set) equals(other set) bool {
	if len(s) != len(other) {
		return false
	}
	for i := range s {
		if s[i] != other[i] {
			return false
		}
	}
	return true
}

func (a *answer) equals(other *answer) bool {
	return a.Reason == other.Reason && a.Order == other.Order && a.Text == other.Text
}

// Equals says whether two states are the same; in which order the orders came to rest makes no difference.
func (s state) equals(other state) bool {
	if !s.done.equals(other.done) || len(s.resting) != len(other.resting) {
		return false
	}
	rests := map[*request]bool{}
	for _, r := range s.resting {
		rests[r] = true
	}
	for _, r := range other.resting {
		if !rests[r] {
			return false
		}
	}
	for market, cash := range s.cash {
		if other.cash[market] != cash {
			return false
		}
	}
	return true
}
