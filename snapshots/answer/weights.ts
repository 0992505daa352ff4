/** Weights that were learnt of judged questions: `npm run -s eval -- DIR --answers FILE --learn` writes this file. Each is of a feature as it
 *  is measured (features.ts). */
/** Digest of the features that they weigh (generator/eval/features-print.ts). */
export const LEARNT_OF = "5c10d9f3f4fb952814b3709d814f280b1d8be6c403b92343c096a6f6557c75be";

export const ORDER = {
  "share of the topic's words said": 2.321,
  "likeness of the heading": 6.286,
  "nearness to the heading": 0.9303,
  "neighbours of the question said": 4.15,
  "text: share of the best score": 1.277,
  "text: nearness to the first": 0.7278,
  "passage: share of the best score": 2.981,
  "passage: nearness of meaning, within the answer": 1.635,
  "reason, where one is asked for": 1.301,
  "stands under a question": 1.784,
  length: 0.6712,
} as const;

/** How far behind the first quote, by the order, another one may be. */
export const BESIDE = 3.147;

/** Nearness of the nearest passage and of the first quote's, in the mean. */
export const USUAL = { nearest: 0.5827, first: 0.4978 } as const;

/** That something here answers at all, and that one of the first three quotes does. */
export const DECISIONS = {
  here: {
    bias: -8.794,
    enough: 0.6854,
    weights: {
      "share of the topic's words said": 0.5433,
      "share of them in the section or the title": 2.588,
      "neighbours of the question said": 2.216,
      "most of them in one section": 4.344,
      "search: the best score, by their worth": 1.512,
      "nearness of the nearest passage": 7.508,
      "nearness of the first quote's passage": 6.391,
      "few words": -8.198,
      "score of the first quote": 0.2619,
      "lead over the next text": 0.1456,
    },
  },
  answered: {
    bias: -2.759,
    enough: 0.5058,
    weights: {
      "share of the topic's words said": 0.4426,
      "share of them in the section or the title": 1.989,
      "neighbours of the question said": 0.03231,
      "most of them in one section": 0.7579,
      "search: the best score, by their worth": 0.5759,
      "nearness of the nearest passage": -0.6982,
      "nearness of the first quote's passage": -0.5849,
      "few words": -1.974,
      "score of the first quote": 0.1377,
      "lead over the next text": 0.2193,
    },
  },
} as const;
