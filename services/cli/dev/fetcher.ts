import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import { CliError, ExitCode } from "../exit.ts"
import { type Layout, NODE_OPTIONS, programs } from "./layout.ts"

/**
 * The fetcher's public key set, for pairing the signer: from the file of the last start, or from the fetcher's program,
 * which creates its seed.
 */
export async function fetcherPublicKey(
  { fetcherPublicKey: file }: Layout,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const left = await readFile(file, "utf8").catch(() => "")
  if (left !== "") return left.trim()
  const run = promisify(execFile)(process.execPath, [...NODE_OPTIONS, programs.fetcher, "public-key"], {
    env: environment,
    signal,
  })
  const { stdout } = await run.catch((cause: Error & { stderr?: string }) => {
    signal.throwIfAborted()
    throw new CliError(ExitCode.fault, (cause.stderr?.trim() || cause.message).split("\n"), { cause })
  })
  return stdout.trim()
}
