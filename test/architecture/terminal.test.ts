// Text of attackers reaches a terminal through one function: signer/core/terminal.ts.
import t from "tap"
import { sourcesIn } from "./sources.ts"

const WRITES = /\bconsole\.\w+\(|process\.(?:stdout|stderr)\b/

/** Files that write to a terminal, each with its reason. */
const DOORS: Readonly<Record<string, string>> = {
  "services/terminal-client/terminal.ts": "the writers that `run` opens",
  "examples/terminal.ts": "the writers of the examples, which escape",
  "services/terminal-client/ask.ts": "the question before an approval, a text of its own",
  "services/terminal-client/secret-input.ts": "the prompt for a secret, a text of its own",
  "services/cli/output/progress.ts": "the bar, a text of its own",
  "signer/process/ask.ts": "the question before a certificate, with words that this program made",
  "signer/core/seal-commands/holder-terminal.ts":
    "the line that a holder types, and the sequence that erases the screen",
  "signer/process/refuse-debugger.ts": "one sentence, before any other module runs",
  "signer/process/terminal.ts": "the writers of the signer's processes",
  "signer/process/standard-error.ts": "log lines, which log.ts escapes",
  "signer/enclave/check-settings.ts": "faults of settings as JSON, for the program that started it",
  "signer/fetcher/check-settings.ts": "faults of settings as JSON, for the program that started it",
}

t.test("only the terminal's own files write to standard output or standard error", async (t) => {
  const command = ["cli", "terminal-client", "organization-file", "dev"].map((folder) => `services/${folder}`)
  const sources = [...command, "signer", "examples"].flatMap(sourcesIn)
  const writers = sources.filter(({ text }) => WRITES.test(text)).map(({ path }) => path)
  t.strictSame(writers.toSorted(), Object.keys(DOORS).toSorted())
})

t.test("a file that writes by itself is found", async (t) => {
  for (const text of ["console.error(x)", "process.stdout.write(x)", "const { write } = process.stderr"])
    t.ok(WRITES.test(text), text)
})
