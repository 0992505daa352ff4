/** YAML files beside the configuration, read by their schemas: every mistake at once, each with its line. */
import { z } from "zod";
import { readConfigFile } from "./config.ts";
import { badConfig, type ConfigProblem, explainIssues } from "./problems.ts";
import { type LocatedYaml, parseLocatedYaml } from "./yaml.ts";

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
  const located = (problems: readonly ConfigProblem[]) => problems.map((problem) => ({ line: yaml.lineOf(problem.path), ...problem }));
  if (yaml.problems.length > 0)
    throw badConfig(
      file,
      yaml.problems.map((problem) => ({ ...problem, path: [] })),
    );
  const value = yaml.value ?? {};
  const result = schema.safeParse(value);
  if (!result.success) throw badConfig(file, located(explainIssues(result.error.issues, value, document)));
  const problems = check(result.data, yaml);
  if (problems.length > 0) throw badConfig(file, located(problems));
  return result.data;
}
