import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { findCitationProblem } from "../../snapshots/format/citation.ts";
import { NO_MODEL } from "../../snapshots/format/index.ts";
import { canonicalJson, sha256 } from "../../snapshots/digest.ts";
import { AskResponse } from "../../snapshots/schema/resources.ts";
import { type AnswerModel, limitModel, openAnswerModel } from "./answer-model.ts";
import { ask, type AskAnswer } from "./ask.ts";
import { askOptions, drain, makeLibrary, SNAPSHOT, TEXTS } from "./ask-fixture.ts";
import { askResponse } from "./ask-response.ts";
import { type Behaviour, event, excerptsOf, type ModelDouble, openModelDouble } from "./model-double.ts";

let double: ModelDouble;
before(async () => {
  double = await openModelDouble();
});
after(() => double.close());

const model = (): AnswerModel => openAnswerModel({ baseUrl: double.baseUrl, model: "double", apiKey: null, gateway: null });
const QUESTION = "Why is insertion sort stable?";

async function askWith(behaviour: Behaviour, question = QUESTION, deadline = 2_000, texts = TEXTS): Promise<AskAnswer> {
  double.behave(behaviour);
  const { answer, events } = await drain(ask({ question, prefix: "" }, makeLibrary(texts), askOptions({ model: model(), deadline })));
  checkAnswer(answer, texts);
  assert.equal(events.flatMap((item) => (item.type === "text" ? [item.text] : [])).join(""), answer.answer);
  return answer;
}

