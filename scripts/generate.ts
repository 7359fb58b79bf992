// Writes what is generated from proto/**/*.proto: proto/gen, the indexes of operations, and the lists in documents. The
// result is committed and never edited by hand.
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ROOT, run } from "./run.ts"

const { code, output } = await run("buf", ["generate"])
process.stdout.write(output)
process.exitCode = code
if (code === 0) {
  // The generators read the descriptor in proto/gen, which has only now been written.
  const { generatedFiles } = await import("./generators/files.ts")
  for (const [path, text] of await generatedFiles()) await writeFile(join(ROOT, path), text)
}
