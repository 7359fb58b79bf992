import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import t from "tap"
import { ROOT } from "../../../scripts/run.ts"

const at = (path: string) => JSON.stringify(pathToFileURL(join(ROOT, path)).href)

/** Prints each fault twice, as lines and as JSON, and all exit statuses at the end. */
const PROGRAM = `
import { sayFault } from ${at("signer/process/say-fault.ts")}
import { BackupFault } from ${at("signer/core/backup/fault.ts")}
import { UsageFault } from ${at("signer/core/command-line.ts")}
import { JoinFault } from ${at("signer/core/join/fault.ts")}
import { SettingsError } from ${at("signer/core/settings/settings.ts")}
import { LOCKED_OR_UNREACHABLE, StartError } from ${at("signer/core/settings/start-fault.ts")}
const faults = [
  [new UsageFault("unknown word\\nuse another")],
  [new SettingsError(["A: none", "B: none"])],
  [new JoinFault("usage", "no line")],
  [new JoinFault("refused", "an old line")],
  [new BackupFault("BACKUP_FOREIGN", "of another deployment\\nmore")],
  [new StartError(LOCKED_OR_UNREACHABLE, "in use")],
  [new Error("refused"), true],
  [Object.assign(new Error("x"), { code: "ENOENT", syscall: "open", path: "/none" })],
  [new Error("unknown")],
  ["text"],
]
const statuses = faults.flatMap(([fault, isRefused]) =>
  [false, true].map((isJson) => sayFault("program", fault, { isJson, isRefused })),
)
console.log(JSON.stringify(statuses))
`

t.test(
  "C-1937: each kind of fault ends a program with its status, in lines or as one line of JSON",
  async (t) => {
    const words = ["--input-type=module", "--eval", PROGRAM]
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" })
    const expected: [exitStatus: number, message: string, isOfLines?: boolean][] = [
      [2, "unknown word\nuse another", true],
      [2, "the settings cannot be used:\n  A: none\n  B: none", true],
      [2, "no line"],
      [3, "an old line"],
      [3, "BACKUP_FOREIGN: of another deployment\nmore"],
      [5, "in use"],
      [3, "refused"],
      [1, "/none cannot be used (open: ENOENT); this process's user must be able to"],
      [1, "unknown"],
      [1, "text"],
    ]
    t.strictSame(
      JSON.parse(stdout),
      expected.flatMap(([status]) => [status, status]),
    )
    t.equal(
      stderr,
      expected
        .map(([exitStatus, message, isOfLines = false]) => {
          // Only this program's own text may begin a line.
          const text = isOfLines ? message : message.replaceAll("\n", "\\u000a")
          return `program: ${text}\n${JSON.stringify({ error: { exitStatus, message } })}\n`
        })
        .join(""),
    )
  },
)
