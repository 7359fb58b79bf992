import { appendFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readLogReceipt } from "../../core/log/receipt.ts"
import { RecentlyUsed } from "../../core/recently-used.ts"
import { isNoSpace, LOG_FILES, readOptional } from "./log-files.ts"

/** Far more outcomes than wait for the API tier at a time. */
const KEPT_RECEIPTS = 8192

/** Lines in the file before it is written anew with the latest ones. */
const MOST_LINES = 4 * KEPT_RECEIPTS

/**
 * Receipts of changes whose outcome may be asked for again, by the id of their vote. Each is appended to a file without a sync: the row of
 * the outcome is synced before its leaf has a place, and a second sync would double the cost of a change. Nobody trusts a receipt: it opens
 * its leaf or it does not.
 */
export class KeptReceipts {
  readonly #file: string
  readonly #receipts = new RecentlyUsed<string, string>(KEPT_RECEIPTS)
  #lines = 0

  /** @param log its era, and the leaves that it has: the leaf of a later receipt was lost in a crash */
  constructor(directory: string, log: { readonly era: number; readonly size: number }) {
    this.#file = join(directory, LOG_FILES.receipts)
    const kept = this.#latest().filter((line) => isKept(line, log))
    for (const [voteId = "", receipt = ""] of kept.map((line) => line.split(" ")))
      this.#receipts.set(voteId, receipt)
    this.#replace(kept)
  }

  /** Empty: the receipt was lost with its leaf or with the host, or it is too long ago. */
  get(voteId: string): Uint8Array {
    return Buffer.from(this.#receipts.get(voteId) ?? "", "base64")
  }

  set(voteId: string, receipt: Uint8Array): void {
    const text = Buffer.from(receipt).toString("base64")
    this.#receipts.set(voteId, text)
    if (this.#lines >= MOST_LINES) this.#replace(this.#latest())
    this.#write(() => appendFileSync(this.#file, `${voteId} ${text}\n`, { mode: 0o600 }))
    this.#lines += 1
  }

  #latest(): string[] {
    const text = readOptional(this.#file)?.toString() ?? ""
    return text.split("\n").slice(0, -1).slice(-KEPT_RECEIPTS)
  }

  #replace(lines: readonly string[]): void {
    this.#lines = lines.length
    if (lines.length === 0) return rmSync(this.#file, { force: true })
    this.#write(() => writeFileSync(this.#file, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 }))
  }

  /** With a full disk the receipts are known until the end of the process. */
  #write(write: () => void): void {
    try {
      write()
    } catch (error) {
      if (!isNoSpace(error)) throw error
    }
  }
}

/** True if the leaf of the line's receipt is in this log, or in an earlier one. */
function isKept(line: string, { era, size }: { era: number; size: number }): boolean {
  const [voteId, text, ...rest] = line.split(" ")
  const receipt = readLogReceipt(Buffer.from(text ?? "", "base64"))
  if (voteId === undefined || receipt === undefined || rest.length > 0) return false
  return receipt.era !== era || receipt.index < size
}
