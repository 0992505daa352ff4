import { test } from "node:test";
import { readChanging, readTampered } from "./code-tamper-fixture.ts";

test("1,000 of 1,000 reads of a tampered file are 503 over HTTP, and not one byte of it is sent", () => readTampered(1_000));

test("a file that is changed after it was hashed and before it is sent is sent as it was hashed", () => readChanging(50));
