import * as fs from "node:fs"
import { join, resolve } from "node:path"
import { type JoinResult, runJoin } from "../core/join/run.ts"
import { dataDirectoryOf, type Environment } from "../core/settings/settings.ts"
import { ask } from "../process/ask.ts"
import { newTlsKey } from "../process/tls-key.ts"
import { terminal } from "../process/terminal.ts"

/** `address`: where the fetcher will listen; "" with an answer, whose request has it. */
export type JoinOptions = {
  address: string
  isRenewal: boolean
  answer: string | undefined
  words: string | undefined
}

/** Asks for the fetcher's certificate, or installs it: see docs/formats/join.md. */
export function joinSigner(options: JoinOptions, environment: Environment): Promise<JoinResult> {
  const directory = resolve(join(dataDirectoryOf(environment), "fetcher", "tls"))
  const host = {
    fs,
    newKey: newTlsKey,
    nowMs: Date.now(),
    ask,
    log: terminal.log,
    program: "countersign-fetcher join",
  }
  return runJoin({ ...options, name: "fetcher", directory }, host)
}
