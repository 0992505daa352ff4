/** The known name that somebody meant who wrote an unknown one. */
import { distance } from "fastest-levenshtein";

/** nearestOf finds the known name that is nearest. @returns null where none is known */
export function nearestOf(name: string, known: readonly string[]): string | null {
  return [...known].sort((a, b) => distance(name, a) - distance(name, b))[0] ?? null;
}
