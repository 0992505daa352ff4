import { test } from "node:test";
import { readChanging, readTampered } from "./code-tamper-fixture.ts";

test("10,000 of 10,000 reads of a tampered file are 503 over HTTP, and not one byte of it is sent", () => readTampered(10_000));

test("a file that is changed after it was hashed and before it is sent is sent as it was hashed", () => readChanging(500));
