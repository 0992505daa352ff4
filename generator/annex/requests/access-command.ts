/** `proofshelf access list | grant | refuse`: requests to be let in, which the sidecar took. */
import { type AccessRequest, appendLine, type Decision, readRequests } from "../../../snapshots/annex/requests/index.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import { type Config, openConfig } from "../../config/config.ts";
import { type CommonOptions, configOf, print } from "../../commands/options.ts";

export async function runAccessList(options: CommonOptions & { readonly all?: boolean }): Promise<void> {
  const { file } = await openRequests(options);
  const requests = readRequests(file).filter(({ state }) => options.all === true || state === "waiting");
  const lines = requests.map(
    ({ id, at, email, reason, state }) => `${id}  ${at.slice(0, 10)}  ${state}  ${email}  ${JSON.stringify(reason)}`,
  );
  print(options, requests, lines.length === 0 ? "No requests wait.\n" : `${lines.join("\n")}\n`);
}

export async function runAccessDecision(
  id: string,
  state: Decision,
  options: CommonOptions & { readonly note?: string },
  now = (): Date => new Date(),
): Promise<void> {
  const { file, config } = await openRequests(options);
  const request = findRequest(readRequests(file), id);
  appendLine(file, { id: request.id, at: now().toISOString(), state, note: options.note ?? "" });
  const { email } = request;
  const place = config.access?.oidc == null ? "access.policy.emails" : "access.allow.emails";
  const next =
    state === "granted" ? `Whoever signs in as ${email} is let in when you write the address into ${place} of proofshelf.yaml.\n` : "";
  print(options, { ...request, state }, `${state === "granted" ? "Granted" : "Refused"}: ${email}\n${next}`);
}

/** @param id or what it begins with */
function findRequest(requests: readonly AccessRequest[], id: string): AccessRequest {
  const [found, ...others] = requests.filter((request) => request.id.startsWith(id));
  if (found !== undefined && others.length === 0) return found;
  const what = found === undefined ? "No request has this id" : "Several requests begin so";
  throw new ShelfError("bad_config", `${what}: ${id}.`, { fixes: ["See: proofshelf access list --all"] });
}

async function openRequests(options: CommonOptions): Promise<{ readonly file: string; readonly config: Config }> {
  const config = await openConfig(configOf(options), { checkSources: false });
  const file = config.access?.requests ?? null;
  if (file === null)
    throw new ShelfError("not_configured", "No requests are taken.", {
      fixes: ["Write access: { requests: ../requests.jsonl } into proofshelf.yaml."],
    });
  return { file, config };
}
