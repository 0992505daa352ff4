/** The sidecar as a process: told what to serve by the process that starts it, with its secrets from the environment. */
import { setFlagsFromString } from "node:v8";
import { describeOperations, openOperations } from "#snapshots/annex/metrics";
import { listen, receiveServing, sendToStarter, type SidecarServing, stopWithStarter } from "#snapshots/http";
import { guardTerminal } from "#snapshots/terminal";
import { ANNEXES } from "./annexes.ts";
import { openLog, openSidecar, type Sidecar } from "#sidecar/serve";

// A small heap is swept often; memory is dearer here than time.
setFlagsFromString("--optimize-for-size");
guardTerminal();
const log = openLog();
let sidecar: Sidecar | null = null;
try {
  const { serving, starter } = await receiveServing<SidecarServing>((access) => {
    sidecar?.setAccess(access);
    log.info("the access section was read again");
  });
  const opened = await openSidecar(serving, process.env, log, { annexes: ANNEXES, starter });
  sidecar = opened;
  const operations = serving.operations === null ? null : await openOperations(serving.operations, opened.publicView, starter.builds);
  if (operations !== null) opened.watch(operations);
  const listening = await listen(operations?.observe(opened.listener) ?? opened.listener, serving);
  stopWithStarter(async () => {
    opened.stop();
    await listening.close();
    await opened.close();
    await operations?.listening.close();
  });
  const open = await opened.publicView.current().catch(() => null);
  sendToStarter({
    type: "ready",
    url: listening.url,
    snapshot: open?.snapshot.id ?? null,
    notes: describeOperations(operations),
    ...(opened.token === null ? {} : { token: opened.token }),
  });
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException;
  sendToStarter({ type: "failed", message, code: code ?? null });
}
