/** A build's steps that look at what was published before and at what is about to be, and the look for leaks of `verify`. */
import { type BuildAnnex, gatingDigest, noteFailure } from "#generator/pipeline";
import { areDecisionsDamaged, openDecisions } from "#generator/kept";
import type { LeakAnnex } from "#generator/publish";
import {
  describeExposure,
  type Exposure,
  findExposure,
  hasGatedBytes,
  hasGatedRows,
  isExposed,
  isWithdrawing,
  keepExposed,
  NOTHING_EXPOSED,
  withdraw,
} from "./gating.ts";
import { type KeptLook, readLook, writeLook } from "./kept-look.ts";
import { checkLeaks, openAllowances } from "./leak-check.ts";
import { isRedacting, redact, withoutRedacted } from "./redact.ts";
import { openRereader, type Rereader } from "./reread.ts";

const gating: BuildAnnex = {
  isDue: isWithdrawing,
  open() {
    let exposure: Exposure = NOTHING_EXPOSED;
    let withdrawing = false;
    return [
      {
        at: "before write",
        name: "find what is gated now",
        async run({ facts, reading, views, removal }, { shelves, keepHistory, signers }) {
          const { privateTexts } = facts.registry;
          const undone = isWithdrawing(shelves);
          const same = gatingDigest(views, privateTexts) === reading.known.gating;
          const isDue = !same || reading.read.some(({ root }) => root === "internal");
          const rows = isDue && (await hasGatedRows(shelves, views, privateTexts));
          const checked = !undone && !rows && same && !(await hasGatedBytes(shelves, views));
          exposure = checked ? NOTHING_EXPOSED : await findExposure(shelves, facts.config.collections, views, privateTexts);
          withdrawing = undone || (isExposed(exposure) ? !keepHistory : rows);
          // Before anything is published: a build that is killed behind that has decided it all the same.
          if (keepHistory && isExposed(exposure) && signers !== null) await keepExposed(shelves, exposure, facts.config.collections);
          return {
            removal: {
              reindex: withdrawing ? { ...removal.reindex, public: true } : removal.reindex,
              earlier: withdrawing ? exposure.clean : removal.earlier,
              withdrawn: keepHistory ? [] : exposure.snapshots,
            },
            notes: signers === null ? describeExposure(exposure, keepHistory ? "kept" : "planned") : [],
          };
        },
      },
      {
        at: "after publish",
        name: "withdraw what is gated now",
        async run({ facts, removal, written }, { shelves, keepHistory }) {
          const notes = [...describeExposure(exposure, keepHistory ? "kept" : "withdrawn")];
          if (keepHistory && isExposed(exposure)) await keepExposed(shelves, exposure, facts.config.collections);
          if (withdrawing)
            notes.push(...(await withdraw(shelves, facts.config.collections, removal.withdrawn, written.earlier.searchable)));
          return { notes };
        },
      },
    ];
  },
};

const redaction: BuildAnnex = {
  isDue: (shelves, withdrawals, signers) => signers !== null && isRedacting(shelves, withdrawals, signers),
  open() {
    let redacting = false;
    return [
      {
        at: "before write",
        name: "find what is to be redacted",
        async run({ facts, removal }, { shelves, signers }) {
          const { list } = facts.withdrawals;
          redacting = signers !== null && isRedacting(shelves, list, signers);
          if (!redacting) return { removal };
          const earlier = await withoutRedacted(shelves, removal.earlier ?? (await shelves.public.records.index()).records, list);
          return { removal: { ...removal, reindex: { public: true, internal: true }, earlier } };
        },
      },
      {
        at: "after publish",
        name: "redact",
        async run({ facts, written }, { shelves, signers }) {
          if (!redacting) return {};
          return { notes: await redact(shelves, facts.withdrawals.list, signers, written.earlier.searchable) };
        },
      },
    ];
  },
};

const leaks: BuildAnnex = {
  open() {
    let look: KeptLook | null = null;
    return [
      {
        at: "before publish",
        name: "look for what may not be public",
        async run({ facts, site, read, views, written }, { shelves, progress }) {
          progress.step("look for what may not be public");
          const { state, program } = facts;
          const kept = readLook(shelves.buildDir, program);
          const isBase = kept?.snapshot === state.public?.snapshot && facts.kept.public.has(kept?.snapshot ?? "");
          const { look: made, ...said } = await checkLeaks({
            views,
            shelf: shelves.public,
            draft: written.drafts.public,
            extracts: read.extracts,
            privateTexts: facts.registry.privateTexts,
            rules: facts.config.leaks,
            repeats: facts.config.gates.repeats,
            site,
            kept: isBase ? kept : null,
          });
          look = made;
          return said;
        },
      },
      {
        at: "after publish",
        name: "keep what was looked through",
        run: async ({ facts }, { shelves }) => ({
          notes: await noteFailure(
            async () => writeLook(shelves.buildDir, facts.program, look),
            (code) => `What was looked through for what may not be public could not be kept (${code}): the next build looks at everything.`,
          ),
        }),
      },
    ];
  },
};

/** STEPS are the steps of a build in order. Gated things go before redacted ones: the index is written anew for what both leave. */
export const STEPS: readonly BuildAnnex[] = [gating, redaction, leaks];

export const LEAKS: LeakAnnex = {
  open({ leaks: rules }, site, shelves) {
    const rereaders: Rereader[] = [];
    const allow = openAllowances(rules);
    return {
      options(snapshot, data) {
        const rereader = openRereader(snapshot, data, site.pool);
        rereaders.push(rereader);
        return { ...rereader, allow };
      },
      // A damaged file is told by itself, and then nothing counts as decided.
      kept: areDecisionsDamaged(shelves.buildDir) ? [] : openDecisions(shelves.buildDir).of("kept"),
      async close() {
        for (const rereader of rereaders) await rereader.close();
      },
    };
  },
};
