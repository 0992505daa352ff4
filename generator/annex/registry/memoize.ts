type Kept<K, V> = { get(key: K): V | undefined; set(key: K, value: V): unknown; has(key: K): boolean };

/** memoize makes a function that works out once what follows from a value: a file is of many records, and a database of all.
 *  @param known a WeakMap where the function outlives its values */
export function memoize<K, V>(make: (of: K) => V, known: Kept<K, V> = new Map<K, V>()): (of: K) => V {
  return (of) => {
    if (!known.has(of)) known.set(of, make(of));
    return known.get(of) as V;
  };
}
