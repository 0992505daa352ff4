/** `api/library.json`: what the configuration says of a view, and what its build met. */
import { z } from "zod";
import { CollectionCounts, VIEWS, VISIBILITIES } from "./resources.ts";

export const CollectionInfo = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    summary: z.string(),
    visibility: z.enum(VISIBILITIES),
    prefix: z.string(),
  })
  .readonly();
export type CollectionInfo = z.infer<typeof CollectionInfo>;

/** RegistryState is that of the registry, and of the claims. With "kept" it could not be used and the last good copy was taken; with "failed"
 *  there was none. */
export const RegistryState = z.enum(["none", "read", "kept", "failed"]);
export type RegistryState = z.infer<typeof RegistryState>;

export const Library = z
  .strictObject({
    title: z.string(),
    summary: z.string(),
    view: z.enum(VIEWS),
    base_url: z.string(),
    registry_url: z.string(),
    /** With "none" and "failed" there are no records and no metadata. */
    registry: RegistryState,
    claims: RegistryState,
    generator: z.string(),
    collections: z.array(CollectionInfo).readonly(),
    /** Key of the object whose text opens the front page, where the configuration names one. */
    front: z.string().exactOptional(),
    /** The content of `security.txt`, where the configuration has it; a time in RFC 3339. */
    security: z
      .strictObject({ contact: z.string(), expires: z.iso.datetime({ offset: true }) })
      .readonly()
      .exactOptional(),
    /** Where readers report a mistake: a mail address, or an address of the web. */
    report: z.string().exactOptional(),
    /** Ids of the records that its owner puts first. */
    main: z.array(z.string()).readonly().exactOptional(),
    /** How many pages of a PDF are drawn; absent where none are. */
    page_images: z.int().min(1).exactOptional(),
    /** Counts of both kinds, in each view, and beside them what the operator states. */
    collection_counts: CollectionCounts,
    /** Notes for readers about this build: a registry that was down, counts that disagree, … */
    notes: z.array(z.string()).readonly(),
  })
  .readonly();
export type Library = z.infer<typeof Library>;
