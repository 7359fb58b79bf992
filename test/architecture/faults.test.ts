// Errors of the signer: a closed list of types, so that each type is mapped once and no other one is used for control flow.
import t from "tap"
import type { Source } from "./import-faults.ts"
import { sourcesIn } from "./sources.ts"

const DECLARED = /\bclass(?: (?!extends\b)(\w+))?(?:<[^{]*>)? extends (\w+)/g

/** Classes that extend an error of JavaScript or each other, each with its base class. A class without a name has an empty one. */
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

/** Files that test whether an error is of a type. */
function filesTesting(name: string, sources: readonly Source[]): string[] {
  return sources.filter(({ text }) => text.includes(`instanceof ${name}`)).map(({ path }) => path)
}

const signer = sourcesIn("signer")

/** Types that extend Error itself, with their use. */
const TYPES: { readonly [name: string]: string } = {
  BrokenInvariant: "ends the process",
  ContextNeeded: "ends an order, which gets it as its result (context-needed.ts)",
  Fault: "input that cannot be read: its kind says which refusal it becomes (fault-refusals.ts)",
  Refusal: "answers a caller with a code",
  RequestFault: "a request of the fetcher without a reply: its reader says which refusal it becomes",
  StartError: "ends a program or a command with a sentence for its operator; its kind is the exit status",
  WrongService: "a call of a service that is served on another socket",
}

t.test(
  "C-1937: the signer has seven types of errors, and every other type extends one of them",
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

t.test("C-1937: no program of the signer tests the class of a fault to find its exit status", async (t) => {
  const programs = signer.filter(({ path }) =>
    /^signer\/(?:fetcher|operator|witness)\/(?:main|run)\.ts$/.test(path),
  )
  t.equal(programs.length, 4)
  for (const kind of ["BackupFault", "JoinFault", "SettingsError", "UsageFault"])
    t.strictSame(filesTesting(kind, programs), [], kind)
})

t.test("C-1936: one function turns missing context into a result", async (t) => {
  t.strictSame(filesTesting("ContextNeeded", signer), ["signer/enclave/execution/state/context-needed.ts"])
  const callers = signer.filter(
    ({ path, text }) => text.includes("contextNeededOf") && !path.endsWith("/context-needed.ts"),
  )
  t.strictSame(
    callers.map(({ path }) => path),
    ["signer/enclave/execution/execute.ts", "signer/enclave/modules/login/calls/attestation.ts"],
    "orders, and the verification of an attested key",
  )
  const readers = signer.filter(({ text }) => /\bisContextNeeded\b|\bname === "ContextNeeded"/.test(text))
  t.strictSame(
    readers.map(({ path }) => path),
    ["signer/enclave/execution/state/context-needed.ts", "signer/enclave/rpc/execute.ts"],
    "only the answer of an order tests its result for missing context",
  )
  const { text = "" } = readers.at(-1) ?? {}
  t.notMatch(text, /\bcatch\b[^}]*isContextNeeded/, "it tests the result, and catches no error")
})

t.test(
  "C-1936: an evaluation without a value ends in the evaluator, and a search without steps in the search",
  async (t) => {
    const evaluations = [
      "signer/core/policy/decision/vote-formula.ts",
      "signer/core/policy/language/compile.ts",
    ]
    t.strictSame(filesTesting("EvaluationStop", signer), evaluations)
    t.strictSame(filesTesting("OutOfSteps", signer), ["signer/core/policy/decision/pending-consensus.ts"])
  },
)

t.test("a new error type is found, and so is a file that tests for it", async (t) => {
  const text =
    "export class Own extends Error {}\nclass Kind<T extends string> extends Own<T> {}\nclass Other extends Map {}\nclass Least extends Kind {}\nconst made = class extends RangeError {}"
  t.strictSame(errorTypes([{ path: "a.ts", text }]), [
    ["Own", "Error"],
    ["Kind", "Own"],
    ["Least", "Kind"],
    ["", "RangeError"],
  ])
  t.strictSame(
    filesTesting("Own", [
      { path: "a.ts", text },
      { path: "b.ts", text: "if (e instanceof Own) return" },
    ]),
    ["b.ts"],
  )
})
