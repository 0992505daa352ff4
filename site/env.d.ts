/// <reference types="astro/client" />

declare namespace App {
  interface Locals {
    /** What the page shows; set by site/entry.ts. */
    readonly input: import("../snapshots/page/model.ts").PageInput;
  }
}
