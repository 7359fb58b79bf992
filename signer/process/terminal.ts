import { openTerminal } from "../core/terminal.ts"

/** Standard output and standard error of this process. */
export const terminal = openTerminal({
  print: (line) => void process.stdout.write(`${line}\n`),
  log: (line) => void process.stderr.write(`${line}\n`),
})
