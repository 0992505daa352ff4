/** Letters and signs of text that LaTeX writes as commands. */

/** pairs reads `name=value` between spaces. */
export const pairs = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(/([^\s=]+)=([^ ]+)/g)].map(([, name = "", value = ""]) => [name, value]));

/** LATEX_PRINTED maps commands to what they print. */
export const LATEX_PRINTED: ReadonlyMap<string, string> = new Map([
  ...pairs(
    "LaTeX=LaTeX TeX=TeX LaTeXe=LaTeX2ε BibTeX=BibTeX ldots=… dots=… pm=± textellipsis=… textbackslash=\\ textasciitilde=~ textasciicircum=^ textbar=| textless=< textgreater=> " +
      "textunderscore=_ textendash=– textemdash=— textquotedblleft=“ textquotedblright=” textquoteleft=‘ textquoteright=’ textbullet=• textregistered=® texttrademark=™ " +
      "copyright=© textcopyright=© pounds=£ euro=€ S=§ P=¶ dag=† ddag=‡ ss=ß ae=æ AE=Æ oe=œ OE=Œ aa=å AA=Å o=ø O=Ø l=ł L=Ł i=ı j=ȷ dh=ð th=þ guillemotleft=« guillemotright=» glqq=„ grqq=“",
  ),
  ["quad", " "],
  ["qquad", " "],
  ["space", " "],
  ["xspace", ""],
]);

/** LATEX_ACCENTS maps commands of accents to the marks that join their letter. */
export const LATEX_ACCENTS: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307" }),
  ...Object.entries({ c: "\u0327", v: "\u030c", u: "\u0306", H: "\u030b", k: "\u0328", r: "\u030a", d: "\u0323", b: "\u0331" }),
]);
