// Errors of the signer: a closed list of types, so that each is mapped once and no other one steers a computation.
import t from "tap"
import type { Source } from "./import-faults.ts"
import { sourcesIn } from "./sources.ts"

const DECLARED = /\bclass(?: (?!extends\b)(\w+))?(?:<[^{]*>)? extends (\w+)/g

/** Types that extend an error of JavaScript, or each other, each with the one that it extends. A class without a name has none. */
function errorTypes(sources: readonly Source[]): [name: string, base: string][] {
  const classes = sources.flatMap(({ text }) =>
    [...text.matchAll(DECLARED)].map(([, name = "", base = ""]) => [name, base] as [string, string]),
  )
  const bases = new Map(classes)
  const isError = (base: string): boolean => {
    const above = bases.get(base)
    return above === undefined
      ? /^(?:Aggregate|DOM|Eval|Range|Reference|Syntax|Type|URI)?(?:Error|Exception)$/.test(base)
      : isError(above)
  }
  return classes.filter(([, base]) => isError(base))
}

/** Files that ask whether an error is of a type. */
function askers(name: string, sources: readonly Source[]): string[] {
  return sources.filter(({ text }) => text.includes(`instanceof ${name}`)).map(({ path }) => path)
}

const signer = sourcesIn("signer")

/** Types of errors that are no kinds of another one. */
const TYPES: { readonly [name: string]: string } = {
  BrokenInvariant: "ends the process",
  Fault: "input that cannot be read: its kind says which refusal it becomes (fault-refusals.ts)",
  LackingContext: "ends an order, which gets it as its result (context-needed.ts)",
  Refusal: "answers a caller with a code",
  RequestFault: "a request of the fetcher without a reply: its reader says which refusal it becomes",
  StartError: "ends a program or a command with a sentence for its operator; its kind is the exit status",
  WrongService: "a call of a service that is served on another socket",
}

t.test(
  "C-1937: errors of the signer are of few types, and the others are kinds of one of them",
  async (t) => {
    const types = errorTypes(signer)
    const roots = types.filter(([, base]) => base === "Error").map(([name]) => name)
    t.strictSame(roots.toSorted(), Object.keys(TYPES))
    const kinds = types.filter(([, base]) => base !== "Error").map(([name, base]) => `${name}: ${base}`)
    t.strictSame(kinds.toSorted(), [
      "BackupFault: StartError",
      "JoinFault: StartError",
      "LedgerInUse: StartError",
      "SettingsError: UsageError",
      "UsageError: StartError",
      "UsageFault: UsageError",
    ])
  },
)

t.test("C-1937: programs of the signer ask for no kind of a fault to find its exit status", async (t) => {
  const programs = signer.filter(({ path }) =>
    /^signer\/(?:fetcher|operator|witness)\/(?:main|run)\.ts$/.test(path),
  )
  t.equal(programs.length, 4)
  for (const kind of ["BackupFault", "JoinFault", "SettingsError", "UsageFault"])
    t.strictSame(askers(kind, programs), [], kind)
})

t.test("C-1936: one place makes a lack of context the result of what it ended", async (t) => {
  t.strictSame(askers("LackingContext", signer), ["signer/enclave/execution/state/context-needed.ts"])
  const floors = signer.filter(
    ({ path, text }) => text.includes("contextNeededOf") && !path.endsWith("/context-needed.ts"),
  )
  t.strictSame(
    floors.map(({ path }) => path),
    ["signer/enclave/execution/execute.ts", "signer/enclave/modules/login/calls/attestation.ts"],
    "an order, and a question about a token",
  )
  const readers = signer.filter(({ text }) => /\bisContextNeeded\b|\bname === "ContextNeeded"/.test(text))
  t.strictSame(
    readers.map(({ path }) => path),
    ["signer/enclave/execution/state/context-needed.ts", "signer/enclave/rpc/execute.ts"],
    "an order's answer alone asks whether its result is a lack",
  )
  const { text = "" } = readers.at(-1) ?? {}
  t.notMatch(text, /\bcatch\b[^}]*isContextNeeded/, "it asks the result, and catches none")
})

t.test(
  "C-1936: an evaluation without a value, and a search without steps, end where they began",
  async (t) => {
    const evaluations = [
      "signer/core/policy/decision/vote-formula.ts",
      "signer/core/policy/language/compile.ts",
    ]
    t.strictSame(askers("EvaluationStop", signer), evaluations)
    t.strictSame(askers("OutOfSteps", signer), ["signer/core/policy/decision/pending-consensus.ts"])
  },
)

t.test("an error type of its own is found", async (t) => {
  const text =
    "export class Own extends Error {}\nclass Kind<T extends string> extends Own<T> {}\nclass Other extends Map {}\nclass Least extends Kind {}\nconst made = class extends RangeError {}"
  t.strictSame(errorTypes([{ path: "a.ts", text }]), [
    ["Own", "Error"],
    ["Kind", "Own"],
    ["Least", "Kind"],
    ["", "RangeError"],
  ])
  t.strictSame(
    askers("Own", [
      { path: "a.ts", text },
      { path: "b.ts", text: "if (e instanceof Own) return" },
    ]),
    ["b.ts"],
  )
})
