import { setTimeout as pause } from "node:timers/promises"
import { CliError, ExitCode } from "../exit.ts"

const POLL_MS = 25
const PATIENCE_MS = 60_000

/** Waits until a host says at this URL that it, and all it needs, works. */
export async function untilReady(name: string, url: string, signal: AbortSignal): Promise<void> {
  const giveUp = performance.now() + PATIENCE_MS
  let report = "no answer"
  for (;;) {
    const reply = await fetch(url, { signal }).catch(() => undefined)
    if (reply?.ok) return await reply.body?.cancel()
    if (reply) report = (await reply.text()).trim()
    if (performance.now() > giveUp) {
      throw new CliError(ExitCode.fault, `the ${name} did not become ready, says ${url}: ${report}`)
    }
    await pause(POLL_MS, undefined, { signal })
  }
}
