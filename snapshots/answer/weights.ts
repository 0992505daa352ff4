/** Weights that were learnt of judged questions: `npm run -s eval -- DIR --answers FILE --learn` writes this file. Each is of a feature as it
 *  is measured (features.ts). */
/** LEARNT_OF is the digest of the features that these weights weigh (generator/eval/features-print.ts). */
export const LEARNT_OF = "e87e9468e6e9b9b2628cb3864c84f08eddd2774dc6f191057ccbf1abaef11371";

export const ORDER = {
  "share of the topic's words said": 2.336,
  "likeness of the heading": 6.033,
  "nearness to the heading": 0.909,
  "neighbours of the question said": 4.135,
  "text: share of the best score": 1.122,
  "text: nearness to the first": 0.7619,
  "passage: share of the best score": 3.015,
  "passage: nearness of meaning, within the answer": 1.654,
  "definition, where one is asked for": 1.676,
  "reason, where one is asked for": 1.229,
  "stands under a question": 1.791,
  length: 0.686,
} as const;

/** BESIDE is how far behind the first quote's score another quote's score may be. */
export const BESIDE = 3.777;

/** USUAL is the mean nearness of the nearest passage and of the first quote's passage. */
export const USUAL = { nearest: 0.5827, first: 0.4966 } as const;

/** DECISIONS weigh two questions: whether anything here answers at all, and whether one of the first three quotes does. */
export const DECISIONS = {
  here: {
    bias: -8.984,
    enough: 0.6927,
    weights: {
      "share of the topic's words said": 0.2636,
      "share of them in the section or the title": 2.636,
      "neighbours of the question said": 2.212,
      "most of them in one section": 4.396,
      "search: the best score, by their worth": 1.528,
      "nearness of the nearest passage": 7.61,
      "nearness of the first quote's passage": 6.307,
      "few words": -8.06,
      "score of the first quote": 0.2834,
      "lead over the next text": 0.1121,
    },
  },
  answered: {
    bias: -2.834,
    enough: 0.514,
    weights: {
      "share of the topic's words said": 0.7016,
      "share of them in the section or the title": 1.67,
      "neighbours of the question said": -0.05111,
      "most of them in one section": 0.7639,
      "search: the best score, by their worth": 0.6151,
      "nearness of the nearest passage": -0.5766,
      "nearness of the first quote's passage": -0.8193,
      "few words": -1.92,
      "score of the first quote": 0.1474,
      "lead over the next text": 0.2333,
    },
  },
} as const;
