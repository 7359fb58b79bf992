import { execFile } from "node:child_process"
import { resolve } from "node:path"
import { promisify } from "node:util"

/** The directory of package.json. */
export const ROOT = resolve(import.meta.dirname, "../..")

const execute = promisify(execFile)

export type Ended = { status: number; out: string; log: string }

/** Runs a program of this installation until it ends. */
export async function runProgram(
  file: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<Ended> {
  const options = { cwd: ROOT, env: environment, maxBuffer: 16 * 1024 * 1024 }
  try {
    const { stdout, stderr } = await execute(process.execPath, ["--disable-sigusr1", file, ...words], options)
    return { status: 0, out: stdout, log: stderr }
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: unknown; stdout?: string; stderr?: string }
    return { status: typeof code === "number" ? code : 1, out: stdout, log: stderr }
  }
}
