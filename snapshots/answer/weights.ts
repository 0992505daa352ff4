/** Weights that were learnt of judged questions: `npm run -s eval -- DIR --answers FILE --learn` writes this file. Each is of a feature as it
 *  is measured (features.ts). */
/** Digest of the features that they weigh (generator/eval/features-print.ts). */
export const LEARNT_OF = "9c4a348a0252e6a7704f4b3f6cb8ea2fd526ab4a132c951004c62f6374bb1477";

export const ORDER = {
  "share of the topic's words said": 2.173,
  "more of them in the headings": -0.3705,
  "share of them in the heading": 3.417,
  "share of the heading that they are": 0.8953,
  "heading, of the first below it": 2.085,
  "nearness to the heading": 0.3977,
  "neighbours of the question said": 4.244,
  "text: share of the best score": 0.5381,
  "text: nearness to the first": 0.8606,
  "passage: share of the best score": 2.185,
  "passage: nearness of meaning": 0.7233,
  "passage: the same, within the answer": 1.548,
  "how, and a step or a command": 0.3882,
  "definition, where one is asked for": 1.56,
  "reason, where one is asked for": 1.059,
  "asks itself": -0.8092,
  "stands under a question": 1.493,
  length: 0.5017,
  "share of the topic's words in the section": 1.205,
} as const;

/** How far behind the first quote, by the order, another one may be. */
export const BESIDE = 6.293;

/** Nearness of the nearest passage and of the first quote's, in the mean. */
export const USUAL = { nearest: 0.5831, first: 0.4974 } as const;

/** That something here answers at all, and that one of the first three quotes does. */
export const DECISIONS = {
  here: {
    bias: -7.802,
    enough: 0.668,
    weights: {
      "share of the topic's words said": 1.241,
      "share of them in the section or the title": 3.167,
      "share of them in the heading": 0.4777,
      "neighbours of the question said": 2.037,
      "the rarest of them said, or in the headings": -0.2189,
      "most of them in one section": 2.881,
      "search: the best score, by their worth": 0.9094,
      "nearness of the nearest passage": 6.667,
      "nearness of the first quote's passage": 5.48,
      "few words": -5.954,
      "score of the first quote": 0.2335,
      "lead over the next text": 0.1023,
      "a statement or words alone": 0.1797,
    },
  },
  answered: {
    bias: -2.471,
    enough: 0.4332,
    weights: {
      "share of the topic's words said": 0.6363,
      "share of them in the section or the title": 0.7206,
      "share of them in the heading": 0.3683,
      "neighbours of the question said": 0.3401,
      "the rarest of them said, or in the headings": 0.7989,
      "most of them in one section": 0.7083,
      "search: the best score, by their worth": 0.2816,
      "nearness of the nearest passage": -0.283,
      "nearness of the first quote's passage": -0.1072,
      "few words": -0.8933,
      "score of the first quote": 0.0552,
      "lead over the next text": 0.1134,
      "a statement or words alone": 0.08772,
    },
  },
} as const;
