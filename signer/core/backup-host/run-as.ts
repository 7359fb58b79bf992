import { execFile } from "node:child_process"
import type { HostEdge } from "./host-backup.ts"

const MAX_OUTPUT = 1024 * 1024

/**
 * Runs a program of an installed process as its user, with its variables and no others. It ends with this process.
 * @param path the variable PATH, by which programs are found
 */
export function runAs(path: string | undefined): HostEdge["run"] {
  return ({ uid, gid, environment, folder }, file, words) =>
    new Promise((resolve, reject) => {
      const env = { PATH: path, ...environment }
      const options = { uid, gid, env, cwd: folder, maxBuffer: MAX_OUTPUT }
      execFile(file, [...words], options, (error, out, log) => {
        const code = error?.code ?? 0
        if (typeof code === "number") return resolve({ status: code, out, log })
        return reject(
          new Error(`${file} cannot be run as the user of its process (${code})`, { cause: error }),
        )
      })
    })
}
