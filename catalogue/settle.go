package catalogue

// order gives one of the snapshot's orders, up to date.
func (s *snapshot) order(i int) order {
	if o := s.ready(i); o != nil {
		return o
	}
	s.c.state.Lock()
	defer s.c.state.Unlock()
	return s.settle(i)
}

// ready gives an order if it is up to date.
func (s *snapshot) ready(i int) order {
	if k := &s.t.orders[i]; k.upTo == s.t.changes {
		return k.order
	}
	if o := s.settled[i].Load(); o != nil {
		return *o
	}
	return nil
}

// settle is order for who holds the state's mutex. What an order misses is made
// up for in the collection's own, which serves the next snapshots too, or if
// that is ahead already in a fork.
func (s *snapshot) settle(i int) order {
	if o := s.ready(i); o != nil {
		return o
	}
	k, live := &s.t.orders[i], &s.c.live
	var o order
	if i := find(live.orders, k.terms); i >= 0 && live.orders[i].upTo <= s.t.changes {
		live.settle(&live.orders[i], s.t.changes)
		o = live.orders[i].share()
	} else {
		o = k.order.fork()
		o.apply(s.t.missed(k, s.t.changes))
	}
	s.settled[i].Store(&o)
	return o
}
