/** Weights that were learnt of judged questions: `npm run -s eval -- DIR --answers FILE --learn` writes this file. Each is of a feature as it
 *  is measured (features.ts). */
export const ORDER = {
  "share of the topic's words said": 2.006,
  "more of them in the headings": -0.3314,
  "more of them in the title": -2.064,
  "share of them in the heading": 3.939,
  "share of the heading that they are": 0.7544,
  "heading, of the first below it": 1.753,
  "nearness to the heading": 0.636,
  "neighbours of the question said": 3.972,
  "text: share of the best score": 1.848,
  "text: nearness to the first": 0.8687,
  "passage: share of the best score": 1.952,
  "passage: nearness of meaning": 2.213,
  "passage: the same, within the answer": 1.752,
  "how, and a step or a command": 0.4519,
  "definition, where one is asked for": 1.156,
  "reason, where one is asked for": 1.206,
  "number, where one is asked for": 0.3626,
  "item of a list": 0.05451,
  "entry of a table": -0.8497,
  "asks itself": -1.505,
  length: 0.7933,
  "share of the topic's words in the section": 1.635,
} as const;

/** How far behind the first quote, by the order, another one may be. */
export const BESIDE = 4.914;

/** Nearness of the nearest passage and of the first quote's, in the mean. */
export const USUAL = { nearest: 0.5812, first: 0.5023 } as const;

/** That something here answers at all, and that one of the first three quotes does. */
export const DECISIONS = {
  here: {
    bias: -7.507,
    enough: 0.6803,
    weights: {
      "share of the topic's words said": 1.068,
      "share of them in the section or the title": 2.837,
      "share of them in the heading": 0.7188,
      "neighbours of the question said": 1.719,
      "the rarest of them said, or in the headings": -0.6044,
      "most of them in one section": 3.09,
      "search: the best score, by their worth": 1.052,
      "nearness of the nearest passage": 6.839,
      "nearness of the first quote's passage": 5.74,
      "few words": -5.763,
      "score of the first quote": 0.1593,
      "lead over the next text": 0.108,
      "a statement or words alone": 0.008262,
    },
  },
  answered: {
    bias: -1.811,
    enough: 0.3932,
    weights: {
      "share of the topic's words said": 1.77,
      "share of them in the section or the title": -0.2438,
      "share of them in the heading": 1.287,
      "neighbours of the question said": 0.8769,
      "the rarest of them said, or in the headings": 1.163,
      "most of them in one section": 2.285,
      "search: the best score, by their worth": 0.813,
      "nearness of the nearest passage": -1.743,
      "nearness of the first quote's passage": -0.5755,
      "few words": -4.446,
      "score of the first quote": 0.02602,
      "lead over the next text": 0.2577,
      "a statement or words alone": 0.02324,
    },
  },
} as const;
