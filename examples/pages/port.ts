import { fail } from "../development-values.ts"

/** A port that an environment variable names. */
export function portOf(name: string, otherwise: number): number {
  const given = process.env[name]
  if (given === undefined) return otherwise
  const number = Number(given)
  return Number.isInteger(number) && number > 0 && number < 65_536
    ? number
    : fail(`${name}: ${given} is no port`)
}

/** Handles the rejection of a listener: ends the example with a sentence if its port is taken. */
export function explainPort(name: string): (error: NodeJS.ErrnoException & { port?: number }) => never {
  return (error) => {
    if (error.code !== "EADDRINUSE") throw error
    fail(`port ${error.port} is taken: set ${name} to another`)
  }
}
