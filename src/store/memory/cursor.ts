import {
  type FollowerMove,
  type FollowerRecord,
  type FollowerStore,
  type FollowerTaken,
  type FollowerWish,
  movedFollower,
  takenFollower,
} from '../cursor.ts';
import { deepFreeze, type Tables } from './tables.ts';

type Transact = <Answer>(body: (tables: Tables) => Answer) => Promise<Answer>;

export function followersIn(transact: Transact): FollowerStore {
  return {
    takeFollower: (wish) => transact((tables) => take(tables, wish)),
    moveFollower: (move) => transact((tables) => moveOn(tables, move)),
    listFollowers: () => transact((tables) => tables.followers.values().sort(byName)),
    removeFollower: (name) => transact((tables) => remove(tables, name)),
  };
}

function take({ followers, clock }: Tables, wish: FollowerWish): FollowerTaken {
  const at = clock.now();
  const before = followers.get(wish.name) ?? null;
  const record = takenFollower(before, wish, at);
  if (record === null) return { isTaken: false, record: before!, at };
  followers.set(wish.name, deepFreeze(record));
  return { isTaken: true, record, at };
}

function moveOn({ followers, clock }: Tables, move: FollowerMove): FollowerRecord | null {
  const record = movedFollower(followers.get(move.name) ?? null, move, clock.now());
  if (record !== null) followers.set(move.name, deepFreeze(record));
  return record;
}

function remove({ followers }: Tables, name: string): boolean {
  const isThere = followers.get(name) !== undefined;
  followers.delete(name);
  return isThere;
}

function byName(one: FollowerRecord, other: FollowerRecord): number {
  return one.name < other.name ? -1 : 1;
}
