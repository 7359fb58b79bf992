import { performance } from "node:perf_hooks"
import type { Secret } from "../crypto/secret.ts"
import { Refusal } from "../refusal.ts"
import type { SealedFile } from "../sealed-seed/format.ts"
import { SeedOwner } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { openByShares } from "../sealed-seed/open.ts"
import { ownerName } from "../sealed-seed/terms.ts"
import { GivenShares } from "../sealed-seed/given-shares.ts"
import { readShareWords } from "../sealed-seed/share-words.ts"
import { askShare, type HolderTerminal, inputEnded } from "./holder-terminal.ts"

/**
 * Asks for shares until they open the seed, or the file's key. Each fault is named, and the next share is asked for.
 *
 * @throws {StartError} at an empty line
 */
export async function openWithShares(
  sealed: SealedFile,
  holder: HolderTerminal,
  open: typeof openByShares = openByShares,
): Promise<Secret> {
  const shares = new GivenShares(sealed, open)
  const { owner } = sealed.header
  const whose = owner === SeedOwner.SIGNER ? "" : ` for the ${ownerName(owner)}`
  try {
    for (;;) {
      const { given, threshold } = shares.progress
      const text = await askShare(
        holder,
        `Present share ${given.length + 1} of the ${threshold} that are needed${whose}:`,
      )
      if (text === "") throw inputEnded()
      holder.clear()
      const seed = await take(text, shares).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        holder.show(error.message)
        return undefined
      })
      if (seed !== undefined) return seed
    }
  } finally {
    shares.forget()
  }
}

async function take(text: string, shares: GivenShares): Promise<Secret | undefined> {
  const share = readShareWords(text)
  try {
    return await share.use((bytes) => shares.give(bytes, performance.now()))
  } finally {
    share.wipe()
  }
}
