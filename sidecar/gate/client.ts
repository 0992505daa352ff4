/** Finds who is counted where nobody has a name: the network of a connection, or the one that trusted proxies say they speak for. */
import type { IncomingHttpHeaders } from "node:http";
import ipaddr from "ipaddr.js";
import type { TrustProxy } from "#snapshots/http";

/** Sixteen-bit groups of an IPv6 address that name a network: who has one address has the whole /64. */
const NETWORK_GROUPS = 4;

/** networkOf gives an IPv4 address as it is, also when it is written as IPv6; of IPv6 the /64 network, however its address is shortened.
 *  @param address of a socket; what is no address is one client of its own */
export function networkOf(address: string | undefined): string {
  try {
    const parsed = ipaddr.process(address ?? "");
    if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
    return new ipaddr.IPv6([...parsed.parts.slice(0, NETWORK_GROUPS), 0, 0, 0, 0]).toString();
  } catch {
    return "unknown";
  }
}

/** Facts of a request. */
type Sent = { readonly socket: { readonly remoteAddress?: string | undefined }; readonly headers: IncomingHttpHeaders };

/** openClients returns a function that gives the network that is counted for a request: the first on the way from the connection that is not a
 *  trusted proxy's. Anything that a client wrote itself lies beyond that, and names nobody. */
export function openClients(trust: TrustProxy): (sent: Sent | undefined) => string {
  const networks = Array.isArray(trust) ? trust.map(parseNetwork) : [];
  const isProxy = (address: string, step: number): boolean => {
    if (typeof trust === "number") return step < trust;
    if (networks.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return networks.some((network) => network[0].kind() === parsed.kind() && parsed.match(network));
  };
  const follow = (connection: string, named: readonly string[]): string => {
    let client = connection;
    for (let step = 0; isProxy(client, step); step++) {
      const next = parseAddress(named.at(-1 - step) ?? "");
      // A proxy that says nothing of use is the client.
      if (next === null) break;
      client = next;
    }
    return client;
  };
  return (sent) => {
    const connection = sent?.socket.remoteAddress ?? "";
    if (sent === undefined || !isProxy(connection, 0)) return networkOf(connection);
    const { "x-forwarded-for": plain, forwarded } = sent.headers;
    const found = [
      ...(plain === undefined ? [] : [plain.toString().split(",")]),
      // By commas alone, quoted or not: a quote that a client opens must not swallow what a proxy writes behind it.
      ...(forwarded === undefined ? [] : [forwarded.split(",").map((item) => FOR.exec(item)?.[1] ?? "")]),
    ].map((named) => follow(connection, named));
    const [client = connection] = found;
    // A proxy writes one of the headers and may pass on the other as the client sent it.
    return networkOf(found.every((other) => other === client) ? client : connection);
  };
}

/** The value of `for` in an element of Forwarded (RFC 7239 §4). */
const FOR = /(?:^|;)\s*for="?([^";]*)"?\s*(?:;|$)/i;

function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  return ipaddr.parseCIDR(text.includes("/") ? text : `${text}/${text.includes(":") ? 128 : 32}`);
}

/** An address as proxies write it, its port and brackets taken off; null for what is none. */
function parseAddress(text: string): string | null {
  const trimmed = text.trim();
  const [, bracketed, four] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(trimmed) ?? [];
  const address = bracketed ?? four ?? trimmed;
  return ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address) ? address : null;
}
