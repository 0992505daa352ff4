/// <reference types="astro/client" />

declare namespace App {
  interface Locals {
    /** What the page shows; set by site/entry.ts. */
    readonly input: import("#snapshots/page").PageInput;
    /** Address of the script that verifies a page. */
    readonly verifyScript: string;
  }
}
