import { type Environment, faultsOf } from "./config.ts"

/** Says what is wrong with the settings that `read` reads, and starts nothing: a JSON array of sentences. */
export function printFaults(read: (environment: Environment) => unknown): void {
  console.log(JSON.stringify(faultsOf(() => read(process.env))))
}
