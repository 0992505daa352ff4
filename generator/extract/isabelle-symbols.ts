/** Isabelle's symbols (`\<forall>`) as the signs that its own editor shows. Only what a reader sees is changed: the bytes keep
 *  the names. Greek letters are named as their characters are. */

const SIGNS =
  "forall ∀ exists ∃ nexists ∄ lambda λ And ⋀ Or ⋁ and ∧ or ∨ not ¬ noteq ≠ equiv ≡ equals ＝ longrightarrow ⟶ Longrightarrow ⟹ rightarrow → " +
  "Rightarrow ⇒ leftarrow ← Leftarrow ⇐ longleftarrow ⟵ Longleftarrow ⟸ leftrightarrow ↔ Leftrightarrow ⇔ longleftrightarrow ⟷ " +
  "Longleftrightarrow ⟺ mapsto ↦ longmapsto ⟼ hookrightarrow ↪ rightharpoonup ⇀ leadsto ↝ up ↑ down ↓ Up ⇑ Down ⇓ le ≤ ge ≥ lless ≪ ggreater ≫ " +
  "lesssim ≲ greatersim ≳ in ∈ notin ∉ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ sqsubset ⊏ sqsupset ⊐ sqsubseteq ⊑ sqsupseteq ⊒ inter ∩ union ∪ " +
  "Inter ⋂ Union ⋃ sqinter ⊓ squnion ⊔ Sqinter ⨅ Squnion ⨆ setminus ∖ emptyset ∅ times × div ÷ cdot ⋅ star ⋆ bullet ∙ circ ∘ dagger † oplus ⊕ " +
  "ominus ⊖ otimes ⊗ odot ⊙ Oplus ⨁ Otimes ⨂ Sum ∑ Prod ∏ Coprod ∐ integral ∫ infinity ∞ partial ∂ nabla ∇ surd √ plusminus ± uplus ⊎ Uplus ⨄ " +
  "lbrakk ⟦ rbrakk ⟧ langle ⟨ rangle ⟩ lparr ⦇ rparr ⦈ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ lblot ⦉ rblot ⦊ open ‹ close › guillemotleft « guillemotright » " +
  "bool 𝔹 nat ℕ int ℤ rat ℚ real ℝ complex ℂ turnstile ⊢ Turnstile ⊨ tturnstile ⊩ TTurnstile ⊫ stileturn ⊣ top ⊤ bottom ⊥ sim ∼ simeq ≃ " +
  "approx ≈ cong ≅ doteq ≐ asymp ≍ propto ∝ prec ≺ succ ≻ preceq ≼ succeq ≽ parallel ∥ bar ¦ dots … cdots ⋯ some ϵ hole ⌑ diamond ◇ box □ " +
  "triangle △ triangleleft ◃ triangleright ▹ triangleq ≜ bowtie ⋈ Join ⨝ wrong ≀ degree ° section § paragraph ¶ comment ― proof ⸎ newline ⏎ " +
  "A 𝒜 B ℬ C 𝒞 D 𝒟 E ℰ F ℱ G 𝒢 H ℋ I ℐ J 𝒥 K 𝒦 L ℒ M ℳ N 𝒩 O 𝒪 P 𝒫 Q 𝒬 R ℛ S 𝒮 T 𝒯 U 𝒰 V 𝒱 W 𝒲 X 𝒳 Y 𝒴 Z 𝒵 " +
  "alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ chi χ " +
  "psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω " +
  "^sub ⇩ ^sup ⇧ ^bold ❙ ^bsub ⇘ ^esub ⇙ ^bsup ⇗ ^esup ⇖ ^item ▪ ^enum ▸ ^descr ➧ ^marker ✎";

const words = SIGNS.split(" ");
const BY_NAME: ReadonlyMap<string, string> = new Map(words.flatMap((name, at) => (at % 2 === 0 ? [[name, words[at + 1] ?? name]] : [])));

/** readSymbols returns the text with signs for the names that are known. The text keeps its lines. */
export function readSymbols(text: string): string {
  return text.includes("\\<") ? text.replaceAll(/\\<(\^?\w{1,30})>/g, (written, name: string) => BY_NAME.get(name) ?? written) : text;
}
