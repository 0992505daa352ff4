/** The shape of a LaTeX text: where its groups and environments end, found in one pass, so that no reader looks for an end twice. What somebody
 *  left open has none, and is read as if it were not there. */
import { LATEX_PRINTED, pairs } from "#snapshots/blocks";

/** VERBATIM are the environments whose text is taken as it is. */
export const VERBATIM: ReadonlySet<string> = new Set(
  "verbatim verbatim* Verbatim BVerbatim LVerbatim lstlisting minted code spec comment alltt filecontents filecontents* tikzpicture pgfpicture forest tikzcd".split(
    " ",
  ),
);
const SHAPE =
  /\\(begin|end)[ \t]*\{([^{}\n\\]{1,40})\}|\\(?:verb|lstinline)\*?([^\w\s*{[])|\\(?:url|path|nolinkurl|href)[ \t]*\{[^{}\n]{0,1000}\}|\\[\s\S]|[{}]|%.*/g;

/** UTF-16 units that a braced argument may take; an open brace must not swallow the file. */
const MAX_ARGUMENT = 1000;

/** readArgument returns the text up to the brace that closes the one just before `from`, or null when that stays open. */
export function readArgument(text: string, from: number): string | null {
  const until = Math.min(text.length, from + MAX_ARGUMENT);
  for (let at = from, depth = 1; at < until; at++) {
    const sign = text[at];
    if (sign === "\\") at++;
    else if (sign === "{") depth++;
    else if (sign === "}" && --depth === 0) return text.slice(from, at);
  }
  return null;
}

export type Shape = {
  /** Where the brace is that closes the one at an offset. */
  readonly braces: ReadonlyMap<number, number>;
  /** Where the `\end` stands of the `\begin` at an offset. */
  readonly environments: ReadonlyMap<number, number>;
};

export function findShape(text: string): Shape {
  const braces = new Map<number, number>();
  const environments = new Map<number, number>();
  const open: number[] = [];
  const begun: { readonly name: string; readonly at: number }[] = [];
  const waiting = new Map<string, number>();
  const shape = new RegExp(SHAPE);
  for (let found = shape.exec(text); found !== null; found = shape.exec(text)) {
    const [whole, edge, name = "", sign] = found;
    const at = found.index;
    if (whole.length > 1 && whole.endsWith("}")) braces.set(text.indexOf("{", at), shape.lastIndex - 1);
    if (whole === "{") open.push(at);
    else if (whole === "}") {
      const from = open.pop();
      if (from !== undefined) braces.set(from, at);
    } else if (sign !== undefined) {
      const end = text.slice(shape.lastIndex, shape.lastIndex + 500).search(sign === "|" ? /[|\n]/ : new RegExp(`[\\${sign}\\n]`));
      if (end >= 0) shape.lastIndex += end + 1;
    } else if (edge === "begin") {
      const end = VERBATIM.has(name) && waiting.get(name) !== -1 ? text.indexOf(`\\end{${name}}`, shape.lastIndex) : -2;
      if (end >= 0) {
        environments.set(at, end);
        shape.lastIndex = end + name.length + 6;
      } else if (end === -1) waiting.set(name, -1);
      else {
        begun.push({ name, at });
        waiting.set(name, (waiting.get(name) ?? 0) + 1);
      }
    } else if (edge === "end" && (waiting.get(name) ?? 0) > 0) {
      for (let last = begun.pop(); last !== undefined; last = begun.pop()) {
        waiting.set(last.name, (waiting.get(last.name) ?? 1) - 1);
        if (last.name !== name) continue;
        environments.set(last.at, at);
        break;
      }
    }
  }
  return { braces, environments };
}

/** WRAPS maps commands to the elements that their argument stands in, DECLARES those that count to the end of their group. */
export const WRAPS = pairs(
  "textbf=strong strong=strong emph=em textit=em textsl=em texttt=code lstinline=code code=code textsuperscript=sup inst=sup IEEEauthorrefmark=sup textsubscript=sub underline=u uline=u sout=s st=s",
);
export const DECLARES = pairs("bf=strong bfseries=strong it=em itshape=em em=em sl=em slshape=em tt=code ttfamily=code");
/** SIGNS maps commands to what they print. */
export const SIGNS: ReadonlyMap<string, string> = new Map([
  ...LATEX_PRINTED,
  ...["and", "And", "AND"].map((name): readonly [string, string] => [name, " · "]),
]);
/** DROPS maps commands to the number of their first arguments that say how something is set: the rest of their arguments is text. */
export const DROPS: ReadonlyMap<string, number> = new Map(
  [
    ...pairs(
      "usepackage=1 RequirePackage=1 documentclass=1 PassOptionsToPackage=2 bibliographystyle=1 pagestyle=1 thispagestyle=1 pagenumbering=1 vspace=1 hspace=1 vskip=0 setlength=2 " +
        "addtolength=2 setcounter=2 addtocounter=2 stepcounter=1 newcounter=1 numberwithin=2 counterwithin=2 color=1 definecolor=3 hypersetup=1 addcontentsline=3 newenvironment=3 renewenvironment=3 " +
        "theoremstyle=1 markboth=2 markright=1 fontsize=2 selectlanguage=1 rule=2 raisebox=1 resizebox=2 scalebox=1 textcolor=1 colorbox=1 fcolorbox=2 parbox=1 multirow=2 cline=1 cmidrule=1 " +
        "hyperlink=1 graphicspath=1 DeclareGraphicsExtensions=1 lstset=1 geometry=1 usetikzlibrary=1 tikzset=1 pgfplotsset=1 nocite=1 index=1 glsadd=1 linespread=1 hyphenation=1 allowdisplaybreaks=0 " +
        "newlength=1 newsavebox=1 usetheme=1 usecolortheme=1 setbeamertemplate=2 setbeamercolor=2 setmainfont=1 setsansfont=1 setmonofont=1 sisetup=1 captionsetup=1 enlargethispage=1 penalty=0 " +
        "vphantom=1 hphantom=1 phantom=1 ProvidesPackage=1 ProvidesClass=1 input@path=1 bibliographyunit=1 acmConference=4 setcopyright=1 acmDOI=1 acmISBN=1 ccsdesc=1 includeonly=1 pdfbookmark=2 " +
        "AtBeginDocument=1 AtEndDocument=1 makeatletter=0 makeatother=0 relax=0 newif=0 crefname=3 Crefname=3 lstdefinelanguage=2 lstdefinestyle=2 newcolumntype=2 arraystretch=0 switchcolumn=0 " +
        "newunicodechar=2 DeclareUnicodeCharacter=2 microtypesetup=1 titleformat=5 titlespacing=4 fancyhf=1 fancyhead=1 fancyfoot=1 lhead=1 rhead=1 chead=1 lfoot=1 rfoot=1 cfoot=1 urlstyle=1 tolerance=0 mathtoolsset=1 setminted=1 settopmatter=1 orcidID=1 orcid=1 corref=1 fnref=1 authornotemark=0 ".trim(),
    ),
  ].map(([name, count]) => [name, Number(count)]),
);
/** ARGUMENTS maps environments to the number of arguments that follow their name and are no text. */
export const ARGUMENTS: ReadonlyMap<string, number> = new Map(
  [
    ...pairs(
      "multicols=1 minipage=1 tabularx=2 tabular*=2 tabular=1 longtable=1 array=1 tabulary=2 thebibliography=1 wrapfigure=2 adjustbox=1 list=2 spacing=1 subfigure=1 subtable=1 alignat=1 alignat*=1 xltabular=2 supertabular=1 adjustwidth=2 paracol=1 tcolorbox=0 CJK=2 otherlanguage=1 columns=0 column=1 overlayarea=2 minted=1 filecontents=1 filecontents*=1 labeling=1",
    ),
  ].map(([name, count]) => [name, Number(count)]),
);
