/** The reviews annex reads who has read a statement and found it faithful, who doubts it, and what shows that it is not vacuous.
 *  It takes files of people and signed statements; it gives what they say of a record at a meaning.
 *  No standing follows from it: it stands beside. */
export { type Mentions, withWitnesses } from "./witness.ts";
export {
  cutAlike,
  openReview,
  readReviewFile,
  readReviews,
  type Review,
  type Reviews,
  reviewsJsonSchema,
  type ReviewStatement,
  type SealedReview,
  stateReview,
} from "./reviews.ts";
