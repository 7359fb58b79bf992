/** State of the process that a test file could leave changed for the next file. */
export type ProcessState = ReadonlyMap<string, unknown>

// Listeners to signals and to `exit` are not compared: packages and harnesses that many files share add them when loaded.
const EVENTS = ["uncaughtException", "unhandledRejection"]
const OBJECTS = { globalThis, Date, Math, JSON, console, "Date.prototype": Date.prototype }

export function processState(): ProcessState {
  return new Map<string, unknown>([
    ...Object.entries(process.env).map(([name, value]) => [`environment variable ${name}`, value] as const),
    ["working folder", process.cwd()],
    ["exit code", process.exitCode],
    ...EVENTS.map((name) => [`number of listeners to ${name}`, process.listenerCount(name)] as const),
    ...Object.entries(OBJECTS).flatMap(([name, object]) => functionsOf(name, object)),
  ])
}

/** Names of what differs from an earlier state. Functions that packages add to globalThis do not count. */
export function changesSince(before: ProcessState): string[] {
  const now = processState()
  const names = [...new Set([...before.keys(), ...now.keys()])]
  return names.filter(
    (name) => before.get(name) !== now.get(name) && (before.has(name) || !name.startsWith("function ")),
  )
}

/** Without helpers of TypeScript's compiler, such as `__awaiter`: packages that have them set the same ones again. */
function functionsOf(name: string, object: object): [string, unknown][] {
  return Object.entries(Object.getOwnPropertyDescriptors(object)).flatMap(([key, { value }]) =>
    typeof value === "function" && !key.startsWith("__")
      ? [[`function ${name}.${key}`, value] as [string, unknown]]
      : [],
  )
}
