/** Values that keys of the configuration have in common. Messages complete a sentence that begins with the key. */
import { z } from "zod";

/** maybe takes absence for null. */
export const maybe = <T extends z.ZodType>(schema: T) => schema.optional().transform((value) => value ?? null);
/** some takes a text that is not empty. @param what is to be written */
export const some = (what: string) => z.string().refine((value) => value.trim() !== "", `is empty; write ${what}`);

/** refuse makes a check of a function that says what is wrong with a value, or null. */
export function refuse(find: (value: string) => string | null) {
  return (value: string, context: z.core.$RefinementCtx): void => {
    const problem = find(value);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  };
}

/** webAddress takes the address of a service. @param what it is */
export function webAddress(what: string) {
  return z
    .string()
    .superRefine(refuse(findAddressProblem))
    .transform((value) => value.replace(/\/+$/, ""))
    .meta({ description: what });
}

const NO_ADDRESS = "is not an http or https address; write one like https://library.example.org";

function findAddressProblem(value: string): string | null {
  const url = /^https?:\/\//i.test(value) ? URL.parse(value) : null;
  if (url === null) return NO_ADDRESS;
  if (url.username !== "" || url.password !== "") return "holds credentials; leave them out, secrets come from the environment";
  if (url.search !== "" || url.hash !== "") return "has a query or fragment; write the address without it";
  return null;
}

/** findRegistryProblem says what is wrong with an address that may have a query. */
export function findRegistryProblem(value: string): string | null {
  const url = /^https?:\/\//i.test(value) ? URL.parse(value) : null;
  if (url === null) return NO_ADDRESS;
  return url.username === "" && url.password === "" ? null : "holds credentials; leave them out";
}

const MAIL = /^[\w.+-]+@[\w.-]+$/;
const NO_CONTACT = "is neither a mail address nor an address of the web; write one like library@example.org";
/** contact takes a mail address, or one of the web. */
export const contact = z.string().superRefine(refuse((value) => (MAIL.test(value) ? null : findRegistryProblem(value) && NO_CONTACT)));

/** isSafeAddress tells whether an address is https or on this machine: an answer that decides who gets in may not come over a line that anybody
 *  can rewrite. */
export function isSafeAddress(value: string): boolean {
  const { protocol, hostname = "" } = URL.parse(value) ?? {};
  return protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname));
}

/** hasScheme tells an address from the path of a file. */
export const hasScheme = (value: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(value);

/** gate takes what a build does with something that would get weaker. */
export const gate = z.enum(["refuse", "warn"], "is not refuse or warn").default("warn");

/** names takes a list of names. @param what they are */
export const names = (what: string) => z.array(some("a name")).meta({ description: what });

/** emails takes addresses of people. */
export const emails = z
  .array(
    z
      .string()
      .regex(/^[^\s@]+@[^\s@]+$/, "is not an email address")
      .toLowerCase(),
  )
  .default([])
  .meta({ description: "Authorized addresses" });

/** domains takes what stands behind the @ of such addresses. */
export const domains = z
  .array(
    z
      .string()
      .regex(/^(?=.{1,253}$)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/, "is not a domain like example.org")
      .toLowerCase(),
  )
  .default([])
  .meta({ description: "Authorized domains of addresses" });
