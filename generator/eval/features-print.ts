/** featuresPrint is a digest of what the weights of answers weigh: the numbers of a few questions about a few texts. The command that learns
 *  writes it beside the weights, and a test compares the two, so that nobody changes a feature or the reading of blocks and leaves the weights
 *  of the day before. */
import {
  Candidates,
  DECISION_FEATURES,
  decisionFeatures,
  FEATURES,
  type TextFindings,
  rankCandidates,
  readQuestion,
  type AnswerSource,
  subjectOf,
} from "../../snapshots/answer/index.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { words } from "../../snapshots/words/words.ts";

const TEXTS = {
  "seals.md":
    "# Seals\n\nA seal is an animal with tusks or without.\n\n## How do I feed a seal?\n\nUse a *fish* and a spoon:\n\n```sh\nfeed --fish\n```\n\n| food | what it does |\n|--|--|\n| fish | makes the seal happy for a day |\n",
  "faq.txt":
    "FAQ\n===\n\nWhy does a seal bite?::\n\tBecause it is afraid, or because it plays.\n\nOther animals\n-------------\n\n- A walrus has tusks.\n- An otter has none.\n",
  "terms.rst":
    "Terms\n*****\n\n.. glossary::\n\n   walrus\n      A large seal with tusks.\n\nFeeding\n-------\n\nRun it as in::\n\n   feed --all\n",
  "page.html":
    '<body><h1>Otters</h1><p>An otter eats <a href="x">fish</a> &amp; mussels.</p><dl><dt id="feed.otter">feed.otter</dt><dd>Feeds one otter.</dd></dl><p><b>Why fish?</b></p><p>It has to be fed since it cannot fish itself.</p></body>',
  "paper.tex": "\\section{Seals}\nA seal $s \\le t$ is fed \\emph{daily}.\n\\begin{verbatim}\nfeed(seal)\n\\end{verbatim}\n",
} as const;
const KIND = { md: "markdown", txt: "text", rst: "text", html: "html", tex: "latex" } as const;
const QUESTIONS = [
  "How do I feed a seal?",
  "What is a walrus?",
  "why does it bite",
  "What is said about otters?",
  "A seal eats fish.",
  "tusks",
];

export function featuresPrint(): string {
  const rows = QUESTIONS.map((question) => {
    const worth = new Map([...new Set(words(subjectOf(question)))].map((word, at) => [word, 3 + at]));
    const sources = Object.entries(TEXTS).map(([key, source], at): AnswerSource => {
      const kind = KIND[key.slice(key.lastIndexOf(".") + 1) as keyof typeof KIND];
      const place = { doc: key, n: 0, key, title: key, kind, collection: "", heading: "", name: "", page: null, sha256: key };
      const row = { ...place, text: source, start_line: 1, end_line: source.split("\n").length };
      const found = { rank: at + 1, share: 1 / (1 + at), passages: [{ row, words: 0.5, near: 0.4 + at / 20 }] };
      return { found, key, title: key, kind, sha256: key, page: null, source, start_line: 1, above: [] };
    });
    const found: TextFindings = { results: [], texts: sources.map((one) => one.found), worth, score: 9, near: { high: 0.6, low: 0.3 } };
    const asked = readQuestion(question, worth);
    const flat = FEATURES.map(() => 1);
    const ranked = rankCandidates(asked, found, sources, new Candidates(), flat);
    return [ranked.map(({ features }) => features), decisionFeatures(asked, found, ranked)];
  });
  return sha256(
    JSON.stringify([FEATURES, DECISION_FEATURES, rows], (_, value: unknown) => (typeof value === "number" ? value.toFixed(6) : value)),
  );
}
