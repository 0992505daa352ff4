/** Words of comments: which begin with a word that has no verb after it, and how many doc comments begin with the name that they document. */
import ts from "typescript";

/** A comment that begins so has to be read twice: nobody yet knows what it speaks of. */
const REFUSED = /^(Of|What|Whether|Who|Whose|Whom|Whatever|Whoever|Which)\b/;
/** Text without this has no such comment: to find comments as the compiler does takes ten times as long. */
const MAYBE = new RegExp(String.raw`\/[*/][\s*]*${REFUSED.source.slice(1)}`);

export type CommentWords = {
  /** One line, "path:line words", for each comment that begins with a refused word. */
  readonly refused: readonly string[];
  /** Doc comments of what a file exports. */
  readonly exported: number;
  /** One line, "path name", for each of them that begins otherwise than with the name. */
  readonly unnamed: readonly string[];
};

/** readBlockWords finds such comments in a stylesheet or a program in C, whose comments are all of one form. */
export function readBlockWords(path: string, text: string): readonly string[] {
  return [...text.matchAll(/\/\*([\s\S]*?)\*\//g)].flatMap(([, comment = ""], at) =>
    REFUSED.test(comment.replace(/^[\s*]+/, "")) ? [`${path} comment ${at + 1}`] : [],
  );
}

/** readCommentWords reads the comments of a module, or of the head of an Astro file. Lines of `//` one below the other are one comment. */
export function readCommentWords(path: string, whole: string): CommentWords {
  const text = path.endsWith(".astro") ? (/^---\n[\s\S]*?\n---/.exec(whole)?.[0].replaceAll(/^---|---$/g, "") ?? "") : whole;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const refused = (MAYBE.test(text) ? commentsOf(source) : []).flatMap(([at, comment]) => {
    const words = wordsOf(comment);
    return REFUSED.test(words) ? [`${path}:${source.getLineAndCharacterOfPosition(at).line + 1} ${words.split("\n")[0]}`] : [];
  });
  const docs = source.statements.flatMap((statement) => {
    const doc = ts.getLeadingCommentRanges(text, statement.getFullStart())?.at(-1);
    const comment = doc === undefined ? "" : text.slice(doc.pos, doc.end);
    // The head of a file stands by itself.
    const isHead = doc?.pos === 0 && /^\s*\n\s*\n/.test(text.slice(doc.end));
    return comment.startsWith("/**") && !isHead && isExported(statement) ? [{ names: namesOf(statement), words: wordsOf(comment) }] : [];
  });
  const unnamed = docs.filter(
    ({ names, words }) => !names.some((name) => new RegExp(`^(An? |The )?\`?${name.replace("$", "\\$")}\\b`).test(words)),
  );
  return { refused, exported: docs.length, unnamed: unnamed.map(({ names }) => `${path} ${names.join(", ")}`) };
}

/** Comments in their order, each with its place. */
function commentsOf(source: ts.SourceFile): readonly (readonly [at: number, comment: string])[] {
  const ends = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    const ranges = [ts.getLeadingCommentRanges(source.text, node.getFullStart()), ts.getTrailingCommentRanges(source.text, node.end)];
    for (const { pos, end } of ranges.flatMap((some) => some ?? [])) ends.set(pos, end);
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  const found: [at: number, comment: string][] = [];
  let last = 0;
  for (const [at, end] of [...ends].sort(([a], [b]) => a - b)) {
    const goesOn =
      source.text.startsWith("//", at) && found.at(-1)?.[1].startsWith("//") === true && /^\n[ \t]*$/.test(source.text.slice(last, at));
    if (!goesOn) found.push([at, source.text.slice(at, end)]);
    last = end;
  }
  return found;
}

function wordsOf(comment: string): string {
  return comment.replace(/^\/\*\*?|^\/\//, "").replace(/^[\s*]+/, "");
}

function isExported(statement: ts.Statement): boolean {
  return ts.canHaveModifiers(statement) && (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText());
  return ts.isDeclarationStatement(statement) && statement.name !== undefined ? [statement.name.getText()] : [];
}
