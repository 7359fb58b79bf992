import { terminalText } from "../signer/core/terminal.ts"

/** Prints one line. A server's text in it cannot move the cursor or begin a line of its own. */
export function print(line: string): void {
  console.log(terminalText(line))
}

/** Prints one line to standard error. */
export function printError(line: string): void {
  console.error(terminalText(line))
}
