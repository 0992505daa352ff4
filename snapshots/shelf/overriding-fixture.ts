/** overriding returns a shelf that answers as another one does, but for some of its members, for tests. */
export function overriding<T extends object>(shelf: T, members: Partial<NoInfer<T>>): T {
  return Object.assign(Object.create(shelf) as T, members);
}
