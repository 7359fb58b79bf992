import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { commandLine } from "./command-line.ts"

/** True if a shell is installed. */
function has(shell: string): boolean {
  try {
    execFileSync(shell, ["-c", "exit 0"])
    return true
  } catch {
    return false
  }
}

t.test("bash completes commands, subcommands and options", async (t) => {
  const { status, out } = await commandLine({}, "completion", "bash")
  t.equal(status, 0)
  const file = join(t.testdir(), "completion")
  writeFileSync(file, out)
  const complete = (...words: string[]) => {
    const listed = ["countersign", ...words].map((word) => `'${word}'`).join(" ")
    const script = `source ${file}; COMP_WORDS=(${listed}); COMP_CWORD=${words.length}; _countersign; echo "\${COMPREPLY[@]}"`
    return execFileSync("bash", ["-c", script]).toString().trim().split(" ")
  }
  t.strictSame(complete("appr"), ["approve"])
  t.strictSame(complete("user", "cr"), ["create"])
  t.strictSame(complete("sign"), ["sign", "signer"], "programs of other hosts too")
  t.strictSame(complete("user", "create", "--ema"), ["--email"])
  t.strictSame(complete("user", "create", "--name", "alice", "--ph"), ["--phone-number"])
  t.ok(complete("wallet", "").includes("export"))
  t.ok(complete("ip-allowlist", "").includes("set"), "another name of update")
  t.strictSame(complete("ip-allowlist", "set", "--jso"), ["--json"])
  t.strictSame(complete("nonsense", "wal"), ["wallet"])
})

for (const shell of ["zsh", "fish"] as const) {
  const skip = has(shell) ? false : `${shell} is not installed`
  t.test(`${shell} reads its script`, { skip }, async (t) => {
    const { out } = await commandLine({}, "completion", shell)
    const file = join(t.testdir(), "completion")
    writeFileSync(file, out)
    const before = shell === "zsh" ? "autoload -Uz compinit && compinit -u; " : ""
    const listed = shell === "zsh" ? "" : "; complete -C 'countersign user cr'"
    const text = execFileSync(shell, ["-c", `${before}source ${file}${listed}`]).toString()
    t.match(text, shell === "zsh" ? "" : /^create/)
  })
}

t.test("an unknown shell is a usage fault", async (t) => {
  t.match(await commandLine({}, "completion", "csh"), { status: 2, log: /csh: use bash, zsh, fish/ })
})
