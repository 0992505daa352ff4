/** lazily makes a function that loads its module when it is called: who runs one command loads none of the others. */
export function lazily<A extends unknown[], R>(load: () => Promise<(...given: A) => R | Promise<R>>): (...given: A) => Promise<R> {
  return async (...given) => (await load())(...given);
}
