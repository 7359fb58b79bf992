import { UsageFault } from "../../core/command-line.ts"
import { counted } from "../../core/counted.ts"
import type { HolderAct } from "../../core/holder-acts/acts.ts"
import { fileAct, keyParameters, witnessParameters } from "../../core/holder-acts/file-act.ts"
import { writeNoteKey } from "../../core/log/note-key.ts"
import { dailyResult, openFileKey, withDailyWays } from "../../core/seal-commands/change-daily.ts"
import type { HolderTerminal } from "../../core/seal-commands/holder-terminal.ts"
import { storeChangedSeed } from "../../core/seal-commands/store-sealed.ts"
import type { DailyChange } from "../../core/seal-commands/ways.ts"
import { type HeaderChange, withHeader } from "../../core/sealed-seed/change.ts"
import type { SealedFile } from "../../core/sealed-seed/format.ts"
import { requireHolderKeys } from "../../core/sealed-seed/holders.ts"
import { type WitnessList, witnessesDigest } from "../../core/sealed-seed/witnesses.ts"
import { FAULT, StartError } from "../../core/settings/start-fault.ts"
import type { SignerConfig } from "../../enclave/config.ts"
import { isSeedStored, readStoredSeed } from "../../process/root-seed.ts"
import type { CommandResult } from "../command-result.ts"
import { requireApprovedFileAct } from "../holders/file-approvals.ts"
import { replaceHolderKeys } from "../holders/public-keys.ts"
import { nextRevision } from "./revision.ts"
import { random } from "./seal-and-rehearse.ts"

export type FileChangeCommand = DailyChange & {
  holders: readonly string[]
  approvals: readonly string[]
}

type Settings = Pick<SignerConfig, "seedFile" | "sealCommand" | "unsealCommand" | "witnesses">

/** Enrolls holders by a threshold of shares, so that holders who lost their keys are enrolled again. No approvals and no daily way do it. */
export async function changeHolders(
  command: FileChangeCommand,
  config: Settings,
  holder: HolderTerminal,
): Promise<CommandResult> {
  const sealed = readSealed(config)
  const keys = newKeysOf(command, sealed)
  if (command.by !== "shares") throw new UsageFault("holders are enrolled by shares alone: leave --by out")
  const next = await changed(sealed, { command, config, holder }, { holderPublicKeys: keys })
  const { threshold, shares } = next.header
  const lines = [
    `${threshold} of ${shares} holders approve acts from the next start or unlocking on:`,
    ...keyParameters(keys).map(([name, key]) => `${name}: ${key}`),
  ]
  return { lines, json: { threshold, holders: keyParameters(keys).map(([, key]) => key) } }
}

/** @throws {UsageFault}, HOLDERS_IMPOSSIBLE */
function newKeysOf({ holders }: Pick<FileChangeCommand, "holders">, { header }: SealedFile): Uint8Array[] {
  if (holders.length === 0)
    throw new UsageFault(
      "change-holders needs --holder KEY for each share, or --holder 2=KEY for one of them",
    )
  const keys = replaceHolderKeys(holders, header.holderPublicKeys)
  requireHolderKeys(keys, header.shares)
  return keys
}

/** Replaces the daily ways; the set of shares stays. */
export async function changeDaily(
  command: FileChangeCommand,
  config: Settings,
  holder: HolderTerminal,
): Promise<CommandResult> {
  const sealed = readSealed(config)
  const revision = nextRevision(sealed.header.revision, command.by === "shares" ? "shares" : "daily")
  const next = await withDailyWays(sealed, command, { commands: config, holder, random }, { revision })
  storeChangedSeed(config.seedFile, sealed, next)
  return dailyResult(next)
}

/** Lets processes of the deployment start without COUNTERSIGN_PRODUCTION. */
export async function leaveProduction(
  command: FileChangeCommand,
  config: Settings,
  holder: HolderTerminal,
): Promise<CommandResult> {
  const sealed = readSealed(config)
  if (!sealed.header.production)
    throw new StartError(FAULT, "this sealed seed is of no deployment in production: nothing was changed")
  if (command.by !== "shares") requireHolders(productionAct(sealed), command, sealed)
  await changed(sealed, { command, config, holder }, { production: false })
  return {
    lines: ["the signer starts without COUNTERSIGN_PRODUCTION from now on"],
    json: { production: false },
  }
}

