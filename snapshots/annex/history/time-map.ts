/** When which snapshot was served: RFC 7089 (Memento) over the history, as application/link-format (RFC 6690). */
import { pagePath } from "#snapshots/format";
import type { SnapshotRecord } from "#snapshots/shelf";

export const TIME_MAP_PATH = "/api/timemap";
export const TIME_MAP_TYPE = "application/link-format";

/** timeMap writes the time map of the library.
 *  @param base absolute address of the library, or empty
 *  @param records of what is kept, ascending
 *  @param current sequence of what is served */
export function timeMap(base: string, records: readonly SnapshotRecord[], current: number): string {
  const served = records.filter(({ sequence }) => sequence <= current);
  const links = [
    `<${base}/>; rel="original"`,
    `<${base}${TIME_MAP_PATH}>; rel="self"; type="${TIME_MAP_TYPE}"`,
    `<${base}/timegate/>; rel="timegate"`,
    ...served.map(({ snapshot, created }, at) => {
      const rel = ["memento", ...(at === 0 ? ["first"] : []), ...(at === served.length - 1 ? ["last"] : [])];
      return `<${base}${pagePath.at(snapshot, "/")}>; rel="${rel.toSorted().join(" ")}"; datetime="${new Date(created).toUTCString()}"`;
    }),
  ];
  return `${links.join(",\n")}\n`;
}
