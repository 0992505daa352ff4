/** Structured logs on stderr, one JSON line per request, with everything that could be a credential cut out. */
import { type DestinationStream, type Logger, pino } from "pino";
import { cutTokens, openStderr } from "#snapshots/http";

/** Names under which a secret could come into a log, at any of the depths that we write. */
const SECRET_NAMES = [
  "authorization",
  "cookie",
  "token",
  "secret",
  "password",
  "apiKey",
  "headers",
  '["edge-access-token"]',
  '["edge-access-client-id"]',
  '["edge-access-client-secret"]',
  '["x-resource-library-reindex-token"]',
];
/** Environment variables whose values must not be written, wherever they turn up. */
const SECRET_VARIABLES = ["REINDEX_TOKEN", "AI_GATEWAY_ID", "INFERENCE_API_KEY", "LOG_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];
const MIN_SECRET = 6;
/** `user:password@` in an address that an error quotes. */
const USERINFO = /(\/\/)[^\s/@"]+@/g;

export function openLog(stream: DestinationStream = openStderr(), env: NodeJS.ProcessEnv = process.env): Logger {
  const secrets = SECRET_VARIABLES.flatMap((name) => {
    const value = env[name];
    return value === undefined || value.length < MIN_SECRET ? [] : [value];
  });
  // The last door: whatever a message or a stack quotes, it passes here as text.
  const cleaned: DestinationStream = {
    write(line) {
      let text = cutTokens(line).replaceAll(USERINFO, "$1[redacted]@");
      for (const secret of secrets)
        text = text.replaceAll(secret, "[redacted]").replaceAll(JSON.stringify(secret).slice(1, -1), "[redacted]");
      stream.write(text);
    },
  };
  return pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, name.startsWith("[") ? `*${name}` : `*.${name}`]), censor: "[redacted]" },
    },
    cleaned,
  );
}

/** requestLog writes the lines of requests, whose members are ours and bear none of those names. Looking for them would cost more than the rest of
 *  the line; what the values hold still passes the last door. */
export function requestLog(log: Logger): Logger {
  return log.child({}, { redact: [] });
}
