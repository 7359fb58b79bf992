// Kills the process by SIGKILL at its n-th call of SQLite or of the file system, n in KILL_AT; a process that ends prints the names of
// its calls. Loaded before the program.
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { DatabaseSync, StatementSync } from "node:sqlite"

const calls: string[] = []
const killAt = Number(process.env["KILL_AT"])

/** Kills before the call, so that each call's effect is seen with and without the next one. */
function counted<T extends object>(owner: T, name: keyof T & string): void {
  const original = owner[name] as (...parameters: unknown[]) => unknown
  const value = function (this: unknown, ...parameters: unknown[]) {
    calls.push(name)
    if (calls.length === killAt) process.kill(process.pid, "SIGKILL")
    return original.apply(this, parameters)
  }
  Object.defineProperty(owner, name, { value })
}

for (const name of ["openSync", "writeSync", "fsyncSync", "closeSync", "renameSync"] as const)
  counted(fs, name)
for (const name of ["exec", "prepare"] as const) counted(DatabaseSync.prototype, name)
for (const name of ["run", "get", "all"] as const) counted(StatementSync.prototype, name)
syncBuiltinESMExports()
process.on("exit", () => console.log(calls.join(" ")))
