/** The reviews annex reads who has read a statement and found it faithful, who doubts it, and what shows that it is not vacuous.
 *  It takes files of people, signed or not; it gives what they say of a record at a meaning.
 *  No standing follows from it: it stands beside. */
export { withWitnesses } from "./witness.ts";
export { readReviews, reviewsJsonSchema } from "./reviews.ts";