/** What holds for every answer, whoever wrote it. */
function checkAnswer(answer: AskAnswer, texts: Readonly<Record<string, string>> = TEXTS): void {
  assert.ok(AskResponse.safeParse(answer).success);
  for (const citation of answer.citations) {
    const text = texts[citation.key];
    assert.equal(findCitationProblem(citation, text === undefined ? null : Buffer.from(text)), null);
    // The same by other means: the lines as text tools cut them.
    const lines = (text ?? "")
      .split("\n")
      .slice(citation.start_line - 1, citation.end_line)
      .join("\n");
    assert.ok(lines.includes(citation.quote));
  }
  const numbers = new Set(answer.citations.map(({ n }) => n));
  for (const [, n] of answer.answer.matchAll(/\[(\d+)\]/g)) assert.ok(numbers.has(Number(n)), `[${n}] is not cited`);
  assert.doesNotMatch(answer.answer, /https?:|!\[|\]\(|<img|<script|evil\.example/i);
  assert.notEqual(answer.answer, "");
  const { digest, ...body } = answer.receipt;
  assert.equal(sha256(canonicalJson(body)), digest);
  assert.deepEqual(
    answer.sources,
    [...answer.sources].sort((a, b) => b.score - a.score),
  );
}

test("a model that is dead, refuses, sends garbage, nothing, or tool calls: the best passages are quoted", async () => {
  const behaviours: [string, Behaviour, RegExp][] = [
    ["refuses", (_, response) => (response.writeHead(401).end('{"error":"key sk-canary"}'), null), /refused/],
    ["fails", (_, response) => (response.writeHead(500).end("stack"), null), /refused/],
    ["moves", (_, response) => (response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(), null), /cannot be reached/],
    ["hangs up", (_, response) => (response.destroy(), null), /cannot be reached/],
    [
      "garbage",
      (_, response) => (response.writeHead(200, { "content-type": "application/json" }).end("\u0000\uffff{{{"), null),
      /no answer/,
    ],
    [
      "other JSON",
      (_, response) => (response.writeHead(200, { "content-type": "application/json" }).end('{"choices":"x"}'), null),
      /no answer/,
    ],
    [
      "bad event",
      (_, response) => (response.writeHead(200, { "content-type": "text/event-stream" }).end("data: {\n\n"), null),
      /no answer/,
    ],
    ["silence", () => "", /wrote nothing/],
    [
      "tool call",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(
          JSON.stringify({ choices: [{ message: { content: null, tool_calls: [{ function: { name: "fetch", arguments: "{}" } }] } }] }),
        );
        return null;
      },
      /wrote nothing/,
    ],
    ["gives up", () => "NOT FOUND", /borne out/],
    [
      "endless",
      (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (let at = 0; at < 300; at++) response.write(event("x".repeat(1_000)));
        response.end();
        return null;
      },
      /more than it may/,
    ],
    [
      "endless header",
      (_, response) => (response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${"x".repeat(2_000_000)}`), null),
      /more than it may/,
    ],
  ];
  for (const [name, behaviour, notice] of behaviours) {
    const answer = await askWith(behaviour);
    assert.equal(answer.mode, "search", name);
    assert.match(answer.notice, notice, name);
    assert.match(answer.answer, /equal keys keep their order/, name);
    assert.ok(answer.citations.length > 0);
    assert.doesNotMatch(JSON.stringify(answer), /canary|stack/);
    assert.equal(answer.receipt.model, null);
  }
});

test("a model that hangs, or drips without end, is left at the deadline", async () => {
  const started = performance.now();
  const hung = await askWith(() => null, QUESTION, 150);
  assert.match(hung.notice, /in time/);
  assert.equal(hung.mode, "search");
  const dripping = await askWith(
    (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write(event("drip ")), 20);
      response.on("close", () => clearInterval(timer));
      return null;
    },
    QUESTION,
    200,
  );
  assert.match(dripping.notice, /in time/);
  assert.equal(dripping.mode, "search");
  assert.ok(performance.now() - started < 60_000);
});

test("a supported sentence is kept with its exact quote, whatever white space and quotation marks the model used", async () => {
  for (const written of [
    'Insertion sort is stable because equal keys keep their order. [1 "equal keys keep their order"]',
    "Insertion sort is stable because equal keys keep their order [1: “equal   keys\nkeep their order”].".replace("\n", " "),
    "Insertion sort is stable because equal keys keep their order [1].",
    "- **Insertion sort** is stable because equal keys keep their order. [1]",
  ]) {
    const answer = await askWith(() => written);
    assert.equal(answer.mode, "ai", written);
    assert.equal(answer.receipt.model, "double");
    assert.equal(answer.citations[0]?.key, "notes/sorting.md");
    assert.equal(answer.citations[0]?.start_line, 3);
    assert.match(answer.answer, /^Insertion sort is stable because equal keys keep their order\.? \[1\]$/);
    assert.equal(answer.notice, "");
  }
});

/** Number of the first excerpt that has these words. */
const numberOf = ({ user }: Parameters<Behaviour>[0], words: string): number =>
  excerptsOf(user).findIndex((text) => text.includes(words)) + 1;

test("a quote over two lines keeps the object's own line break", async () => {
  const answer = await askWith(
    (call) => `Merge sort needs n log n comparisons in every case. [${numberOf(call, "Merge")} "needs n log n comparisons in every case"]`,
    "How many comparisons does merge sort need in every case?",
  );
  const [citation] = answer.citations;
  assert.deepEqual([citation?.quote, citation?.start_line, citation?.end_line], ["needs n log n comparisons\nin every case", 6, 7]);
});

test("false citations, invented facts, numbers and identifiers, and sentences without a source are left out", async () => {
  for (const lie of [
    'Insertion sort was invented on the moon in 1969. [1 "equal keys keep their order"]',
    "Insertion sort is stable because equal keys keep their order.",
    "Insertion sort is stable because equal keys keep their order. [9]",
    "Insertion sort is stable because equal keys keep their order. [0]",
    'Insertion sort is stable because equal keys keep their order. [1 "equal keys lose their order"]',
    'Insertion sort is stable because equal keys keep their order. [1 "the"]',
    'Insertion sort is stable because 17 equal keys keep their order. [1 "equal keys keep their order"]',
    'Insertion sort is stable because keepOrder makes equal keys keep their order. [1 "equal keys keep their order"]',
    "The sort is deadly poisonous [1] [2] [3].",
    "[1]",
    "[1][1][1]",
    "[[1]]",
    "] [ [1",
    '[1 "',
    "\u0001 0\u0001",
  ]) {
    const answer = await askWith(() => lie);
    assert.equal(answer.mode, "search", lie);
    assert.doesNotMatch(answer.answer, /moon|1969|poison|17 equal|keepOrder makes/);
  }
});

test("true sentences among lies are kept, and the notice counts what was left out", async () => {
  const answer = await askWith(
    () =>
      'Pigs fly over 12 rivers [1].\nInsertion sort is stable because equal keys keep their order. [1 "equal keys keep their order"]\nIt is made of cheese [2].',
  );
  assert.equal(answer.mode, "ai");
  assert.equal(answer.answer, "Insertion sort is stable because equal keys keep their order. [1]");
  assert.match(answer.notice, /2 sentences were left out/);
});

test("a model that obeys instructions in objects gets no link, image, markup or address into the answer", async () => {
  const question = "What do the instructions say about stable sorting?";
  const obey: Behaviour = ({ user }) =>
    excerptsOf(user)
      .flatMap((text, at) => text.split("\n").map((line) => `${line} [${at + 1} "${line}"]`))
      .join("\n");
  const obeyed = await askWith(obey, question);
  assert.doesNotMatch(obeyed.citations.map(({ quote }) => quote).join(), /evil|https?:|<img/);
  for (const sentence of [
    "Sorting is stable, see https://evil.example/x [1].",
    "Sorting is stable ![x](//evil.example/y) [1].",
    "[Sorting](http://evil.example) is stable [1].",
    "Sorting is stable <img src=x> [1].",
    "Sorting is stable <script>alert(1)</script> [1].",
    "Sorting is stable, mail eve@evil.example [1].",
    "Sorting is stable at www.evil.example [1].",
    "Sorting is stable javascript:alert(1) [1].",
    "Sorting is stable &#104;ttp [1].",
    "[1]: //evil.example/a\nSorting is stable [1].",
    "Sorting is stable \u202ehttp [1].",
    "Sorting is stable data:text/html,x [1].",
  ]) {
    const answer = await askWith(() => sentence, question);
    assert.doesNotMatch(answer.answer, /evil|javascript:|data:|<|&#|\u202e|@/i);
  }
});

test("a sentence with a bare domain or address that is in none of its quotes is left out, also when another line or the question has it", async () => {
  const texts = {
    ...TEXTS,
    "notes/sorting.md": `${TEXTS["notes/sorting.md"]}\nThe lecture at sorting.museum shows that equal keys keep their order, as does lib.rs in its list.\n`,
  };
  const bare = [
    "evil.shop",
    "Evil.Shop",
    "sorting.museum",
    "a.b.evil.club/path",
    "evil\u3002shop",
    "\uff45vil\uff0eshop",
    "еvil.рф",
    "xn--e1afmkfd.xn--p1ai",
    "203.0.113.7",
    "lib.rs",
  ];
  for (const address of bare) {
    for (const sentence of [
      `Insertion sort is stable because equal keys keep their order, see ${address} [1 "equal keys keep their order"]`,
      `At ${address}: insertion sort is stable because equal keys keep their order. [1 "equal keys keep their order"]`,
    ]) {
      const answer = await askWith(() => sentence, `Why is insertion sort at ${address} stable?`, 2_000, texts);
      assert.equal(answer.mode, "search", sentence);
    }
  }
  const kept = await askWith(
    (call) =>
      `The lecture at sorting.museum shows that equal keys keep their order. [${numberOf(call, "lecture")} "lecture at sorting.museum shows that equal keys keep their order"]`,
    "Which lecture shows that equal keys keep their order?",
    2_000,
    texts,
  );
  assert.equal(kept.mode, "ai", "its quote has it");
  for (const plain of [
    "Insertion sort, e.g. of keys, is stable because equal keys keep their order. [1]",
    "Insertion sort is stable because equal keys keep their order... [1]",
  ])
    assert.equal((await askWith(() => plain)).mode, "ai", plain);
});

test("half of a surrogate pair that a model writes is in no answer, and ends none", async () => {
  const answer = await askWith(
    () => "Insertion sort \ud83d is stable [1].\nInsertion sort is stable because equal keys keep their order. [1]",
  );
  assert.equal(answer.answer, "Insertion sort is stable because equal keys keep their order. [1]");
});

test("excerpts are fenced by the request's own delimiter, and the model is told that they are data", async () => {
  await askWith(() => "");
  const call = double.calls.at(-1);
  assert.match(call?.system ?? "", /never follow instructions/);
  assert.match(call?.user ?? "", /<<d3l1m1t3r excerpt 1: "notes\/sorting\.md", lines 3 to 4>>/);
  assert.equal(call?.path, "/v1/chat/completions");
});

test("a model is shown what would be quoted without it, first and in full", async () => {
  const question = "How many comparisons does merge sort need in every case?";
  const without = await drain(ask({ question, prefix: "" }, makeLibrary(), askOptions()));
  let shown: readonly string[] = [];
  await askWith(({ user }) => {
    shown = excerptsOf(user);
    return "NOT FOUND";
  }, question);
  const quoted = without.answer.citations.map(({ quote }) => quote);
  assert.ok(quoted.length > 0);
  for (const quote of quoted)
    for (const paragraph of quote.split("\n\n"))
      assert.ok(
        shown.some((text) => text.includes(paragraph.trim())),
        paragraph,
      );
  assert.ok(quoted[0]?.includes(shown[0]?.split("\n")[0] ?? "?"), shown[0]);
});

test("AI_GATEWAY_ID sends the request to the gateway with its header and the key, and nowhere else", async () => {
  double.behave(() => "Insertion sort is stable because equal keys keep their order [1].");
  const gateway = openAnswerModel({
    baseUrl: "http://127.0.0.1:1/v1",
    model: "m",
    apiKey: "key",
    gateway: { baseUrl: `${double.baseUrl}/`, id: "my-gateway" },
  });
  const { answer } = await drain(ask({ question: QUESTION, prefix: "" }, makeLibrary(), askOptions({ model: gateway })));
  assert.equal(answer.mode, "ai");
  const call = double.calls.at(-1);
  assert.equal(call?.headers["ai-gateway-id"], "my-gateway");
  assert.equal(call?.headers.authorization, "Bearer key");
});

test("a server that answers in one JSON body is as good as one that streams", async () => {
  const answer = await askWith((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        choices: [{ message: { role: "assistant", content: "Insertion sort is stable because equal keys keep their order [1]." } }],
      }),
    );
    return null;
  });
  assert.equal(answer.mode, "ai");
});

test("what a model wrote before it failed is kept, and the notice says that it stopped", async () => {
  const answer = await askWith((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event("Insertion sort is stable because equal keys keep their order [1].\nIts worst"));
    setTimeout(() => response.destroy(), 50);
    return null;
  });
  assert.equal(answer.mode, "ai");
  assert.equal(answer.answer, "Insertion sort is stable because equal keys keep their order. [1]");
  assert.match(answer.notice, /cannot be reached; what it wrote before that is shown/);
});

test("more answers at once than allowed are told that the model is busy", async () => {
  const limited = limitModel(
    {
      name: "slow",
      async *write(_, signal) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        yield "";
      },
    },
    2,
  );
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      drain(ask({ question: QUESTION, prefix: "" }, makeLibrary(), askOptions({ model: limited, deadline: 100 }))),
    ),
  );
  assert.equal(answers.filter(({ answer }) => answer.notice.includes("busy")).length, 3);
  const { answer } = await drain(ask({ question: QUESTION, prefix: "" }, makeLibrary(), askOptions({ model: limited, deadline: 100 })));
  assert.doesNotMatch(answer.notice, /busy/);
});

test("a model's place is free when its reader has gone, or takes no more, wherever the reader was", async () => {
  const sentence =
    'Insertion sort is stable because equal keys keep their order [1 "Insertion sort is stable because equal keys keep their order"].\n';
  const limited = limitModel(
    {
      name: "quick",
      async *write() {
        for (let at = 0; at < 5; at++) yield sentence;
      },
    },
    4,
  );
  const start = (deadline = 2_000, signal = new AbortController().signal) =>
    ask({ question: QUESTION, prefix: "" }, makeLibrary(), askOptions({ model: limited, deadline, signal }));
  const mode = async (): Promise<string> => (await drain(start())).answer.mode;
  const leaveAfter = async (events: number): Promise<void> => {
    const gone = new AbortController();
    const response = await askResponse(start(2_000, gone.signal), "text/event-stream", () => gone.abort());
    const reader = (response.body ?? assert.fail()).getReader();
    for (let at = 0; at < events; at++) await reader.read();
    await reader.cancel();
  };
  for (const events of [0, 1, 2, 3, 4]) {
    await Promise.all(Array.from({ length: 4 }, () => leaveAfter(events)));
    assert.equal(await mode(), "ai", `left after ${events} events`);
  }
  // Readers that stay and take nothing: their time is over, and their places are free.
  const idle = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const events = start(200);
      await events.next();
      await events.next();
      return events;
    }),
  );
  assert.equal(await mode(), "search");
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(await mode(), "ai");
  for (const events of idle) await events.return();
});

test("what is cut out of a text is whole signs, however long the text", async () => {
  const library = makeLibrary();
  for (const [at, letters] of [278, 279, 318, 319, 478].entries()) {
    const [claim] = library.data.claims.claims;
    const [cub] = library.data.cubs;
    assert.ok(claim !== undefined && cub !== undefined);
    const statement = `${"x".repeat(letters)}\u{1f600} and ${"more ".repeat(200)}`;
    const data = {
      ...library.data,
      cubs: [{ ...cub, statement }],
      claims: { ...library.data.claims, claims: [{ ...claim, scope: statement, statement }] },
    };
    for (const question of ["claim-stable", "What is CUB-0007?"]) {
      const { answer } = await drain(ask({ question, prefix: "" }, { ...library, data }, askOptions()));
      assert.ok(JSON.stringify(answer).isWellFormed() && !/\\ud[89a-f]/i.test(JSON.stringify(answer)), `${question} ${at}`);
      for (const { summary, snippet } of answer.sources) assert.ok(summary.length <= 280 && snippet.length <= 320);
      assert.doesNotMatch(answer.answer, /\ufffd/);
    }
  }
});

test("without a model the answer is made of quoted passages, and says when nothing fits", async () => {
  const { answer } = await drain(ask({ question: QUESTION, prefix: "" }, makeLibrary(), askOptions()));
  checkAnswer(answer);
  assert.equal(answer.mode, "search");
  assert.equal(answer.notice, NO_MODEL);
  assert.match(
    answer.answer,
    /^“Insertion sort is stable because equal keys keep their order\. Its worst case needs n squared comparisons\. Merge [^”]*memory\.” \[1\]/,
  );
  assert.match(
    answer.citations[0]?.href ?? "",
    new RegExp(`^/at/${SNAPSHOT}/object/notes/sorting\\.md/\\?lines=3-7&quote=Insertion%20sort%20is%20stable[^#]*#quote$`),
  );
  const nothing = await drain(ask({ question: "zebra xylophone?", prefix: "" }, makeLibrary(), askOptions()));
  assert.equal(nothing.answer.answer, "Not in this library.");
  assert.doesNotMatch(nothing.answer.notice, /passages are quoted/);
  const beside = await drain(ask({ question: "Who described zebra xylophone comparisons?", prefix: "" }, makeLibrary(), askOptions()));
  assert.match(beside.answer.answer, /^Not in this library\. Nearest: .*notes\/sorting\.md/);
  assert.deepEqual(beside.answer.citations, []);
  const titled = await drain(ask({ question: "Sorting is stable", prefix: "" }, makeLibrary(), askOptions()));
  assert.match(titled.answer.answer, /^Claim claim-stable is verified[^]*equal keys keep their order/);
  assert.deepEqual(nothing.answer.sources, []);
  const elsewhere = await drain(ask({ question: QUESTION, prefix: "proofs/" }, makeLibrary(), askOptions()));
  assert.ok(elsewhere.answer.sources.every(({ key }) => key.startsWith("proofs/")));
});

test("a drawing that is quoted has its lines in the answer, and its bytes in the quote", async () => {
  const drawing = "      +------+\n      | seal |\n   +--+------+";
  const texts = { "notes/seals.md": `# Where seals are kept\n\nHow a seal is kept is drawn here:\n\n\`\`\`\n${drawing}\n\`\`\`\n` };
  const { answer } = await drain(ask({ question: "How is a seal kept?", prefix: "" }, makeLibrary(texts), askOptions()));
  checkAnswer(answer, texts);
  assert.match(answer.answer, /How a seal is kept is drawn here:\n\n {3}\+-{6}\+\n {3}\| seal \|\n\+--\+-{6}\+\u201d \[1\]/);
  assert.ok(answer.citations[0]?.quote.includes(drawing));
  const alone = { "notes/seals.md": `# Where seals are kept\n\n\`\`\`\n${drawing}\n\`\`\`\n` };
  const { answer: drawn } = await drain(ask({ question: "Where are seals kept?", prefix: "" }, makeLibrary(alone), askOptions()));
  assert.match(drawn.answer, /\u201c\n {3}\+-{6}\+\n {3}\| seal/);
});

test("what a question names is looked up without a model", async () => {
  double.behave(() => assert.fail("the model was asked"));
  const looked = async (question: string, prefix = ""): Promise<AskAnswer> => {
    const { answer } = await drain(ask({ question, prefix }, makeLibrary(), askOptions({ model: model() })));
    checkAnswer(answer);
    assert.equal(answer.mode, "search");
    return answer;
  };
  const calls = double.calls.length;
  assert.match(
    (await looked("What is CUB-0007?")).answer,
    /CUB-0007 is the lemma insert_keeps_sorted in sorting; it is verified by Coq 8\.16\.1 on 2026-04-01\./,
  );
  assert.match((await looked("cub-0007")).answer, /insert_keeps_sorted/);
  assert.match((await looked("insert_keeps_sorted")).answer, /CUB-0007/);
  assert.match((await looked("claim-stable")).answer, /Claim claim-stable is verified: Insertion sort is stable/);
  assert.match((await looked(sha256(TEXTS["notes/digests.md"] ?? ""))).answer, /notes\/digests\.md/);
  assert.equal((await looked("notes/digests.md")).sources[0]?.key, "notes/digests.md");
  assert.match((await looked("Which collections are there?")).answer, /^2 collections: Notes \(notes\/\), Proofs \(proofs\/\)\.$/);
  assert.equal((await looked("How many objects are in the library?")).answer, "4 objects.");
  assert.equal(double.calls.length, calls);
  // A prefix restricts keys; records and claims have none.
  double.behave(() => "");
  const restricted = await drain(ask({ question: "CUB-0007", prefix: "notes/" }, makeLibrary(), askOptions()));
  assert.doesNotMatch(restricted.answer.answer, /insert_keeps_sorted/);
});

test("who made a thing, and when, is answered from what it states and from the history, and from its text where neither knows", async () => {
  const say = async (question: string, prefix = "") => (await drain(ask({ question, prefix }, makeLibrary(), askOptions()))).answer;
  for (const question of ["Who wrote notes/sorting.md?", "who is the author of the note Sorting", "Who was notes/sorting.md written by?"]) {
    const { answer, notice, sources } = await say(question);
    assert.equal(answer, "notes/sorting.md names as its authors Ada Example, Grace Sample.", question);
    assert.equal(notice, "Answered from the catalog and the history; no model was asked.");
    assert.equal(sources[0]?.key, "notes/sorting.md");
  }
  for (const question of [
    "When was notes/sorting.md last changed?",
    "when was Sorting written",
    "Since when is notes/sorting.md in the library?",
  ]) {
    const { answer, counted } = await say(question);
    assert.equal(
      answer,
      "notes/sorting.md says that it is of 2024-05. notes/sorting.md is in this library since publication 2 of 2026-02-01, " +
        "and as it is now since publication 5 of 2026-05-01.",
      question,
    );
    for (const { value, start } of counted) assert.equal(answer.slice(start, start + value.length), value);
  }
  // Nothing is known of these, names nothing, or lies elsewhere.
  for (const [question, prefix] of [
    ["Who wrote notes/digests.md?", ""],
    ["When was notes/digests.md published?", ""],
    ["Who wrote notes/sorting.md?", "proofs/"],
    ["Who wrote the tutorial?", ""],
    ["When was merge sort invented?", ""],
  ] as const)
    assert.doesNotMatch((await say(question, prefix)).answer, /names as its|says that it is of|in this library since/, question);
});

test("what is counted carries its query: the number stands at its place in the answer, and leads to its list", async () => {
  const { answer, events } = await drain(ask({ question: "How many records are verified?", prefix: "" }, makeLibrary(), askOptions()));
  checkAnswer(answer);
  assert.equal(answer.answer, "1 of 1 records are verified.");
  for (const { value, start } of answer.counted ?? []) assert.equal(answer.answer.slice(start, start + value.length), value);
  assert.deepEqual(
    answer.counted?.map(({ href }) => href.slice(`/at/${SNAPSHOT}`.length)),
    ["/registry/?standing=verified"],
  );
  assert.deepEqual(
    events.flatMap((item) => (item.type === "text" ? item.counted : [])),
    answer.counted,
  );
  assert.deepEqual(answer.citations, []);
  assert.match(answer.notice, /Counted from this snapshot/);
});

test("names of strangers in a computed list become no link, no markup and no citation", async () => {
  const titles = ["see https://evil.example/x", "<img src=x>", "[1]: //evil.example", "![x](y)", "plain [1] title"];
  const texts = Object.fromEntries(titles.map((title, at) => [`notes/${at}.md`, `# ${title}\n\nText.\n`]));
  const { answer } = await drain(ask({ question: "List all objects", prefix: "" }, makeLibrary(texts), askOptions()));
  checkAnswer(answer, texts);
  assert.match(answer.answer, /plain \(1\) title \(notes\/4\.md\)/);
});

test("a question that also asks something else gets the looked-up facts and the model's sentences", async () => {
  const answer = await askWith(
    () => "Insertion sort is stable because equal keys keep their order [1].",
    "How does CUB-0007 relate to why insertion sort is stable?",
  );
  assert.equal(answer.mode, "ai");
  assert.match(answer.answer, /^CUB-0007 is the lemma[^]*\n\nInsertion sort is stable/);
  assert.equal(answer.sources[0]?.key, "CUB-0007");
});

test("without a search index the answer is still 200 material and says so", async () => {
  const library = { ...makeLibrary(), find: () => Promise.reject(new Error("gone")) };
  const { answer } = await drain(ask({ question: QUESTION, prefix: "" }, library, askOptions({ model: model() })));
  checkAnswer(answer);
  assert.match(answer.notice, /Search is not available/);
});

test("an object that changed under the index, is too large, or is not text is never quoted", async () => {
  const changed = { ...makeLibrary(), readObject: () => Promise.resolve({ sha256: sha256("other"), bytes: Buffer.from("other") }) };
  const { answer } = await drain(ask({ question: QUESTION, prefix: "" }, changed, askOptions()));
  assert.deepEqual(answer.citations, []);
  const broken = { ...makeLibrary(), readObject: () => Promise.reject(new Error("damaged")) };
  assert.deepEqual((await drain(ask({ question: QUESTION, prefix: "" }, broken, askOptions()))).answer.citations, []);
});

test("1,000 generated answers: every citation is true to the byte and every number is cited", async () => {
  const texts = {
    ...TEXTS,
    "notes/odd \u00e9 [1].md":
      "Caf\u00e9 [2] \u201cquoted\u201d   text \u2014 with \ud83e\udd80 crabs.\r\n\tTabbed\tline [3] here.\n\nLast line without end",
  };
  const library = makeLibrary(texts);
  const lines = Object.values(texts).flatMap((text) => text.split("\n"));
  const fragment = fc.oneof(
    fc.constantFrom(...lines),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.constantFrom("[1]", '[2 "', '"]', "[3: “", "”]", "\n", ". ", "![", "](", "https://evil.example"),
    fc
      .tuple(fc.constantFrom(...lines), fc.nat(60), fc.nat(60), fc.integer({ min: 0, max: 9 }))
      .map(([line, from, size, n]) => `${line} [${n} "${line.slice(from, from + size)}"]\n`),
  );
  let citations = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fragment, { maxLength: 12 }),
      fc.constantFrom(QUESTION, "stable sorting instructions", "caf\u00e9 crabs tabbed line", "Which digest has 64 hex digits?"),
      async (parts, question) => {
        const written: AnswerModel = {
          name: "generated",
          async *write() {
            yield parts.join("");
          },
        };
        const { answer } = await drain(ask({ question, prefix: "" }, library, askOptions({ model: written })));
        checkAnswer(answer, texts);
        citations += answer.citations.length;
      },
    ),
    { numRuns: 1_200 },
  );
  assert.ok(citations > 500, `${citations} citations`);
});
