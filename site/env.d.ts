/// <reference types="astro/client" />

declare namespace App {
  interface Locals {
    /** The page's input; set by site/entry.ts. */
    readonly input: import("#snapshots/page").PageInput;
    /** Address of the script that verifies a page. */
    readonly verifyScript: string;
  }
}
