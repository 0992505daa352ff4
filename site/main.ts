/** The site server as a process: told what to serve by the process that starts it. */
import { openSiteView } from "./server.ts";
import { describeOperations, openOperations } from "#snapshots/annex/metrics";
import {
  listen,
  observe,
  openAccessLog,
  receiveServing,
  sendToStarter,
  type SiteServing,
  stopWithStarter,
  viewListener,
} from "#snapshots/http";
import { watchPointer } from "#snapshots/shelf";
import { guardTerminal } from "#snapshots/terminal";

guardTerminal();
const { serving, starter } = await receiveServing<SiteServing>();
const view = openSiteView(serving, starter);
try {
  // Loaded now, while they are surely there: a later build may compile newer ones and remove these.
  await view.options.renderer?.();
  const operations = serving.operations === null ? null : await openOperations(serving.operations, view, starter.builds);
  const reads = viewListener(view);
  const logged = serving.accessLog ? observe(reads, openAccessLog()) : reads;
  const listening = await listen(operations?.observe(logged) ?? logged, serving);
  const watching = watchPointer([serving.publicDir], () => void view.refresh().catch(() => undefined));
  stopWithStarter(async () => {
    watching.close();
    await listening.close();
    await operations?.listening.close();
  });
  const open = await view.current().catch(() => null);
  sendToStarter({ type: "ready", url: listening.url, snapshot: open?.snapshot.id ?? null, notes: describeOperations(operations) });
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException;
  sendToStarter({ type: "failed", message, code: code ?? null });
}
