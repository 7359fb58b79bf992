import { openTerminal } from "../core/terminal.ts"

/** Write errors of a closed terminal and of a closed pipe, as in `help | head -1`. */
const CLOSED_OUTPUT_CODES = ["EIO", "EPIPE"]

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!CLOSED_OUTPUT_CODES.includes(error.code ?? "")) throw error
  })
}

/** Standard output and standard error of this process. */
export const terminal = openTerminal({
  print: (line) => void process.stdout.write(`${line}\n`),
  log: (line) => void process.stderr.write(`${line}\n`),
})
