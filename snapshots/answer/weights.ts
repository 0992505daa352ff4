/** Weights that were learnt of judged questions: `npm run -s eval -- DIR --answers FILE --learn` writes this file. Each is of a feature as it
 *  is measured (features.ts). */
export const ORDER = {
  "share of the topic's words said": 2.343,
  "more of them in the headings": -0.06129,
  "share of them in the heading": 3.313,
  "share of the heading that they are": 1.116,
  "heading, of the first below it": 1.895,
  "nearness to the heading": 0.5997,
  "neighbours of the question said": 4.065,
  "text: share of the best score": 0.9737,
  "text: nearness to the first": 0.8791,
  "passage: share of the best score": 1.879,
  "passage: nearness of meaning": 0.7247,
  "passage: the same, within the answer": 1.46,
  "how, and a step or a command": 0.3935,
  "definition, where one is asked for": 1.578,
  "reason, where one is asked for": 1.084,
  "asks itself": -0.9191,
  "stands under a question": 1.56,
  length: 0.5452,
  "share of the topic's words in the section": 1.437,
} as const;

/** How far behind the first quote, by the order, another one may be. */
export const BESIDE = 6.443;

/** Nearness of the nearest passage and of the first quote's, in the mean. */
export const USUAL = { nearest: 0.5812, first: 0.4958 } as const;

/** That something here answers at all, and that one of the first three quotes does. */
export const DECISIONS = {
  here: {
    bias: -7.986,
    enough: 0.6782,
    weights: {
      "share of the topic's words said": 1.296,
      "share of them in the section or the title": 2.916,
      "share of them in the heading": 0.5121,
      "neighbours of the question said": 2.083,
      "the rarest of them said, or in the headings": -0.122,
      "most of them in one section": 2.923,
      "search: the best score, by their worth": 0.862,
      "nearness of the nearest passage": 6.657,
      "nearness of the first quote's passage": 5.516,
      "few words": -5.642,
      "score of the first quote": 0.224,
      "lead over the next text": 0.08458,
      "a statement or words alone": 0.1291,
    },
  },
  answered: {
    bias: -1.527,
    enough: 0.4717,
    weights: {
      "share of the topic's words said": 1.537,
      "share of them in the section or the title": 0.632,
      "share of them in the heading": 1.109,
      "neighbours of the question said": 0.1824,
      "the rarest of them said, or in the headings": 1.02,
      "most of them in one section": 1.473,
      "search: the best score, by their worth": 0.4932,
      "nearness of the nearest passage": -1.529,
      "nearness of the first quote's passage": -1.059,
      "few words": -4.574,
      "score of the first quote": 0.08554,
      "lead over the next text": 0.2612,
      "a statement or words alone": 0.2404,
    },
  },
} as const;
