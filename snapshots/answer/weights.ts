/** Weights that were learnt of judged questions: `npm run -s eval -- DIR --answers FILE --learn` writes this file. Each is of a feature as it
 *  is measured (features.ts). */
/** Digest of the features that they weigh (generator/eval/features-print.ts). */
export const LEARNT_OF = "9c4a348a0252e6a7704f4b3f6cb8ea2fd526ab4a132c951004c62f6374bb1477";

export const ORDER = {
  "share of the topic's words said": 2.169,
  "more of them in the headings": -0.3699,
  "share of them in the heading": 3.397,
  "share of the heading that they are": 0.8963,
  "heading, of the first below it": 2.086,
  "nearness to the heading": 0.396,
  "neighbours of the question said": 4.245,
  "text: share of the best score": 0.5296,
  "text: nearness to the first": 0.8627,
  "passage: share of the best score": 2.191,
  "passage: nearness of meaning": 0.7218,
  "passage: the same, within the answer": 1.55,
  "how, and a step or a command": 0.3856,
  "definition, where one is asked for": 1.568,
  "reason, where one is asked for": 1.07,
  "asks itself": -0.8498,
  "stands under a question": 1.489,
  "length": 0.5069,
  "share of the topic's words in the section": 1.209,
} as const;

/** How far behind the first quote, by the order, another one may be. */
export const BESIDE = 6.263;

/** Nearness of the nearest passage and of the first quote's, in the mean. */
export const USUAL = { nearest: 0.5831, first: 0.4974 } as const;

/** That something here answers at all, and that one of the first three quotes does. */
export const DECISIONS = {
  here: {
    bias: -7.804,
    enough: 0.6674,
    weights: {
      "share of the topic's words said": 1.239,
      "share of them in the section or the title": 3.167,
      "share of them in the heading": 0.4818,
      "neighbours of the question said": 2.037,
      "the rarest of them said, or in the headings": -0.2195,
      "most of them in one section": 2.882,
      "search: the best score, by their worth": 0.9102,
      "nearness of the nearest passage": 6.668,
      "nearness of the first quote's passage": 5.479,
      "few words": -5.953,
      "score of the first quote": 0.2335,
      "lead over the next text": 0.1028,
      "a statement or words alone": 0.18,
    },
  },
  answered: {
    bias: -2.473,
    enough: 0.5726,
    weights: {
      "share of the topic's words said": 0.6361,
      "share of them in the section or the title": 0.7208,
      "share of them in the heading": 0.3693,
      "neighbours of the question said": 0.3398,
      "the rarest of them said, or in the headings": 0.7991,
      "most of them in one section": 0.7088,
      "search: the best score, by their worth": 0.2817,
      "nearness of the nearest passage": -0.2836,
      "nearness of the first quote's passage": -0.1076,
      "few words": -0.8942,
      "score of the first quote": 0.05536,
      "lead over the next text": 0.1137,
      "a statement or words alone": 0.08786,
    },
  },
} as const;
