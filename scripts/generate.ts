// Writes what is generated from proto/**/*.proto: proto/gen, the indexes of operations, and the lists in documents; and
// the packages of each image, from package-lock.json. The result is committed and never edited by hand.
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { ROOT, run } from "./run.ts"

const { code, output } = await run("buf", ["generate"])
process.stdout.write(output)
process.exitCode = code
if (code === 0) {
  // The generators read the descriptor in proto/gen, which has only now been written.
  const { generatedFiles } = await import("./generators/files.ts")
  for (const [path, text] of await generatedFiles()) {
    await mkdir(dirname(join(ROOT, path)), { recursive: true })
    await writeFile(join(ROOT, path), text)
  }
}
