import { settingNames, unknownSettings } from "./names.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads the text of one setting; undefined means unset.
 *
 * @throws {SettingsError} with the sentence that stands behind the setting's name; it never shows the text
 */
export type Setting<Value> = (text: string | undefined) => Value
type Shape = { readonly [name: string]: Setting<unknown> }
export type Values<S extends Shape> = { readonly [Name in keyof S]: ReturnType<S[Name]> }
/** Checks several settings together; a setting that was faulty by itself is absent. */
export type CrossCheck<S extends Shape> = (values: Partial<Values<S>>) => readonly string[]

/** The settings cannot be used; `faults` names every faulty one. */
export class SettingsError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`the settings cannot be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`)
    this.name = "SettingsError"
    this.faults = faults
  }
}

/** The faults of the settings that `read` reads; none: they can be used. */
export function faultsOf(read: () => unknown): readonly string[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
    throw error
  }
}

type Options<S extends Shape> = {
  /** Stands before each name of the shape in the environment and in faults. */
  prefix?: string
  check?: CrossCheck<S> | undefined
  /** The known name that an unknown one was probably meant to be. */
  suggest?: (name: string, known: ReadonlySet<string>) => string | undefined
}

/**
 * Reads the settings of one process into a frozen value. An empty variable counts as unset: compose files leave a
 * setting out that way. Values never appear in a fault: a setting may hold a password.
 *
 * @throws {SettingsError} naming all faults at once
 */
export function readSettings<S extends Shape>(
  shape: S,
  environment: Environment,
  { prefix = "", check, suggest }: Options<S> = {},
): Values<S> {
  const values: Record<string, unknown> = {}
  const names = Object.keys(shape).map((name) => prefix + name)
  const faults = unknownNames(new Set([...settingNames, ...names]), environment, suggest)
  for (const [name, read] of Object.entries(shape)) {
    const found = faultsOf(() => {
      values[name] = read(environment[prefix + name] || undefined)
    })
    faults.push(...found.map((fault) => `${prefix}${name}: ${fault}`))
  }
  faults.push(...(check?.(values as Partial<Values<S>>) ?? []).map((fault) => prefix + fault))
  if (faults.length > 0) throw new SettingsError(faults)
  return Object.freeze(values) as Values<S>
}

function unknownNames(
  known: ReadonlySet<string>,
  environment: Environment,
  suggest: Options<Shape>["suggest"],
): string[] {
  return unknownSettings(environment)
    .filter((name) => !known.has(name))
    .map((name) => {
      const meant = suggest?.(name, known)
      return `${name}: there is no such setting${meant === undefined ? "" : `; did you mean ${meant}?`}`
    })
}
