/** LaTeX commands and the signs that they print: a formula is found however it was written. */

const TABLE =
  "to → rightarrow → longrightarrow ⟶ mapsto ↦ leftarrow ← implies → Rightarrow → iff ↔ Leftrightarrow ↔ leftrightarrow ↔ " +
  "hookrightarrow ↪ twoheadrightarrow ↠ le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ in ∈ notin ∉ subseteq ⊆ subset ⊂ supseteq ⊇ supset ⊃ " +
  "cap ∩ cup ∪ bigcap ⋂ bigcup ⋃ sqcap ⊓ sqcup ⊔ wedge ∧ land ∧ vee ∨ lor ∨ neg ¬ lnot ¬ forall ∀ exists ∃ sum ∑ prod ∏ int ∫ " +
  "infty ∞ emptyset ∅ varnothing ∅ times × otimes ⊗ oplus ⊕ bigoplus ⨁ bigotimes ⨂ circ ∘ cong ≅ simeq ≃ sim ∼ equiv ≡ mid ∣ " +
  "nabla ∇ partial ∂ bot ⊥ perp ⊥ top ⊤ langle ⟨ rangle ⟩ sqsubseteq ⊑ approx ≈ bigwedge ⨅ bigsqcap ⨅ inf ⨅ bigvee ⨆ bigsqcup ⨆ " +
  "sup ⨆ vdash ⊢ models ⊨ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ star ⋆ dagger † aleph ℵ ell ℓ " +
  "alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ " +
  "sigma σ tau τ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω";

/** LATEX_SIGNS maps a command without its backslash to its sign. */
export const LATEX_SIGNS: ReadonlyMap<string, string> = new Map(
  [...TABLE.matchAll(/(\w+) (\S+)/g)].map(([, command = "", sign = ""]) => [command, sign]),
);

/** LATEX_DRESS has the commands that only set how something looks. */
export const LATEX_DRESS: ReadonlySet<string> = new Set(
  "mathcal mathrm mathfrak mathbf mathsf mathbb mathscr operatorname text left right big Big bigl bigr quad qquad".split(" "),
);
