/-
An adapter of Lean 4 for machines that have Lean: it speaks the protocol of `proofshelf registry recheck` and needs nothing but Lean and Lake.
It was never run by those who wrote it, and is tested on recorded answers alone. A source names it in registry.yaml; it is started in the
folder of that file, which has to be that of the Lake project, so that `lake env` finds what the project needs:

  - { repo: mine, git: ., rev: HEAD, prover: lean, adapter: { command: [lake, env, lean, --run, ./lean-adapter.lean], prover: lean } }

Each file of the request is compiled anew into a folder of its own, in an order that its imports give; then their environment is asked.
-/
import Lean
open Lean

def say (members : List (String × Json)) : IO Unit := IO.println (Json.mkObj members).compress

def field (json : Json) (name : String) : IO Json := IO.ofExcept (json.getObjVal? name)
def string (json : Json) (name : String) : IO String := do IO.ofExcept ((← field json name).getStr?)
def list (json : Json) (name : String) : IO (Array Json) := do IO.ofExcept ((← field json name).getArr?)

def moduleOf (root path : String) : Name :=
  let below := if root.isEmpty then path else (path.drop (root.length + 1)).toString
  ((below.dropRight 5).toString.splitOn "/").foldl (fun name part => .str name part) .anonymous

/-- Digest of a file, by the program that every Linux has. -/
def digest (path : String) : IO String := do
  let out ← IO.Process.output { cmd := "sha256sum", args := #[path] }
  return (out.stdout.take 64).toString

structure Source where
  path : String
  name : Name
  imports : Array Name

def readSource (folder root path : String) : IO Source := do
  let text ← IO.FS.readFile s!"{folder}/{path}"
  let (imports, _, _) ← Elab.parseImports text path
  return { path, name := moduleOf root path, imports := imports.map (·.module) }

/-- Each after what it imports. -/
partial def sorted (sources : Array Source) : Array Source := Id.run do
  let mut done : Array Source := #[]
  let mut rest := sources
  while rest.size > 0 do
    let ready := rest.filter fun one => one.imports.all fun name => !(rest.any fun other => other.name == name && other.name != one.name)
    if ready.isEmpty then return done ++ rest
    done := done ++ ready
    rest := rest.filter fun one => !(ready.any fun other => other.name == one.name)
  return done

/-- `scratch` is a file of this run alone. -/
def answer (env : Environment) (scratch : String) (asked : Array Json) (known : List String) : IO Unit := do
  for one in asked do
    let key ← string one "key"
    let path ← string one "path"
    let name := (← string one "name").toName
    match env.find? name with
    | none =>
      say [("t", "check"), ("path", path), ("decl", key), ("state", "unsupported"), ("log", "Lean has nothing of this name.")]
    | some info =>
      let run {α} (action : MetaM α) : IO α := do
        let (value, _, _) ← action.toIO { fileName := path, fileMap := default, maxHeartbeats := 0 } { env }
        return value
      let statement ← run do return toString (← Meta.ppExpr info.type)
      let axioms ← run do collectAxioms name
      IO.FS.writeFile scratch (toString info.type)
      say [("t", "decl"), ("key", key), ("statement", statement), ("type_sha256", ← digest scratch)]
      if axioms.contains ``sorryAx then say [("t", "hole"), ("decl", key), ("what", "sorryAx")]
      let unsafe_ := if info.isUnsafe then #[Json.str s!"{name} is unsafe"] else #[]
      say [("t", "axioms"), ("decl", key), ("names", Json.arr (axioms.map fun one => Json.str one.toString)), ("unsafe", Json.arr unsafe_), ("exact", true)]
      let edges (part : String) (names : Array Name) : IO Unit := do
        for to in names do
          if to != name && known.contains to.toString then
            say [("t", "edge"), ("from", key), ("to", to.toString), ("part", part), ("basis", "kernel")]
      edges "statement" info.type.getUsedConstants
      edges "proof" (match info.value? with | some value => value.getUsedConstants | none => #[])

unsafe def main (_ : List String) : IO Unit := do
  let request ← IO.ofExcept (Json.parse (← (← IO.getStdin).readToEnd))
  let folder ← string request "root"
  let root ← string (← field request "options") "root"
  let asked ← list request "ask"
  let known ← (← list request "own").toList.mapM fun one => IO.ofExcept one.getStr?
  let paths ← (← list request "files").mapM fun one => string one "path"
  say [("t", "tool"), ("name", "lean"), ("version", Lean.versionString), ("executable_sha256", ← digest (← IO.appPath).toString), ("adapter", "lean script 1"),
    ("command", Json.arr #["lake", "env", "lean", "-o"])]
  let out := s!"{folder}/.compiled"
  IO.FS.createDirAll out
  let before := (← IO.getEnv "LEAN_PATH").getD ""
  let sources := sorted (← (paths.filter (·.endsWith ".lean")).mapM (readSource folder root))
  let mut failed : List Name := []
  for one in sources do
    let target := modToFilePath out one.name "olean"
    if let some parent := target.parent then IO.FS.createDirAll parent
    -- What the project built before lies further behind: its own modules are those that were compiled here.
    let ran ← IO.Process.output
      { cmd := "lean", args := #["-o", target.toString, s!"{folder}/{one.path}"], env := #[("LEAN_PATH", some s!"{out}:{before}")] }
    let broken := one.imports.filter fun name => failed.contains name
    let good := ran.exitCode == 0 && broken.isEmpty
    if !good then failed := one.name :: failed
    say [("t", "imports"), ("path", one.path), ("imports", Json.arr ((sources.filter fun other => other.name != one.name).map fun other => Json.str other.path))]
    say [("t", "check"), ("path", one.path), ("state", if good then "accepted" else "rejected"), ("log", if good then "" else (ran.stdout.take 16000).toString)]
  let good := sources.filter fun one => !failed.contains one.name
  enableInitializersExecution
  initSearchPath (← findSysroot) [out]
  let env ← importModules (good.map fun one => { module := one.name }) {} (loadExts := true)
  let paths := good.map (·.path)
  answer env s!"{out}/type" (← asked.filterM fun one => return paths.contains (← string one "path")) known
  say [("t", "end"), ("answered", asked.size)]
