import { type RandomBytes, Secret, wiping } from "../../core/crypto/secret.ts"
import { COMMAND_KEY_LENGTH } from "../../core/sealed-seed/evidence.ts"
import { MIN_PASSPHRASE_LENGTH, readPassphrase } from "../../core/sealed-seed/passphrase.ts"
import type { DailySlots } from "../../core/sealed-seed/seal.ts"
import { UsageFault } from "../../core/command-line.ts"
import { FAULT, StartError } from "../../core/settings/start-fault.ts"
import type { HolderTerminal } from "../../process/holder-terminal.ts"
import type { Argv } from "../../process/argv.ts"
import { readCommandKey, runSlotCommand, writeCommandKey } from "../../process/slot-command.ts"

/** Daily ways that the operator wants, and the commands of the settings. */
export type DailyOptions = {
  usesPassphrase: boolean
  usesCommand: boolean
  sealCommand: Argv | undefined
  unsealCommand: Argv | undefined
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
      holder.show(`It has ${first.length} characters; at least ${MIN_PASSPHRASE_LENGTH} are needed.`)
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
async function sealByCommand({ sealCommand, unsealCommand }: DailyOptions, random: RandomBytes) {
  if (sealCommand === undefined || unsealCommand === undefined)
    throw new UsageFault(
      "--command needs COUNTERSIGN_SIGNER_SEAL_COMMAND and COUNTERSIGN_SIGNER_UNSEAL_COMMAND",
    )
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
