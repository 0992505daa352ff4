/** The reviews annex reads who has read a statement and found it faithful, and who doubts it.
 *  It takes files of people, signed or not; it gives what they say of a record at a meaning.
 *  No standing follows from it: it stands beside. */
export { readReviews, reviewsJsonSchema } from "./reviews.ts";
