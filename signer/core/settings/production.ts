/** Variables of a process. */
type Variables = Readonly<Record<string, string | undefined>>

const NAME = "COUNTERSIGN_PRODUCTION"

/** True if this process refuses to start with whatever is for development. */
export function isProduction(environment: Variables): boolean {
  return environment[NAME] === "true"
}

/**
 * Faults of a process in production. `find`: its settings that are for development, each with the reason.
 * `countersign dev` alone ends its processes with itself, and compares no release for them.
 */
export function faultsOfProduction(environment: Variables, find: () => readonly string[]): string[] {
  const text = environment[NAME] || undefined
  if (text === undefined) return []
  if (text !== "true") return [`${NAME}: write "true", or leave it unset`]
  const isChild = environment["COUNTERSIGN_EXIT_WITH_PARENT"] === "1"
  const faults = [
    ...find(),
    ...(isChild ? ["COUNTERSIGN_EXIT_WITH_PARENT: for processes of countersign dev"] : []),
  ]
  return faults.map((fault) => `${fault}; ${NAME} refuses it`)
}

/** The fault of a URL in plain HTTP; none for another one, or where there is none. `what`: the peer. */
export function faultsOfPlainUrl(name: string, url: URL | string | undefined, what: string): string[] {
  const isPlain = url !== undefined && new URL(url).protocol === "http:"
  return isPlain ? [`${name}: plain HTTP ${what} is for development; use https://`] : []
}
