import type { SeedOwner } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { type RandomBytes, Secret, wiping } from "../crypto/secret.ts"
import { COMMAND_KEY_LENGTH } from "../sealed-seed/evidence.ts"
import { MIN_PASSPHRASE_LENGTH, readPassphrase } from "../sealed-seed/passphrase.ts"
import { ownerName } from "../sealed-seed/terms.ts"
import type { DailySlots } from "../sealed-seed/seal.ts"
import { UsageFault } from "../command-line.ts"
import { counted } from "../counted.ts"
import { FAULT, StartError } from "../settings/start-fault.ts"
import type { HolderTerminal } from "./holder-terminal.ts"
import type { Argv } from "../settings/argv.ts"
import { readCommandKey, runSlotCommand, writeCommandKey } from "./slot-command.ts"

/** Commands of the settings: one wraps a key, the other gives it again. */
export type DailyCommands = { sealCommand: Argv | undefined; unsealCommand: Argv | undefined }

/** Daily ways that the operator of a process wants. */
type DailyOptions = DailyCommands & { usesPassphrase: boolean; usesCommand: boolean; owner: SeedOwner }

/** Name of a setting with a command of the process whose seed it is. */
export function settingOf(owner: SeedOwner, which: "SEAL" | "UNSEAL"): string {
  const process = ownerName(owner)?.toUpperCase().replaceAll(" ", "_")
  return `COUNTERSIGN_${process}_${which}_COMMAND`
}

/** Asks for the passphrase and has the command seal a key; both are tried before anything is sealed. */
export async function askDaily(
  options: DailyOptions,
  holder: HolderTerminal,
  random: RandomBytes,
): Promise<DailySlots> {
  const { usesPassphrase, usesCommand } = options
  return {
    ...(usesCommand && { command: await sealByCommand(options, random) }),
    ...(usesPassphrase && { passphrase: await askPassphrase(holder) }),
  }
}

/** `taken`: passphrases of other processes, which this one must not have. */
export async function askPassphrase(
  holder: HolderTerminal,
  { whose = "", taken = [] }: { whose?: string; taken?: readonly Secret[] } = {},
): Promise<Secret> {
  for (;;) {
    const first = await holder.ask(
      `Passphrase${whose} for daily unlocking, at least ${MIN_PASSPHRASE_LENGTH} characters:`,
      { isHidden: true },
    )
    if (first.length < MIN_PASSPHRASE_LENGTH)
      holder.show(
        `It has ${counted(first.length, "character")}; at least ${MIN_PASSPHRASE_LENGTH} are needed.`,
      )
    else if ((await holder.ask("The same again:", { isHidden: true })) !== first)
      holder.show("The two differ.")
    else {
      const passphrase = readPassphrase(first)
      if (!taken.some((other) => areEqual(other, passphrase))) return passphrase
      passphrase.wipe()
      holder.show("Another process has this passphrase: take one of its own.")
    }
  }
}

const areEqual = (one: Secret, other: Secret) =>
  one.use((bytes) => other.use((others) => Buffer.from(bytes).equals(others)))

/** @throws {StartError} when the commands do not give the key back */
async function sealByCommand({ sealCommand, unsealCommand, owner }: DailyOptions, random: RandomBytes) {
  if (sealCommand === undefined || unsealCommand === undefined)
    throw new UsageFault(`--command needs ${settingOf(owner, "SEAL")} and ${settingOf(owner, "UNSEAL")}`)
  const key = Secret.moveFrom(random(COMMAND_KEY_LENGTH))
  const text = writeCommandKey(key)
  const sealed = await runSlotCommand(sealCommand, text).finally(() => text.wipe())
  const blob = sealed.use((bytes) => Uint8Array.from(bytes))
  const output = await runSlotCommand(unsealCommand, sealed)
  const isSame = wiping([output, sealed], () => {
    const again = readCommandKey(output)
    return wiping([again], () => again.use((own) => key.use((other) => Buffer.from(own).equals(other))))
  })
  if (isSame) return { key, blob }
  throw new StartError(
    FAULT,
    "the unseal command gives another key than the seal command was handed: nothing was sealed",
  )
}
