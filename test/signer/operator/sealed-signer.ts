// A running signer whose root seed is sealed, the seed, and the words of its holders.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Test } from "tap"
import { readConfig } from "../../../signer/enclave/config.ts"
import { createDeployment } from "../../../signer/enclave/create-deployment.ts"
import { ceremony, type CeremonyCommand } from "../../../signer/operator/ceremony/ceremony.ts"
import { readRootSeed } from "../../../signer/process/root-seed.ts"
import { runCommandLine } from "../../harness/commands.ts"
import { REVERSE } from "../../harness/daily-commands.ts"
import { Program } from "../../harness/program.ts"
import { bytesOf } from "../core/sealed-seed/sets.ts"
import { CEREMONY, Holders } from "./ceremony/holders.ts"

export const PASSPHRASE = "a long daily passphrase"
const SIGNER = "signer/operator/main.ts"

/** A deployment with a sealed seed, a signer that runs, and the words of its holders. */
export async function sealedSigner(
  t: Test,
  settings: NodeJS.Dict<string> = {},
  own: Partial<CeremonyCommand> = {},
) {
  const directory = mkdtempSync(join(tmpdir(), "cs-unlock-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const environment = {
    COUNTERSIGN_DATA_DIR: directory,
    COUNTERSIGN_SIGNER_SEAL_COMMAND: REVERSE,
    COUNTERSIGN_SIGNER_UNSEAL_COMMAND: REVERSE,
  }
  const config = readConfig(environment)
  createDeployment(config)
  const seed = bytesOf(readRootSeed(config.seedFile))
  const holders = new Holders((question) => (/^Passphrase|^The same/.test(question) ? PASSPHRASE : undefined))
  await ceremony(
    { ...CEREMONY, shares: 3, threshold: 2, usesPassphrase: true, usesCommand: true, ...own },
    readConfig({ ...environment, ...settings }),
    holders,
  )
  /** Starts a signer with these settings in the place of those above. */
  const start = async (own: NodeJS.Dict<string> = settings) => {
    const signer = new Program({ file: "signer/enclave/main.ts", environment: { ...environment, ...own } })
    t.teardown(() => signer.stop())
    await signer.until(/signer is up/)
    return signer
  }
  const signer = await start()
  const run = (words: readonly string[], input = "", own: NodeJS.Dict<string> = {}) => {
    const env = { PATH: process.env["PATH"], ...environment, ...own }
    return runCommandLine({ program: SIGNER, words, environment: env, input })
  }
  const sheets = [1, 2, 3].map((number) => holders.sheets.get(number) ?? "")
  return { directory, environment, signer, start, run, sheets, seed }
}
