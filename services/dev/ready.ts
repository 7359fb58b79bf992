import { setTimeout as pause } from "node:timers/promises"
import { displayPath } from "../terminal-client/display.ts"
import { CliError, ExitCode } from "../terminal-client/exit.ts"

const POLL_MS = 25
/** The first start on a slow machine takes minutes. A process that ends stops the start earlier. */
const READY_TIMEOUT_MS = 600_000

/** A process that is starting: its name for the user, the URL that answers 200 once it is ready, and its log. */
export type Starting = { name: string; url: string; logFile: string }

/**
 * Waits until the URL answers 200, or until `signal` says that a process has ended.
 * @param elapsedMs monotonic milliseconds
 * @throws {CliError} fault after ten minutes
 */
export async function waitUntilReady(
  { name, url, logFile }: Starting,
  signal: AbortSignal,
  elapsedMs: () => number = () => performance.now(),
): Promise<void> {
  const began = elapsedMs()
  let report = "no answer"
  for (;;) {
    const reply = await fetch(url, { signal }).catch(() => undefined)
    if (reply?.ok) return await reply.body?.cancel()
    if (reply) report = (await reply.text()).trim()
    const waitedMs = elapsedMs() - began
    if (waitedMs > READY_TIMEOUT_MS) {
      const seconds = Math.round(waitedMs / 1000)
      const fault = `the ${name} was not ready after ${seconds} s; ${url} answers: ${report}`
      throw new CliError(
        ExitCode.fault,
        `${fault}. Its log: ${displayPath(logFile)}. Nothing is lost: start again`,
      )
    }
    await pause(POLL_MS, undefined, { signal })
  }
}
