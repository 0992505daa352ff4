/** The makers of an object, its date and its terms, as it says itself or as its library says of it. */
import { z } from "zod";

export const About = z
  .strictObject({
    /** Names in their order; [] when nobody is named. */
    authors: z.array(z.string()).readonly(),
    /** A year, a month or a day: 2024, 2024-05, 2024-05-17; null when none is stated. */
    date: z.string().nullable(),
    /** An SPDX expression where the terms are known ones, else as they are written; null when they are not stated. */
    license: z.string().nullable(),
    /** The language that it is written in: the first part of a BCP 47 tag: "de"; absent for English and where nothing tells. */
    lang: z.string().exactOptional(),
    /** Paths that it has besides its own on the site that it was written for, as it names them. */
    addresses: z.array(z.string()).min(1).readonly().exactOptional(),
  })
  .readonly();
export type About = z.infer<typeof About>;
