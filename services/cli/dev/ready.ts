import { setTimeout as pause } from "node:timers/promises"
import { CliError, ExitCode } from "../exit.ts"

const POLL_MS = 25
const READY_TIMEOUT_MS = 60_000

/** Waits until the URL answers 200. @throws {CliError} fault after one minute */
export async function waitUntilReady(name: string, url: string, signal: AbortSignal): Promise<void> {
  const giveUp = performance.now() + READY_TIMEOUT_MS
  let report = "no answer"
  for (;;) {
    const reply = await fetch(url, { signal }).catch(() => undefined)
    if (reply?.ok) return await reply.body?.cancel()
    if (reply) report = (await reply.text()).trim()
    if (performance.now() > giveUp) {
      throw new CliError(ExitCode.fault, `the ${name} did not become ready; ${url} answers: ${report}`)
    }
    await pause(POLL_MS, undefined, { signal })
  }
}
