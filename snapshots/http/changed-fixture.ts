/** changed returns an open view or snapshot with some of its members exchanged: it has private fields, which a spread would not take along. */
export function changed<T extends object>(whole: T, change: Partial<T>): T {
  return new Proxy(whole, {
    get(target, name) {
      const value: unknown = Reflect.get(name in change ? change : target, name);
      return typeof value === "function" && !(name in change) ? value.bind(target) : value;
    },
  });
}