export const productionAct = (sealed: SealedFile): HolderAct => fileAct("leave-production", [], sealed)

/** Makes the witnesses of the settings those that the signer waits for, in production: no setting alone replaces them afterwards. */
export async function changeWitnesses(
  command: FileChangeCommand,
  config: Settings,
  holder: HolderTerminal,
): Promise<CommandResult> {
  const sealed = readSealed(config)
  const { keys, threshold } = config.witnesses
  const digest = witnessesDigest(config.witnesses)
  if (Buffer.from(digest).equals(sealed.header.witnessesDigest))
    throw new StartError(
      FAULT,
      "the sealed seed names the witnesses of these settings already: nothing was changed",
    )
  if (command.by !== "shares") requireHolders(witnessesAct(config.witnesses, sealed), command, sealed)
  await changed(sealed, { command, config, holder }, { witnessesDigest: digest })
  const lines = [
    `${threshold} of ${counted(keys.length, "witness", "witnesses")} must cosign the log after each start:`,
    ...witnessParameters(config.witnesses)
      .slice(1)
      .map(([name, key]) => `${name}: ${key}`),
    "Start the signer again with these settings: in production it serves with no others.",
  ]
  return { lines, json: { threshold, witnesses: keys.map(writeNoteKey) } }
}

/** @throws {UsageFault} */
export function witnessesAct(witnesses: WitnessList, sealed: SealedFile): HolderAct {
  const unprintable = witnesses.keys.find(({ name }) => !/^[\x21-\x7e]+$/.test(name))
  if (unprintable !== undefined)
    throw new UsageFault(
      `the witness ${unprintable.name} has a name beyond ASCII, which a text for holders cannot show: name it in ASCII`,
    )
  return fileAct("change-witnesses", witnessParameters(witnesses), sealed)
}

/** Makes this file the newest one, in the place of one that was lost. Its own shares suffice: who has them has the seed. */
export async function acceptSeal(
  command: FileChangeCommand,
  config: Settings,
  holder: HolderTerminal,
): Promise<CommandResult> {
  const { header } = await changed(readSealed(config), { command, config, holder }, {})
  const { revision, generation, holderPublicKeys } = header
  const lines = [
    `the sealed file of generation ${generation} is the newest one now, with revision ${revision}`,
    ...keyParameters(holderPublicKeys).map(([name, key]) => `${name}: ${key}`),
    "Lock the signer and unlock it, or start it again.",
  ]
  return { lines, json: { generation, revision: String(revision) } }
}

/** The commands by their names. */
export const fileChanges = {
  "accept-seal": acceptSeal,
  "change-holders": changeHolders,
  "change-daily": changeDaily,
  "change-witnesses": changeWitnesses,
  "leave-production": leaveProduction,
} as const

/** Without enrolled holders only shares do such an act: a daily way is one operator's. */
function requireHolders(act: HolderAct, { approvals }: FileChangeCommand, sealed: SealedFile): void {
  if (sealed.header.holderPublicKeys.length === 0)
    throw new UsageFault(`no holders are enrolled, so ${act.name} needs shares: leave --by out`)
  requireApprovedFileAct(act, approvals, sealed)
}

type Opening = { command: Pick<FileChangeCommand, "by">; config: Settings; holder: HolderTerminal }

/** Opens the file's key, changes the header, and puts the new file into its place by one rename. */
async function changed(
  sealed: SealedFile,
  { command, config, holder }: Opening,
  change: HeaderChange,
): Promise<SealedFile> {
  const { by } = command
  const key = await openFileKey(sealed, by, { commands: config, holder })
  try {
    // What is not by shares was approved by holders.
    const revision = nextRevision(sealed.header.revision, by === "shares" ? by : "approvals")
    const next = withHeader(sealed, key, { ...change, revision }, random)
    storeChangedSeed(config.seedFile, sealed, next)
    return next
  } finally {
    key.wipe()
  }
}

/** @throws {StartError} */
export function readSealed({ seedFile }: Pick<SignerConfig, "seedFile">): SealedFile {
  const stored = isSeedStored(seedFile) ? readStoredSeed(seedFile) : undefined
  if (stored?.kind === "sealed") return stored.sealed
  if (stored !== undefined) stored.seed.wipe()
  throw new StartError(
    FAULT,
    "there is no sealed root seed: with a plain one each operator acts alone, and countersign-signer ceremony seals it",
  )
}
