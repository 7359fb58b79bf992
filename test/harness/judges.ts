import { existsSync } from "node:fs"
import { join } from "node:path"
import { JUDGES } from "../../scripts/run.ts"

/** A program in Go that judges a log, a backup, proofs or the chart, and the reason to skip its tests: false once it is built. */
export function judge(name: "backup" | "log" | "proofs" | "fsck" | "litewitness" | "helm"): {
  readonly program: string
  readonly skip: string | false
} {
  const program = join(JUDGES, name)
  return { program, skip: existsSync(program) ? false : "not run: npm run judges builds its judge in Go" }
}
