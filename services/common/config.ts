import type { z } from "zod"
import { settingNames, unknownSettings } from "../../signer/core/settings/names.ts"
import { closestName } from "./closest-name.ts"

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

/** What is wrong with the settings that `read` reads; nothing: they can be used. */
export function faultsOf(read: () => unknown): readonly string[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
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

/** Faults of names that nobody knows, each with what was probably meant. */
function unknownNames(shape: Shape, environment: Environment): string[] {
  const known = new Set([...settingNames, ...Object.keys(shape)])
  return unknownSettings(environment)
    .filter((name) => !known.has(name))
    .map((name) => {
      const near = known.has(`${name}_FILE`) ? `${name}_FILE` : closestName(name, known)
      return `${name}: there is no such setting${near === undefined ? "" : `; did you mean ${near}?`}`
    })
}
