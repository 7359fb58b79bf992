import { setTimeout as pause } from "node:timers/promises"
import { CliError, ExitCode } from "../exit.ts"

const POLL_MS = 25
const PATIENCE_MS = 60_000

/** Waits until the API says that it and all it needs work. */
export async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  const giveUp = performance.now() + PATIENCE_MS
  let report = "no answer"
  for (;;) {
    const reply = await fetch(`${url}/readyz`, { signal }).catch(() => undefined)
    if (reply?.ok) return await reply.body?.cancel()
    if (reply) report = (await reply.text()).trim()
    if (performance.now() > giveUp) {
      throw new CliError(ExitCode.fault, `the API at ${url} did not become ready: ${report}`)
    }
    await pause(POLL_MS, undefined, { signal })
  }
}
