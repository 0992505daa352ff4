/** Who made an object, when, and under which terms, as it says itself or as its library says of it. */

export type About = {
  /** Names in their order; [] when nobody is named. */
  readonly authors: readonly string[];
  /** A year, a month or a day: 2024, 2024-05, 2024-05-17; null when none is stated. */
  readonly date: string | null;
  /** An SPDX expression where the terms are known ones, else as they are written; null when they are not stated. */
  readonly license: string | null;
};

export const NO_ABOUT: About = { authors: [], date: null, license: null };
