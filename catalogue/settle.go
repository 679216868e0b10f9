package catalogue

// order gives one of the snapshot's orders, up to date.
func (s *snapshot) order(i int) order {
	if k := &s.t.orders[i]; k.upTo == s.t.changes {
		return k.order
	}
	if o := s.settled[i].Load(); o != nil {
		return *o
	}
	s.c.state.Lock()
	defer s.c.state.Unlock()
	return s.settle(i)
}

// settle brings an order of the snapshot up to date: by way of the collection's
// own, which serves the next snapshots too, or if that is ahead already in a
// fork. The state's mutex is held.
func (s *snapshot) settle(i int) order {
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
