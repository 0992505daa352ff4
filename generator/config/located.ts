/** YAML files beside the configuration, read by their schemas: every mistake at once, each with its line. */
import { z } from "zod";
import { readConfigFile } from "./config.ts";
import { badConfig, explainIssues } from "./problems.ts";
import { type ConfigProblem, type LocatedYaml, parseLocatedYaml } from "./yaml.ts";

/** readLocated reads a YAML file by its schema. @param read gives its bytes @throws ShelfError "bad_config" with every mistake and its line */
export function readLocated<T extends z.ZodType>(
  file: string,
  schema: T,
  document: object,
  what: string,
  check: (parsed: z.infer<T>, yaml: LocatedYaml) => readonly ConfigProblem[] = () => [],
  read: (file: string, what: string) => Uint8Array = readConfigFile,
): z.infer<T> {
  const yaml = parseLocatedYaml(read(file, what));
  const value = yaml.value ?? {};
  const result = schema.safeParse(value);
  // Nothing else can be said of a file that is no YAML as a whole.
  const isRead = yaml.value !== null || yaml.problems.length === 0;
  const found = result.success ? check(result.data, yaml) : explainIssues(result.error.issues, value, document);
  const lines = [
    ...yaml.problems.map((problem) => ({ ...problem, path: [] })),
    ...(isRead ? found : []).map((problem) => ({ line: yaml.lineOf(problem.path), ...problem })),
  ];
  if (!result.success || lines.length > 0) throw badConfig(file, lines);
  return result.data;
}
