import type { z } from "zod"
import { closestName } from "./closest-name.ts"
import { settingNames } from "./setting-names.ts"

/** Settings of this software start with it; any other variable of the environment is none of our business. */
const PREFIX = "COUNTERSIGN_"

export type Environment = Readonly<Record<string, string | undefined>>
type Shape = Record<string, z.ZodType>
export type Values<S extends Shape> = { readonly [Name in keyof S]: z.output<S[Name]> }
/** A rule over several settings; only those that were read without fault are there. */
export type CrossCheck<S extends Shape> = (values: Partial<Values<S>>) => string[]

/** The environment cannot be used; the message lists every fault with the name of its setting. */
export class ConfigError extends Error {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(`the settings cannot be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`)
    this.name = "ConfigError"
    this.faults = faults
  }
}

/**
 * Reads the settings of one process. An empty variable counts as unset. Values never appear in a fault: a
 * setting may hold a password.
 *
 * @throws {ConfigError} naming all faults at once
 */
export function readConfig<S extends Shape>(
  shape: S,
  environment: Environment,
  check?: CrossCheck<S>,
): Values<S> {
  const values: Record<string, unknown> = {}
  const faults = unknownNames(shape, environment)
  for (const [name, schema] of Object.entries(shape)) {
    const read = schema.safeParse(environment[name] === "" ? undefined : environment[name])
    if (read.success) values[name] = read.data
    else faults.push(...read.error.issues.map((issue) => `${name}: ${issue.message}`))
  }
  faults.push(...(check?.(values as Partial<Values<S>>) ?? []))
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(values) as Values<S>
}

/** Names with our prefix that no process of the system knows: a misspelt setting must not be passed over. */
function unknownNames(shape: Shape, environment: Environment): string[] {
  const known = new Set([...settingNames, ...Object.keys(shape)])
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name))
    .map((name) => {
      const near = known.has(`${name}_FILE`) ? `${name}_FILE` : closestName(name, known)
      return `${name}: there is no such setting${near === undefined ? "" : `; did you mean ${near}?`}`
    })
}
