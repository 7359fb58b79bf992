import { UsageFault } from "../../core/command-line.ts"
import { Secret, wiping } from "../../core/crypto/secret.ts"
import type { HolderAct } from "../../core/holder-acts/acts.ts"
import { fileAct, keyParameters, witnessParameters } from "../../core/holder-acts/file-act.ts"
import { writeNoteKey } from "../../core/log/note-key.ts"
import { type HeaderChange, withHeader } from "../../core/sealed-seed/change.ts"
import { dailySlotsOf, type SealedFile, slotOf } from "../../core/sealed-seed/format.ts"
import { requireHolderKeys } from "../../core/sealed-seed/holders.ts"
import { keyByCommand, keyByPassphrase, keyByShares } from "../../core/sealed-seed/open.ts"
import { readPassphrase } from "../../core/sealed-seed/passphrase.ts"
import { newDailySlots } from "../../core/sealed-seed/seal.ts"
import { type WitnessList, witnessesDigest } from "../../core/sealed-seed/witnesses.ts"
import { FAULT, StartError } from "../../core/settings/start-fault.ts"
import type { SignerConfig } from "../../enclave/config.ts"
import type { HolderTerminal } from "../../process/holder-terminal.ts"
import { isSeedStored, readStoredSeed, storeSealedSeed } from "../../process/root-seed.ts"
import { readCommandKey, runSlotCommand } from "../../process/slot-command.ts"
import type { CommandResult } from "../command-result.ts"
import { requireApprovedFileAct } from "../holders/file-approvals.ts"
import { replaceHolderKeys } from "../holders/public-keys.ts"
import { askDaily } from "./daily.ts"
import { openWithShares } from "./open-with-shares.ts"
import { random } from "./seal-and-rehearse.ts"

/** How the present file is opened. */
export type OpenBy = "shares" | "passphrase" | "command"

export type FileChangeCommand = {
  by: OpenBy
  holders: readonly string[]
  usesPassphrase: boolean
  usesCommand: boolean
  approvals: readonly string[]
}

type Settings = Pick<SignerConfig, "seedFile" | "sealCommand" | "unsealCommand" | "witnesses">

/**
 * Enrolls holders. A threshold of shares suffices, so that holders who lost their keys are enrolled again; by a daily way the
 * present holders approve it.
 */
export async function changeHolders(
  command: FileChangeCommand,
  config: Settings,
  holder: HolderTerminal,
): Promise<CommandResult> {
  const sealed = readSealed(config)
  const keys = newKeysOf(command, sealed)
  if (command.by !== "shares") requireHolders(holdersAct(keys, sealed), command, sealed)
  const next = await changed(sealed, { command, config, holder }, () => ({ holderPublicKeys: keys }))
  const { threshold, shares } = next.header
  const lines = [
    `${threshold} of ${shares} holders approve acts from the next start or unlocking on:`,
    ...keyParameters(keys).map(([name, key]) => `${name}: ${key}`),
  ]
  return { lines, json: { threshold, holders: keyParameters(keys).map(([, key]) => key) } }
}

/** @throws {UsageFault}, HOLDERS_IMPOSSIBLE */
export function newKeysOf(
  { holders }: Pick<FileChangeCommand, "holders">,
  { header }: SealedFile,
): Uint8Array[] {
  if (holders.length === 0)
    throw new UsageFault(
      "change-holders needs --holder KEY for each share, or --holder 2=KEY for one of them",
    )
  const keys = replaceHolderKeys(holders, header.holderPublicKeys)
  requireHolderKeys(keys, header.shares)
  return keys
}

export function holdersAct(keys: readonly Uint8Array[], sealed: SealedFile): HolderAct {
  return fileAct("change-holders", keyParameters(keys), sealed)
}

/** Replaces the daily ways; the set of shares stays. */
export async function changeDaily(
  command: FileChangeCommand,
  config: Settings,
  holder: HolderTerminal,
): Promise<CommandResult> {
  const sealed = readSealed(config)
  const next = await changed(sealed, { command, config, holder }, async (key) => {
    const daily = await askDaily({ ...command, ...config }, holder, random)
    return { dailySlots: await newDailySlots(daily, { key, terms: sealed.header }, random) }
  })
  const daily = dailySlotsOf(next)
  const lines = [
    `daily ways: ${daily.length === 0 ? "none" : daily.join(", ")}; shares always open the seed`,
    "Copies of the earlier file still open by its daily ways: destroy them, and the file in every backup.",
  ]
  return { lines, json: { daily } }
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
  await changed(sealed, { command, config, holder }, () => ({ production: false }))
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
  await changed(sealed, { command, config, holder }, () => ({ witnessesDigest: digest }))
  const lines = [
    `${threshold} of ${keys.length} witnesses must cosign the log after each start:`,
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

/** The commands by their names. */
export const fileChanges = {
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
  change: (key: Secret) => HeaderChange | Promise<HeaderChange>,
): Promise<SealedFile> {
  const key = await openKey(sealed, { command, config, holder })
  try {
    const next = withHeader(sealed, key, await change(key), random)
    storeSealedSeed(config.seedFile, next)
    return next
  } finally {
    key.wipe()
  }
}

async function openKey(sealed: SealedFile, { command, config, holder }: Opening): Promise<Secret> {
  switch (command.by) {
    case "shares":
      return openWithShares(sealed, holder, keyByShares)
    case "passphrase": {
      const passphrase = readPassphrase(await holder.ask("Present passphrase:", { isHidden: true }))
      return keyByPassphrase(sealed, passphrase).finally(() => passphrase.wipe())
    }
    case "command":
      return keyFromCommand(sealed, config)
    default:
      return command.by satisfies never
  }
}

async function keyFromCommand(sealed: SealedFile, { unsealCommand }: Settings): Promise<Secret> {
  const blob = slotOf(sealed, "command")?.kind.value.blob
  if (unsealCommand === undefined || blob === undefined)
    throw new UsageFault(
      "--by command needs COUNTERSIGN_SIGNER_UNSEAL_COMMAND, and a seed that was sealed with a command",
    )
  const output = await runSlotCommand(unsealCommand, Secret.copyOf(blob))
  return wiping([output], () => keyByCommand(sealed, readCommandKey(output)))
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
