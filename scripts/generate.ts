// Writes proto/gen anew from proto/**/*.proto. What it writes is committed and never edited by hand.
import { run } from "./run.ts"

const { code, output } = await run("buf", ["generate"])
process.stdout.write(output)
process.exitCode = code
