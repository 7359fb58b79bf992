// A ceremony as an operator has it: the program itself, at a real terminal that another program reads and types at.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t from "tap"
import { readSealedSeed } from "../../../../signer/core/sealed-seed/format.ts"
import { openByShares } from "../../../../signer/core/sealed-seed/open.ts"
import { readShare } from "../../../../signer/core/sealed-seed/share.ts"
import { readShareWords } from "../../../../signer/core/sealed-seed/share-words.ts"
import { subsets } from "../../core/sealed-seed/sets.ts"

const hasPython = spawnSync("python3", ["--version"]).status === 0
const directory = mkdtempSync(join(tmpdir(), "cs-terminal-"))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))

t.test(
  "a ceremony at a real terminal shows each sheet, clears it, and seals what the sheets open",
  { skip: hasPython ? false : "python3 is missing: not run" },
  async (t) => {
    const script = join(import.meta.dirname, "at-terminal.py")
    const program = [process.execPath, "--disable-sigusr1", "signer/operator/main.ts"]
    const command = [...program, "ceremony", "--shares", "3", "--threshold", "2"]
    const env = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: directory, TERM: "xterm" }
    const { status, stdout, stderr } = spawnSync("python3", [script, ...command], { env, encoding: "utf8" })
    t.equal(status, 0, stderr)
    const seen = JSON.parse(stdout) as { sheets: string[]; status: number; cleared: number; left: string }
    t.equal(seen.status, 0, seen.left)
    t.equal(seen.sheets.length, 3)
    t.ok(seen.cleared >= 6, "before each holder, after each sheet and after each typing")
    t.match(seen.left, /2 of 3 shares open it, each was typed back/)
    const words = seen.sheets.join(" ").split(" ")
    t.notOk(words.some((word, at) => at % 40 === 0 && seen.left.includes(words.slice(at, at + 3).join(" "))))
    const sealed = readSealedSeed(readFileSync(join(directory, "signer", "root-seed")))
    for (const two of subsets(seen.sheets, 2)) {
      const points = two.map((sheet) => readShareWords(sheet).use(readShare).point)
      t.equal((await openByShares(sealed, points)).length, 32)
    }
  },
)
