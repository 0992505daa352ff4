/** Finds who answers for the log of publications: the configuration says its name and its public key, the environment has the private one. */
import { ShelfError } from "#snapshots/errors";
import { parseKey, parseSigningKey } from "#snapshots/log";
import type { LogSigner } from "#snapshots/shelf";
import type { VerifyOptions } from "#snapshots/service";
import type { Config } from "#generator/config";
import type { ByView } from "#generator/shelves";

/** defaultOrigin names the log of a library that has no name of its own for it: by its address, as C2SP tlog-tiles wants it. */
export function defaultOrigin({ baseUrl }: Pick<Config, "baseUrl">): string {
  return `${baseUrl.replace(/^https?:\/\//i, "")}/shelf`;
}

/** The name of each root's log: one name, one tree. */
function logOrigins(config: Config, origin = config.log?.origin ?? defaultOrigin(config)): ByView<string> {
  return { public: origin, internal: `${origin}/internal` };
}

/** openSigners opens the signer of each view's log. @throws ShelfError "bad_config" when only one of the key's halves is there, or they do not
 *  belong together */
export function openSigners(config: Config): ByView<LogSigner> {
  const text = process.env["LOG_KEY"] ?? "";
  const origins = logOrigins(config);
  if (config.log === null) {
    if (text === "") return { public: { origin: origins.public, key: null }, internal: { origin: origins.internal, key: null } };
    throw new ShelfError("bad_config", "LOG_KEY is set, but the configuration has no log: nobody could check what it signs.", {
      fixes: ["Write log: { origin, publicKey } as keygen printed it, or unset LOG_KEY."],
    });
  }
  if (text === "")
    throw new ShelfError("bad_config", "The configuration has log:, but LOG_KEY is not set: the next snapshot would be unsigned.", {
      fixes: ["Set LOG_KEY in the environment of the build, or take log: out of the configuration."],
    });
  const key = parseSigningKey(text, "LOG_KEY");
  if (key.text !== config.log.publicKey)
    throw new ShelfError("bad_config", `LOG_KEY is not the private half of log.publicKey: its public key is ${key.text}`, {
      fixes: ["After a change of keys write the new public one into log.publicKey; the shelf remembers the old one."],
    });
  return { public: { origin: origins.public, key }, internal: { origin: origins.internal, key } };
}

/** openTrust returns what a verification holds the logs against. */
export function openTrust(config: Config): NonNullable<VerifyOptions["log"]> {
  const { publicKey, witnesses } = config.log ?? { publicKey: null, witnesses: [] };
  return {
    origin: logOrigins(config),
    unsigned: logOrigins(config, defaultOrigin(config)),
    key: publicKey === null ? null : parseKey(publicKey),
    witnesses: witnesses.map(parseKey),
  };
}
