import { randomBytes } from "node:crypto"
import { UsageFault } from "../../core/command-line.ts"
import { type Secret, wiping } from "../../core/crypto/secret.ts"
import type { SealedFile } from "../../core/sealed-seed/format.ts"
import { sealSeed } from "../../core/sealed-seed/seal.ts"
import type { Share } from "../../core/sealed-seed/share.ts"
import { MAX_GENERATION, requirePossible } from "../../core/sealed-seed/terms.ts"
import { FAULT, StartError } from "../../core/settings/start-fault.ts"
import type { SignerConfig } from "../../enclave/config.ts"
import { createLedgerOf, pinsOfSeed } from "../../enclave/create-deployment.ts"
import { removeIncompleteLedger } from "../../enclave/ledger/create-ledger.ts"
import type { HolderTerminal } from "../../process/holder-terminal.ts"
import { isSeedStored, newRootSeed, readStoredSeed, storeSealedSeed } from "../../process/root-seed.ts"
import { SeedOwner } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import type { CommandResult } from "../command-result.ts"
import { askDaily } from "./daily.ts"
import { handOut, rehearse } from "./hold.ts"
import { openWithShares } from "./open-with-shares.ts"
import { SheetFolder } from "./sheet-folder.ts"

/** `sheets`: folder in memory for pages to print. */
export type CeremonyCommand = {
  shares: number
  threshold: number
  usesPassphrase: boolean
  usesCommand: boolean
  sheets: string | undefined
}

/**
 * Seals the root seed: that of a plain file, or a new one of a new deployment. Nothing is stored before every share was typed back
 * and rehearsed; then one rename puts the sealed file into its place.
 */
export async function ceremony(
  command: CeremonyCommand,
  config: SignerConfig,
  holder: HolderTerminal,
): Promise<CommandResult> {
  requirePossible(command)
  const { seedFile, ledgerDirectory } = config
  const stored = isSeedStored(seedFile) ? readStoredSeed(seedFile) : undefined
  if (stored?.kind === "sealed") throw new StartError(FAULT, SEALED_ALREADY)
  if (stored === undefined) removeIncompleteLedger(ledgerDirectory)
  const seed = stored?.seed ?? newRootSeed()
  try {
    const sealed = await sealAndRehearse(seed, { command, config, holder, generation: 1 }, () => {
      if (stored === undefined) createLedgerOf(seed, config)
    })
    const lines = [
      ...linesOf(sealed),
      stored === undefined
        ? "A new deployment was created."
        : "The plain seed was replaced; keys and pins stay. Destroy its copies, also those in backups: each has every key.",
      "A running signer goes on until its next start. From then on: countersign-signer unlock",
    ]
    return { lines, json: jsonOf(sealed) }
  } finally {
    seed.wipe()
  }
}

const SEALED_ALREADY =
  "the root seed is sealed already, and nothing was changed. To give new shares to holders: countersign-signer change-shares"

/** Gives a sealed seed a new set of shares under a new key. The old set holds until the new one was typed back and rehearsed. */
export async function changeShares(
  command: CeremonyCommand,
  config: SignerConfig,
  holder: HolderTerminal,
): Promise<CommandResult> {
  requirePossible(command)
  const stored = isSeedStored(config.seedFile) ? readStoredSeed(config.seedFile) : undefined
  if (stored?.kind !== "sealed") {
    if (stored !== undefined) stored.seed.wipe()
    throw new StartError(
      FAULT,
      "there is no sealed root seed whose shares could be changed: countersign-signer ceremony makes one",
    )
  }
  const { generation } = stored.sealed.header
  if (generation >= MAX_GENERATION)
    throw new StartError(FAULT, `generation ${generation} is the last one that a share can name`)
  const seed = await openWithShares(stored.sealed, holder)
  try {
    const next = { command, config, holder, generation: generation + 1 }
    const sealed = await sealAndRehearse(seed, next, () => undefined)
    const lines = [
      ...linesOf(sealed),
      `Copies of the file of generation ${generation}, with its shares, still open the same seed. Destroy those sheets, and the file in every backup.`,
      "Back up the new file. The running signer needs nothing.",
    ]
    return { lines, json: { ...jsonOf(sealed), replaces: generation } }
  } finally {
    seed.wipe()
  }
}

type Sealing = { command: CeremonyCommand; config: SignerConfig; holder: HolderTerminal; generation: number }

/** `beforeStoring`: what the seed needs beside its file. */
async function sealAndRehearse(
  seed: Secret,
  sealing: Sealing,
  beforeStoring: () => void,
): Promise<SealedFile> {
  const { command, config, holder, generation } = sealing
  const folder = command.sheets === undefined ? undefined : new SheetFolder(command.sheets)
  const { deploymentId } = pinsOfSeed(seed, config)
  const daily = await askDaily({ ...command, ...config }, holder, random)
  const terms = {
    owner: SeedOwner.SIGNER,
    deploymentId,
    generation,
    shares: command.shares,
    threshold: command.threshold,
  }
  const { sealed, shares } = await sealSeed(seed, terms, daily, random)
  let typed: Share[] = []
  try {
    const pending = { seed, sealed, shares }
    ;[typed = []] = await handOut([pending], holder, folder)
    beforeStoring()
    storeSealedSeed(config.seedFile, sealed)
    await rehearseStored(config.seedFile, seed, typed)
    return sealed
  } finally {
    wiping([...shares, ...typed.map(({ point }) => point), ...secretsOf(daily)], () => undefined)
  }
}

const secretsOf = ({ passphrase, command }: Awaited<ReturnType<typeof askDaily>>): Secret[] =>
  [passphrase, command?.key].filter((secret) => secret !== undefined)

/** Opens the file as it lies on the disk now. */
async function rehearseStored(file: string, seed: Secret, typed: readonly Share[]): Promise<void> {
  const stored = readStoredSeed(file)
  if (stored.kind !== "sealed") throw new UsageFault("another process replaced the seed's file meanwhile")
  await rehearse({ seed, sealed: stored.sealed }, typed)
}

function linesOf({ header }: SealedFile): string[] {
  const { deploymentId, generation, shares, threshold } = header
  return [
    `sealed: deployment ${deploymentId}, generation ${generation}; ${threshold} of ${shares} shares open it, each was typed back`,
  ]
}

function jsonOf({ header }: SealedFile) {
  const { deploymentId, generation, shares, threshold } = header
  return { deploymentId, generation, shares, threshold }
}

const random = (length: number) => Uint8Array.from(randomBytes(length))
