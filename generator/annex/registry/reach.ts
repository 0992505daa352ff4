/** openReach tells which of some things each thing leads to. The search goes back, from each of them to whatever leads to it: few are looked for, and
 *  many lead there.
 *  @param named what each thing names
 *  @param ends things that are looked for */
export function openReach<T>(named: Iterable<readonly [T, Iterable<T>]>, ends: Iterable<T>): (start: T) => readonly T[] {
  const users = new Map<T, T[]>();
  for (const [from, all] of named) for (const to of all) push(users, to, from);
  const found = new Map<T, T[]>();
  for (const end of ends) {
    const seen = new Set([end]);
    for (const one of seen) {
      push(found, one, end);
      for (const user of users.get(one) ?? []) seen.add(user);
    }
  }
  return (start) => found.get(start) ?? [];
}

/** push puts a value into the list of a key. */
export function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
