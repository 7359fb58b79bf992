// Words that people look for and that are no command, and the programs of other hosts.
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { findProgram } from "../../../services/cli/programs.ts"
import { packageRoot } from "../../../services/terminal-client/settings.ts"
import { commandLine } from "./command-line.ts"
import { dataDirectory, runProgram } from "./dev-process.ts"

t.test("words that are no command say what to do instead", async (t) => {
  for (const [words, log] of [
    [["session-profile", "update", "a"], /never changed: create another one/],
    [["wallet", "accounts"], /countersign account list --wallet NAME/],
    [["ceremony"], /command of another host's program: countersign signer ceremony/],
    [["backup", "create"], /command of another host's program: countersign node backup/],
    [["nonsense"], /unknown command 'nonsense': countersign --help lists the commands/],
    [["wallet", "nonsense"], /unknown command 'nonsense': countersign wallet --help lists the commands/],
    [["proxy", "enabl"], /Did you mean enable\?/],
  ] as const) {
    const ended = await commandLine({}, ...words)
    t.match(ended, { status: 2, out: "", log }, words.join(" "))
    t.equal(ended.log.split("\n").length, /\(Did/.test(ended.log) ? 3 : 1, "one sentence")
  }
})

/** Commands of a later release. */
const LATER = {
  "signer/operator/main.ts": [["reseal"], ["ledger", "rebase"]],
}

t.test("commands of a later release say so, and what to do today", async (t) => {
  const directory = dataDirectory(t)
  const all = Object.entries(LATER).flatMap(([file, list]) => list.map((words) => [file, words] as const))
  for (const [file, words] of all) {
    const ended = await runProgram(directory, file, ...words)
    t.match(ended, { status: 2, out: "", log: /comes? with a later release\. Today: / }, words.join(" "))
  }
})

t.test("help explains the programs of other hosts", async (t) => {
  const directory = dataDirectory(t)
  for (const name of ["node", "signer", "fetcher"])
    t.match(await runProgram(directory, "services/cli/main.ts", "help", name), {
      status: 0,
      out: new RegExp(`^Usage: countersign-${name} `),
    })
})

t.test("a program is that of this installation, otherwise the one on PATH", async (t) => {
  const empty = t.testdir({ none: {}, some: {} })
  const file = join(empty, "some", "countersign-signer")
  const path = `${join(empty, "none")}:${join(empty, "some")}`
  t.strictSame(findProgram("signer", packageRoot, path), {
    file: process.execPath,
    words: ["--disable-sigusr1", join(packageRoot, "signer/operator/main.ts")],
  })
  t.equal(findProgram("signer", empty, path), undefined)
  writeFileSync(file, "#!/bin/sh\n")
  t.equal(findProgram("signer", empty, path), undefined, "it is not executable")
  chmodSync(file, 0o755)
  t.strictSame(findProgram("signer", empty, path), { file, words: [] })
})
