import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { networkOf } from "./client.ts";

test("every address of one /64 is one client, however it is shortened", () => {
  for (const [first, second] of [
    ["2001:db8::1", "2001:db8::2"],
    ["2001:db8::1", "2001:0db8:0000:0000:ffff:ffff:ffff:ffff"],
    ["2001:db8:0:0:1::", "2001:DB8::"],
    ["::1", "::2"],
    ["fe80::1%eth0", "fe80::2%eth0"],
    ["2001:db8:1:2:3:4:1.2.3.4", "2001:db8:1:2::"],
  ] as const)
    assert.equal(networkOf(first), networkOf(second), `${first} ${second}`);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 12, maxLength: 12 }), (groups) => {
      const hex = groups.map((group) => group.toString(16));
      const network = hex.slice(0, 4);
      const short = (host: readonly string[]): string => new URL(`http://[${[...network, ...host].join(":")}]`).hostname.slice(1, -1);
      assert.equal(networkOf(short(hex.slice(4, 8))), networkOf(short(hex.slice(8))));
    }),
  );
});

test("other networks are other clients", () => {
  const clients = ["2001:db8::1", "2001:db8:0:1::1", "2001:db8:1::1", "1.2.3.4", "1.2.3.5"].map(networkOf);
  assert.equal(new Set(clients).size, clients.length);
});

test("an IPv4 address written as IPv6 is that address", () => {
  assert.equal(networkOf("::ffff:1.2.3.4"), networkOf("1.2.3.4"));
  assert.equal(networkOf("::ffff:102:304"), networkOf("1.2.3.4"));
  assert.notEqual(networkOf("::ffff:1.2.3.4"), networkOf("::ffff:1.2.3.5"));
});

test("a connection without an address is counted, too", () => {
  for (const address of [undefined, "", "unknown", "/run/socket"]) assert.equal(networkOf(address), "unknown");
});
