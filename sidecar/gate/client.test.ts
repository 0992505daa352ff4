import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { networkOf, openClients } from "./client.ts";

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

/** Who is counted for a connection from `address` with these headers. */
const counted = (trust: Parameters<typeof openClients>[0], address: string, headers: Record<string, string>): string =>
  openClients(trust)({ socket: { remoteAddress: address }, headers });

test("without trusted proxies no header names anybody", () => {
  for (const headers of [{ "x-forwarded-for": "1.2.3.4" }, { forwarded: "for=1.2.3.4" }, { "x-real-ip": "1.2.3.4" }])
    assert.equal(counted(null, "192.0.2.1", headers), "192.0.2.1");
});

test("through trusted proxies the nearest address that is none of theirs is counted, whatever the client wrote before it", () => {
  const trust = ["192.0.2.1", "10.0.0.0/8", "2001:db8:aa::/48"];
  for (const [chain, client] of [
    ["203.0.113.9", "203.0.113.9"],
    ["1.1.1.1, 203.0.113.9", "203.0.113.9"],
    ["1.1.1.1,203.0.113.9 , 10.1.2.3", "203.0.113.9"],
    ["192.0.2.1, 203.0.113.9, 10.1.2.3,10.0.0.1", "203.0.113.9"],
    ["203.0.113.9:4711", "203.0.113.9"],
    ["::ffff:203.0.113.9", "203.0.113.9"],
    ["2001:db8::1:2:3:4", "2001:db8::"],
    ["[2001:db8::5:6:7:8]:443", "2001:db8::"],
    ["203.0.113.9, 2001:db8:aa::1", "203.0.113.9"],
    ["10.0.0.2, 10.0.0.3", "10.0.0.2"],
  ] as const) {
    assert.equal(counted(trust, "192.0.2.1", { "x-forwarded-for": chain }), client, chain);
    assert.equal(counted(trust, "::ffff:192.0.2.1", { "x-forwarded-for": chain }), client, chain);
    const forwarded = chain
      .split(",")
      .map(
        (item) =>
          `proto=https;For="${item.includes(":") && !item.includes("[") && !item.includes(".") ? `[${item.trim()}]` : item.trim()}";by=x`,
      )
      .join(", ");
    assert.equal(counted(trust, "192.0.2.1", { forwarded }), client, forwarded);
    assert.equal(counted(trust, "192.0.2.1", { forwarded, "x-forwarded-for": chain }), client);
    assert.equal(counted(trust, "198.51.100.1", { "x-forwarded-for": chain, forwarded }), "198.51.100.1", "of a stranger's word nothing");
  }
});

test("what a proxy writes that is no address counts as that proxy, so that nobody can invent clients", () => {
  for (const chain of [
    "",
    "unknown",
    "_hidden",
    "1.2.3",
    "0x7f.1",
    "1.2.3.4.5",
    "x".repeat(10_000),
    "203.0.113.9,",
    "203.0.113.9, <script>",
    "203.0.113.9 8",
  ])
    assert.equal(counted(["192.0.2.1"], "192.0.2.1", { "x-forwarded-for": chain }), "192.0.2.1", chain);
  for (const forwarded of ["", "for", "for=", "by=203.0.113.9", "proto=https", 'for="', "for=unknown;by=203.0.113.9", "xfor=203.0.113.9"])
    assert.equal(counted(["192.0.2.1"], "192.0.2.1", { forwarded }), "192.0.2.1", forwarded);
});

test("a quote that a client opens does not swallow what the proxy writes behind it", () => {
  assert.equal(counted(1, "192.0.2.1", { forwarded: 'for="1.1.1.1, for=203.0.113.9' }), "203.0.113.9");
});

test("two headers that disagree count as the proxy: it writes one of them and passes the client's own on", () => {
  assert.equal(counted(1, "192.0.2.1", { "x-forwarded-for": "203.0.113.9", forwarded: "for=1.1.1.1" }), "192.0.2.1");
});

test("a number of proxies is that many steps from the connection, however many more a client adds", () => {
  const headers = { "x-forwarded-for": "1.1.1.1, 2.2.2.2, 203.0.113.9, 10.0.0.1" };
  assert.equal(counted(1, "10.0.0.2", headers), "10.0.0.1");
  assert.equal(counted(2, "10.0.0.2", headers), "203.0.113.9");
  assert.equal(counted(2, "10.0.0.2", { "x-forwarded-for": "203.0.113.9" }), "203.0.113.9");
  assert.equal(counted(2, "10.0.0.2", {}), "10.0.0.2");
});

test("no headers lead to an error or to a name that is no network", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.ipV4(), fc.ipV6(), fc.constantFrom(",", ", ", "for=", '"', "[", "]", ":", ";"));
  fc.assert(
    fc.property(fc.array(text), fc.array(text), (first, second) => {
      const found = counted(3, "192.0.2.1", { "x-forwarded-for": first.join(""), forwarded: second.join("") });
      assert.equal(networkOf(found), found);
      assert.notEqual(found, "unknown");
    }),
  );
});
