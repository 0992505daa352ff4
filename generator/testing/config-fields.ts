/** The keys of the configuration as a table: what the guide to it and its tests read. */
import { configJsonSchema } from "../config/problems.ts";

type JsonSchema = {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
};

type ConfigField = {
  readonly key: string;
  readonly type: string;
  readonly required: boolean;
  readonly default: string;
  readonly description: string;
};

/** listConfigFields lists every key of the file with type, default and meaning, in the schema's order: the reference table. */
export function listConfigFields(): ConfigField[] {
  const fields: ConfigField[] = [];
  const walk = (schema: JsonSchema, path: string): void => {
    const options = (schema.oneOf ?? schema.anyOf ?? []).filter((option) => option.properties !== undefined);
    for (const option of options.length > 0 ? options : [schema]) {
      const kind = option.properties?.["kind"]?.const;
      for (const [name, field] of Object.entries(option.properties ?? {})) {
        const key = path === "" ? name : `${path}${typeof kind === "string" && name !== "kind" ? ` (${kind})` : ""}.${name}`;
        if (name === "kind" && fields.some((other) => other.key === key)) continue;
        fields.push({
          key,
          type:
            name === "kind" ? options.map((other) => JSON.stringify(other.properties?.["kind"]?.const)).join(" or ") : describeType(field),
          required: option.required?.includes(name) ?? false,
          default: field.default === undefined ? "" : JSON.stringify(field.default),
          description: field.description ?? "",
        });
        walk(field, key);
        if (field.items?.properties !== undefined) walk(field.items, `${key}[]`);
      }
    }
  };
  walk(configJsonSchema() as JsonSchema, "");
  return fields;
}

function describeType(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const options = schema.oneOf ?? schema.anyOf;
  if (options !== undefined) return [...new Set(options.map(describeType))].join(" or ");
  if (schema.type === "array") return `list of ${describeType(schema.items ?? {})}`;
  return (
    { string: "text", integer: "whole number", number: "number", boolean: "true or false", object: "mapping" }[schema.type ?? ""] ?? "value"
  );
}
