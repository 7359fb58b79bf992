import { randomBytes } from "node:crypto"
import { UsageFault } from "../command-line.ts"
import { type RandomBytes, Secret, wiping } from "../crypto/secret.ts"
import { refuse } from "../refusal.ts"
import { type HeaderChange, withHeader } from "../sealed-seed/change.ts"
import { dailySlotsOf, type SealedFile, slotOf } from "../sealed-seed/format.ts"
import { keyByCommand, keyByPassphrase, keyByShares } from "../sealed-seed/open.ts"
import { readPassphrase } from "../sealed-seed/passphrase.ts"
import { newDailySlots } from "../sealed-seed/seal.ts"
import { FAULT, StartError } from "../settings/start-fault.ts"
import { askDaily, type DailyCommands, settingOf } from "./daily-ways.ts"
import { type HolderTerminal, openHolderTerminal } from "./holder-terminal.ts"
import { openWithShares } from "./open-with-shares.ts"
import { readCommandKey, runSlotCommand } from "./slot-command.ts"
import { storeChangedSeed } from "./store-sealed.ts"
import type { DailyChange, OpenBy } from "./ways.ts"

/** Surroundings of a command about a sealed file. */
type At = { commands: DailyCommands; holder: HolderTerminal; random: RandomBytes }

/** The same seed with other daily ways; the set of shares stays. `more`: other changes of the header. */
export async function withDailyWays(
  sealed: SealedFile,
  change: DailyChange,
  at: At,
  more: HeaderChange = {},
): Promise<SealedFile> {
  const key = await openFileKey(sealed, change.by, at)
  try {
    const { owner } = sealed.header
    const daily = await askDaily({ ...change, ...at.commands, owner }, at.holder, at.random)
    const dailySlots = await newDailySlots(daily, { key, terms: sealed.header }, at.random)
    return withHeader(sealed, key, { ...more, dailySlots }, at.random)
  } finally {
    key.wipe()
  }
}

/** What a change of the daily ways did: lines for people, JSON for programs. */
export function dailyResult(sealed: SealedFile): { lines: string[]; json: object } {
  const daily = dailySlotsOf(sealed)
  const lines = [
    `daily ways: ${daily.length === 0 ? "none" : daily.join(", ")}; shares always open the seed`,
    "Copies of the earlier file still open by its daily ways: destroy them, and the file in every backup.",
  ]
  return { lines, json: { daily } }
}

/** The random key of the file, which the caller wipes. */
export async function openFileKey(
  sealed: SealedFile,
  by: OpenBy,
  { commands, holder }: Pick<At, "commands" | "holder">,
): Promise<Secret> {
  switch (by) {
    case "shares":
      return openWithShares(sealed, holder, keyByShares)
    case "passphrase": {
      const passphrase = readPassphrase(await holder.ask("Present passphrase:", { isHidden: true }))
      return keyByPassphrase(sealed, passphrase).finally(() => passphrase.wipe())
    }
    case "command": {
      const blob = slotOf(sealed, "command")?.kind.value.blob
      const key = await keyOfBlob(blob, commands.unsealCommand, settingOf(sealed.header.owner, "UNSEAL"))
      return wiping([key], () => keyByCommand(sealed, key))
    }
    default:
      return by satisfies never
  }
}

/**
 * The key that the command of the settings gives for the blob of a sealed file. `setting`: the command's name among the settings.
 *
 * @throws {UsageFault} without a command; SEED_SLOT_MISSING without a blob; UNSEAL_KEY_WRONG, and the faults of the command
 */
export async function keyOfBlob(
  blob: Uint8Array | undefined,
  unsealCommand: DailyCommands["unsealCommand"],
  setting: string,
): Promise<Secret> {
  if (unsealCommand === undefined) throw new UsageFault(`the daily command needs ${setting}`)
  if (blob === undefined || blob.length === 0)
    throw refuse(
      "SEED_SLOT_MISSING",
      "this seed was sealed without a command. Shares always open it: unlock without an option asks for them",
    )
  const output = await runSlotCommand(unsealCommand, Secret.copyOf(blob))
  return wiping([output], () => readCommandKey(output))
}

/** A stored seed, as far as a change of its daily ways reads it. */
type Stored = { kind: "plain"; seed: Secret } | { kind: "sealed"; sealed: SealedFile }

/** Replaces the daily ways of the file on its process's own host, where its commands find their key store. @throws {StartError} */
export async function changeOwnDaily(
  stored: Stored,
  change: DailyChange,
  { file, commands }: { file: string; commands: DailyCommands },
) {
  if (stored.kind === "plain") {
    stored.seed.wipe()
    throw new StartError(FAULT, `${file} is not sealed, so nothing was changed: ${CEREMONY}`)
  }
  const holder = openHolderTerminal()
  try {
    const next = await withDailyWays(stored.sealed, change, { commands, holder, random })
    storeChangedSeed(file, stored.sealed, next)
    return dailyResult(next)
  } finally {
    holder.close()
  }
}

const random = (length: number) => Uint8Array.from(randomBytes(length))

const CEREMONY = "countersign-signer ceremony, or change-shares, seals it with the signer's seed"
