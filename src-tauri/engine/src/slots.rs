//! Who may work at once: slots for sidekicks, given fairly.
//!
//! A sidekick holds a slot while it works, not while it waits for a person. One that gets none is
//! remembered here and started when another ends; nothing asks again and again. What a person
//! waits for comes first, then the rooms take turns, and within a room the first come is first.

use plan::{PlanId, RoomId};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A sidekick that would like to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wish {
    /// The sidekick.
    pub(crate) room: RoomId,
    /// The room at the top, whose person it works for in the end.
    pub(crate) root: RoomId,
    /// Whether a person waits for it.
    pub(crate) urgent: bool,
    /// How many may work for that room at once.
    pub(crate) most: u32,
    /// The plan it works for, and how many may work for that at once.
    pub(crate) pool: Option<(PlanId, u32)>,
}

/// Slots and who waits for one.
#[derive(Default)]
pub(crate) struct Slots {
    queue: Mutex<Queue>,
}

impl Slots {
    /// Takes a slot, or a place in the queue; whether it is a slot.
    pub(crate) fn take(&self, wish: Wish, most: u32) -> bool {
        self.lock().take(wish, most)
    }

    /// Whether a sidekick has a slot.
    pub(crate) fn holds(&self, room: RoomId) -> bool {
        self.lock().holders.contains_key(&room)
    }

    /// Whether a sidekick waits for a slot.
    pub(crate) fn is_waiting(&self, room: RoomId) -> bool {
        self.lock().waiting.iter().any(|wish| wish.room == room)
    }

