/** The program of the untrusted hosts, which runs the files of their processes in its own process. */
export const NODE_PROGRAM = "countersign-node"

/** A file of a process, started by itself. */
const OWN_FILE = /\/services\/(?!node\/)([\w-]+)\/[\w-]+\.ts$/

/**
 * The program as sentences to its operator name it: the one that was typed, or the process whose file was started by itself.
 *
 * @param file the file that Node was started with, which may be a link to a program
 */
export function programName(file = process.argv[1] ?? ""): string {
  return OWN_FILE.exec(file)?.[1] ?? NODE_PROGRAM
}

/** Says a fault on standard error; as one line of JSON if the command line asks for JSON. */
export function sayFault(message: string, exitStatus: number, program = programName()): void {
  const isJson = process.argv.includes("--json")
  const line = isJson ? JSON.stringify({ error: { exitStatus, message } }) : `${program}: ${message}`
  process.stderr.write(`${line}\n`)
}
