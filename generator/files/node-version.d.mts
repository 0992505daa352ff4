/** Major and minor. */
export const OLDEST: readonly [number, number];
export function isTooOld(version?: string): boolean;
