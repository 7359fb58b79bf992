import { type Secret, wiping } from "../../core/crypto/secret.ts"
import { Refusal } from "../../core/refusal.ts"
import { readSealedSeed, type SealedFile, writeSealedSeed } from "../../core/sealed-seed/format.ts"
import { openByShares } from "../../core/sealed-seed/open.ts"
import { describeShare, readShare, type Share } from "../../core/sealed-seed/share.ts"
import { readShareWords, wordsOfShare } from "../../core/sealed-seed/share-words.ts"
import { askShare, type HolderTerminal } from "../../core/seal-commands/holder-terminal.ts"
import { type Sheet, sheetScreens } from "./sheet.ts"
import type { SheetFolder } from "./sheet-folder.ts"

/** A seed that is sealed in memory, with the shares of its set. Nothing of it is stored yet. */
export type PendingSeal = { seed: Secret; sealed: SealedFile; shares: readonly Secret[] }

/**
 * Hands out the shares and rehearses them. Each holder sees their sheet alone, types every share back, and every share takes part
 * in an opening. Only what holders typed is used from then on.
 *
 * @returns the shares as they were typed, by process; the caller wipes them
 */
export async function handOut(
  pending: readonly PendingSeal[],
  holder: HolderTerminal,
  folder?: SheetFolder,
): Promise<Share[][]> {
  const typed: Share[][] = pending.map(() => [])
  const [{ sealed } = { sealed: undefined }] = pending
  const holders = sealed?.header.shares ?? 0
  for (let index = 0; index < holders; index += 1) {
    const sheet = sheetOf(pending, index)
    const file = folder?.write(sheet)
    await showSheet(sheet, holder, file)
    for (const [at, { shares }] of pending.entries()) typed[at]?.push(await typeBack(shares[index]!, holder))
    if (file !== undefined) folder?.remove(file)
    holder.clear()
  }
  for (const [at, one] of pending.entries()) await rehearse(one, typed[at] ?? [])
  return typed
}

function sheetOf(pending: readonly PendingSeal[], index: number): Sheet {
  const lines = pending.map(({ shares }) => {
    const share = shares[index]!
    const { label, point } = share.use(readShare)
    point.wipe()
    return { label, words: wordsOfShare(share) }
  })
  const { deploymentId = "", shares: holders = 0 } = pending[0]?.sealed.header ?? {}
  return { deploymentId, number: index + 1, holders, lines }
}

async function showSheet(sheet: Sheet, holder: HolderTerminal, file: string | undefined): Promise<void> {
  const { number, holders } = sheet
  holder.clear()
  await holder.ask(`Holder ${number} of ${holders}: come to the screen alone, and press Enter.`)
  const how =
    file === undefined ? "Write the words on your sheet" : `Print ${file}, or write the words on your sheet`
  const screens = sheetScreens(sheet)
  for (const [at, screen] of screens.entries()) {
    holder.show(...screen)
    const next =
      at < screens.length - 1
        ? `Enter shows the words of the next process, ${at + 2} of ${screens.length}.`
        : "Enter removes them from the screen; then you type them back."
    await holder.ask(`${how}, and compare them. ${next}`)
    holder.clear()
  }
}

/** Asks until the holder has typed this share from their sheet. */
async function typeBack(share: Secret, holder: HolderTerminal): Promise<Share> {
  const expected = share.use(readShare)
  expected.point.wipe()
  for (let question = `Type the words of ${describeShare(expected.label)}:`; ; ) {
    const text = await askShare(holder, question)
    const fault = faultOf(text, share)
    if (fault instanceof Object) return fault
    question = `${fault}. Type the words of share ${expected.label.number} again:`
  }
}

/** The share that was typed, or why it is not the expected one. */
function faultOf(text: string, expected: Secret): Share | string {
  try {
    const typed = readShareWords(text)
    return wiping([typed], () => {
      const isSame = typed.use((own) => expected.use((other) => Buffer.from(own).equals(other)))
      const share = typed.use(readShare)
      if (isSame) return share
      share.point.wipe()
      return `this is ${describeShare(share.label)}: take the other sheet`
    })
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

/** Opens the file's bytes with each run of neighbours among the typed shares, so that every share is used. */
export async function rehearse(
  { seed, sealed }: Pick<PendingSeal, "seed" | "sealed">,
  typed: readonly Share[],
): Promise<void> {
  const read = readSealedSeed(writeSealedSeed(sealed))
  const { threshold } = read.header
  for (const start of typed.keys()) {
    const some = Array.from({ length: threshold }, (_, step) => typed[(start + step) % typed.length]!.point)
    const opened = await openByShares(read, some)
    const isSame = wiping([opened], () =>
      opened.use((own) => seed.use((other) => Buffer.from(own).equals(other))),
    )
    if (!isSame) throw new Error("the shares open another seed than the one that was sealed")
  }
}
