import { ConfigError, type Environment } from "./config.ts"

/** The settings of this process, or its end with all that is wrong with them. */
export function readOrExit<Config>(read: (environment: Environment) => Config): Config {
  try {
    return read(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    return process.exit(2)
  }
}