    /// Gives back what a sidekick has, and says who is next.
    pub(crate) fn give_back(&self, room: RoomId, most: u32) -> Vec<RoomId> {
        self.lock().give_back(room, most)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct Queue {
    /// Those with a slot.
    holders: BTreeMap<RoomId, Wish>,
    waiting: VecDeque<Wish>,
    /// When each room was last given a slot, by count.
    served: BTreeMap<RoomId, u64>,
    count: u64,
}

impl Queue {
    fn take(&mut self, wish: Wish, most: u32) -> bool {
        if self.holders.contains_key(&wish.room) {
            return true;
        }
        // Who asks again keeps its place.
        match self.waiting.iter_mut().find(|known| known.room == wish.room) {
            Some(known) => *known = wish,
            None => self.waiting.push_back(wish),
        }
        // Those before it in the queue are not passed by: it gets a slot only when it is next.
        self.is_free(most) && self.next() == Some(wish) && self.give(wish)
    }

    fn give_back(&mut self, room: RoomId, most: u32) -> Vec<RoomId> {
        self.holders.remove(&room);
        self.waiting.retain(|wish| wish.room != room);
        let mut given = Vec::new();
        while self.is_free(most)
            && let Some(wish) = self.next()
        {
            self.give(wish);
            given.push(wish.room);
        }
        if self.holders.is_empty() && self.waiting.is_empty() {
            self.served.clear();
        }
        given
    }

    fn is_free(&self, most: u32) -> bool {
        self.holders.len() < most as usize
    }

    /// Who is next: what is urgent, then the room that was served longest ago, then first come.
    fn next(&self) -> Option<Wish> {
        let count =
            |fits: &dyn Fn(&Wish) -> bool| self.holders.values().filter(|one| fits(one)).count();
        let held = |wish: &Wish| count(&|one| one.root == wish.root);
        let has_room = |wish: &Wish| {
            wish.pool.is_none_or(|(plan, most)| {
                count(&|one| one.pool.is_some_and(|(of, _)| of == plan)) < most as usize
            })
        };
        let place = |wish: &&Wish| {
            (!wish.urgent, held(wish), self.served.get(&wish.root).copied().unwrap_or(0))
        };
        let may = |wish: &&Wish| held(wish) < wish.most as usize && has_room(wish);
        self.waiting.iter().filter(may).min_by_key(place).copied()
    }

    fn give(&mut self, wish: Wish) -> bool {
        self.count += 1;
        self.served.insert(wish.root, self.count);
        self.waiting.retain(|known| known.room != wish.room);
        self.holders.insert(wish.room, wish);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(n: u128) -> RoomId {
        RoomId(uuid::Uuid::from_u128(n))
    }

    fn wish(root: u128, n: u128) -> Wish {
        let (room, root) = (room(root * 1_000 + n), room(root));
        Wish { room, root, urgent: false, most: 100, pool: None }
    }

    #[test]
    fn of_twenty_wishes_three_work_at_once_and_all_do_in_the_end() {
        let mut queue = Queue::default();
        let given = (1..=20).filter(|n| queue.take(wish(1, *n), 3)).count();
        assert_eq!((given, queue.holders.len(), queue.waiting.len()), (3, 3, 17));
        let mut order = vec![1, 2, 3];
        for n in 1..=20 {
            for next in queue.give_back(room(1_000 + order[n - 1]), 3) {
                order.push(next.0.as_u128() - 1_000);
            }
            assert!(queue.holders.len() <= 3);
        }
        assert_eq!(order, (1..=20).collect::<Vec<_>>());
        assert!(queue.served.is_empty() && queue.holders.is_empty());
    }

    #[test]
    fn two_rooms_share_fairly_whoever_came_first() {
        let mut queue = Queue::default();
        for n in 1..=10 {
            queue.take(wish(1, n), 4);
        }
        for n in 1..=10 {
            queue.take(wish(2, n), 4);
        }
        // The first room was alone and took all; from here on the other catches up.
        let mut held: Vec<RoomId> = queue.holders.keys().copied().collect();
        assert_eq!(held.len(), 4);
        let mut roots = Vec::new();
        for _ in 0..8 {
            let first = held.remove(0);
            for next in queue.give_back(first, 4) {
                roots.push(next.0.as_u128() / 1_000);
                held.push(next);
            }
        }
        assert_eq!(roots, [2, 2, 1, 1, 2, 2, 1, 1]);
        let of = |root| queue.holders.values().filter(|one| one.root == room(root)).count();
        assert_eq!((of(1), of(2)), (2, 2));
    }

    #[test]
    fn a_room_has_no_more_at_once_than_it_may_and_others_pass_by() {
        let mut queue = Queue::default();
        let few = |n| Wish { most: 2, ..wish(1, n) };
        let given: Vec<bool> = (1..=4).map(|n| queue.take(few(n), 6)).collect();
        assert_eq!(given, [true, true, false, false]);
        assert!(queue.take(wish(2, 1), 6), "another room is not held up");
        assert_eq!(queue.give_back(room(2_001), 6), []);
        assert_eq!(queue.give_back(room(1_001), 6), [room(1_003)]);
    }

    #[test]
    fn a_plan_has_no_more_at_once_than_it_may_and_what_a_person_asked_for_passes_by() {
        let mut queue = Queue::default();
        let plan = |n| Some((PlanId(uuid::Uuid::from_u128(n)), 2));
        let of_plan = |n| Wish { pool: plan(1), ..wish(1, n) };
        let given: Vec<bool> = (1..=3).map(|n| queue.take(of_plan(n), 6)).collect();
        assert_eq!(given, [true, true, false]);
        assert!(!queue.take(Wish { urgent: true, ..of_plan(4) }, 6), "an answer makes no place");
        assert!(queue.take(wish(1, 5), 6) && queue.take(Wish { pool: plan(2), ..wish(1, 6) }, 6));
        assert_eq!(queue.give_back(room(1_005), 6), []);
        assert_eq!(queue.give_back(room(1_001), 6), [room(1_004)]);
        assert_eq!(queue.give_back(room(1_002), 6), [room(1_003)]);
    }

    #[test]
    fn what_a_person_waits_for_comes_first() {
        let mut queue = Queue::default();
        for n in 1..=5 {
            queue.take(wish(1, n), 1);
        }
        queue.take(Wish { urgent: true, ..wish(1, 9) }, 1);
        assert_eq!(queue.give_back(room(1_001), 1), [room(1_009)]);
        assert_eq!(queue.give_back(room(1_009), 1), [room(1_002)]);
    }

    #[test]
    fn who_asks_again_keeps_its_place() {
        let mut queue = Queue::default();
        for n in [1, 2, 3, 2] {
            queue.take(wish(1, n), 1);
        }
        assert_eq!(queue.give_back(room(1_001), 1), [room(1_002)]);
        assert_eq!(queue.give_back(room(1_002), 1), [room(1_003)]);
    }

    #[test]
    fn who_leaves_the_queue_is_not_given_a_slot() {
        let mut queue = Queue::default();
        for n in 1..=3 {
            queue.take(wish(1, n), 1);
        }
        assert!(queue.take(wish(1, 1), 1), "who has a slot keeps it");
        assert_eq!(queue.give_back(room(1_002), 1), []);
        assert_eq!(queue.give_back(room(1_001), 1), [room(1_003)]);
        // More slots than before: those who wait get them when the next one is given back.
        queue.take(wish(1, 4), 1);
        queue.take(wish(1, 5), 1);
        assert_eq!(queue.give_back(room(9), 3), [room(1_004), room(1_005)]);
    }
}
