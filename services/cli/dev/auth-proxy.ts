import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { CliError, ExitCode } from "../exit.ts"
import { NODE_OPTIONS, programs } from "./layout.ts"

/** The public half of the auth proxy's own key, for pairing the signer. The first start makes the key. */
export async function authProxyPublicKey(
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const words = [...NODE_OPTIONS, programs.authProxy, "public-key"]
  const run = promisify(execFile)(process.execPath, words, { env: environment, signal })
  const { stdout } = await run.catch((cause: Error & { stderr?: string }) => {
    signal.throwIfAborted()
    throw new CliError(ExitCode.fault, (cause.stderr?.trim() || cause.message).split("\n"), { cause })
  })
  return stdout.trim()
}
