/** Who is counted where nobody has a name: the network of a connection. */
import ipaddr from "ipaddr.js";

/** Sixteen-bit groups of an IPv6 address that name a network: who has one address has the whole /64. */
const NETWORK_GROUPS = 4;

/** An IPv4 address as it is, also when it is written as IPv6; of IPv6 the /64 network, however its address is shortened.
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
