/** Exit status of a process that refuses how it was started: EX_CONFIG of sysexits(3). */
export const REFUSED_START_STATUS = 78

/** Options and environment that a process was started with. */
export type ProcessStart = {
  /** Options of Node on the command line: `process.execArgv`. */
  options: readonly string[]
  /** The variable NODE_OPTIONS, or empty text. */
  nodeOptions: string
  /** The variable NODE_TLS_REJECT_UNAUTHORIZED. */
  tlsRejectUnauthorized: string | undefined
  /** Address of an inspector that is open already, whatever opened it. */
  inspectorUrl: string | undefined
}

/** Options of Node that let others read this process: each prefix with its effect. */
const REFUSED_OPTIONS: readonly [prefix: string, effect: string][] = [
  ["--inspect", "opens a debugger, which reads all memory"],
  ["--debug-port", "sets the port of a debugger, which reads all memory"],
  ["--heapsnapshot", "writes memory to a file"],
  ["--report-on", "writes the environment to a file"],
  ["--report-uncaught-exception", "writes the environment to a file"],
  ["--abort-on-uncaught-exception", "writes memory to a core dump"],
  ["--tls-keylog", "writes the keys of TLS connections to a file"],
]

/**
 * Says why a process must not run as it was started; undefined if it may.
 *
 * Refuses mistakes of an operator. `--require`, `--import` and `--inspect-brk` run before any code of this project, so it
 * cannot refuse them. A party that sets a process's options or environment controls the process.
 */
export function faultOfStart(start: ProcessStart): string | undefined {
  const { options, nodeOptions, tlsRejectUnauthorized, inspectorUrl } = start
  if (tlsRejectUnauthorized === "0") {
    return "NODE_TLS_REJECT_UNAUTHORIZED=0 accepts every certificate; start this process without it"
  }
  const written: [place: string, option: string][] = [
    ...options.map((option): [string, string] => ["the command line", option]),
    ...wordsOf(nodeOptions).map((option): [string, string] => ["NODE_OPTIONS", option]),
  ]
  for (const [place, option] of written) {
    // Node reads `_` in the name of an option as `-`.
    const name = option.split("=", 1)[0]?.replaceAll("_", "-") ?? ""
    const refused = REFUSED_OPTIONS.find(([prefix]) => name.startsWith(prefix))
    if (refused) return `${name} in ${place}: ${refused[1]}; start this process without it`
  }
  if (inspectorUrl === undefined) return undefined
  return "a debugger's port is open in this process; start it with --disable-sigusr1 and without a debugger"
}

/** Without quotes and escapes. Too strict for a quoted value that holds such an option after a space. */
function wordsOf(nodeOptions: string): string[] {
  return nodeOptions.replaceAll(/["\\]/g, "").split(" ")
}
