import type { ApprovedText } from "../../../proto/gen/countersign/signer/v1/holder_act_pb.ts"
import type { RandomBytes } from "../crypto/secret.ts"
import { refuse } from "../refusal.ts"
import { holdersDigest, type Holders } from "../sealed-seed/holders.ts"
import { ACT_NONCE_LENGTH, readActText, requireOfHolders, writeActText } from "./act-text.ts"
import type { HolderAct, ActName } from "./acts.ts"
import { requireApprovals } from "./approval.ts"

/** Texts that wait for approvals; a newer one replaces the oldest. */
const MAX_TEXTS = 16
/** Time for approvals when the operator names none: holders are reached by telephone. */
const USUAL_SECONDS = 4 * 60 * 60
const MAX_SECONDS = 7 * 24 * 60 * 60
/** The host's clock may be corrected by as much while a text to accept it waits. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000

export type GateParts = {
  /** Holders of the sealed seed that is open; undefined: none are enrolled, each operator acts alone. */
  holders: Holders | undefined
  /** Acts that need no approval although holders are enrolled. */
  free: readonly ActName[]
  /** Holders that the sealed file names now; undefined: none, or it cannot be read. */
  holdersOfFile: () => Holders | undefined
  /** Unix time, for people. A clock that is in doubt only misleads them. */
  wallMs: () => number
  /** Time by which texts expire: setting the host's clock has no effect. */
  monotonicMs: () => number
  random: RandomBytes
}

/** `aheadMs`: how far the host's clock was ahead of the monotonic one when the text was made. */
type Waiting = { act: string; expiresAtMs: number; aheadMs: number; isUsed: boolean }

/**
 * Makes texts of acts, and requires their approvals. Every text has a nonce, is kept here from its making to its use or expiry, and
 * serves once.
 */
export class ActGate {
  readonly #parts: GateParts
  readonly #waiting = new Map<string, Waiting>()

  constructor(parts: GateParts) {
    this.#parts = parts
  }

  get holders(): Holders | undefined {
    return this.#parts.holders
  }

  /** The text of an act for holders. `seconds`: time for approvals, 0: four hours. @throws HOLDERS_ABSENT, HOLDERS_CHANGED, REQUEST_INVALID */
  prepare(act: HolderAct, seconds: number): Uint8Array {
    const holders = this.#requirePresent()
    if (holders === undefined) throw refuse("HOLDERS_ABSENT", ABSENT)
    if (this.#parts.free.includes(act.name))
      throw refuse("HOLDERS_ABSENT", `${act.name} needs no approval in this deployment: run it`)
    if (seconds > MAX_SECONDS)
      throw refuse(
        "REQUEST_INVALID",
        `expirationSeconds is ${seconds}: approvals have at most ${MAX_SECONDS}`,
      )
    const { wallMs, monotonicMs, random } = this.#parts
    const lastsMs = (seconds || USUAL_SECONDS) * 1000
    const [nowMs, runsMs] = [wallMs(), monotonicMs()]
    const terms = { nonce: random(ACT_NONCE_LENGTH), expiresAtMs: nowMs + lastsMs }
    const shown = act.name === "accept-clock" ? withClock(act, nowMs) : act
    const text = writeActText(shown, holders, terms)
    const times = { expiresAtMs: runsMs + lastsMs, aheadMs: nowMs - runsMs }
    this.#waiting.set(text, { act: keyOf(act), ...times, isUsed: false })
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= MAX_TEXTS) break
      this.#waiting.delete(oldest)
    }
    return Buffer.from(text)
  }

  /**
   * Requires approvals of an act and spends its text, whether the act succeeds or not. Returns the text; undefined: the act needs none.
   *
   * @throws APPROVALS_NEEDED, APPROVAL_UNKNOWN, APPROVAL_USED, APPROVAL_EXPIRED, APPROVAL_OTHER_ACT, HOLDERS_CHANGED, and those of
   *   `readActText`, `requireOfHolders` and `requireApprovals`
   */
  require(
    act: HolderAct,
    approved: Pick<ApprovedText, "text" | "approvals"> | undefined,
  ): Uint8Array | undefined {
    const holders = this.#requirePresent()
    if (holders === undefined || this.#parts.free.includes(act.name)) return undefined
    if (approved === undefined) throw approvalsNeeded(act, holders)
    const read = readActText(approved.text)
    requireOfHolders(read, holders)
    const waiting = this.#waiting.get(read.text)
    if (waiting === undefined) throw refuse("APPROVAL_UNKNOWN", UNKNOWN)
    if (waiting.isUsed) throw refuse("APPROVAL_USED", `this text was used already: ${ANEW}`)
    if (this.#parts.monotonicMs() >= waiting.expiresAtMs)
      throw refuse(
        "APPROVAL_EXPIRED",
        `this text expired at ${new Date(read.expiresAtMs).toISOString()}: ${ANEW}`,
      )
    if (waiting.act !== keyOf(act))
      throw refuse(
        "APPROVAL_OTHER_ACT",
        `the holders approved ${read.act} with the parameters of its text, and this is ${act.name} with others or another act: ${ANEW}`,
      )
    if (act.name === "accept-clock") this.#requireClock(waiting)
    requireApprovals(approved.text, approved.approvals, holders)
    waiting.isUsed = true
    return Uint8Array.from(approved.text)
  }

  /** The clock that holders approved: it was not set since. @throws APPROVAL_OTHER_ACT */
  #requireClock({ aheadMs }: Waiting): void {
    const { wallMs, monotonicMs } = this.#parts
    if (Math.abs(wallMs() - monotonicMs() - aheadMs) > CLOCK_TOLERANCE_MS)
      throw refuse("APPROVAL_OTHER_ACT", `the host's clock was set since the text was made: ${ANEW}`)
  }

  /** The holders, if the file names the same ones. @throws HOLDERS_CHANGED */
  #requirePresent(): Holders | undefined {
    const { holders, holdersOfFile } = this.#parts
    const [known, stored] = [holders, holdersOfFile()].map((some) =>
      some === undefined ? "" : Buffer.from(holdersDigest(some)).toString("hex"),
    )
    if (known === stored) return holders
    throw refuse("HOLDERS_CHANGED", CHANGED)
  }
}

/** Holders compare the time with their own watches. */
function withClock(act: HolderAct, nowMs: number): HolderAct {
  return { ...act, noted: [["Clock now", new Date(nowMs).toISOString()]] }
}

/** An act and its parameters, for comparison. */
const keyOf = ({ name, parameters }: HolderAct) => JSON.stringify([name, parameters])

export function approvalsNeeded({ name }: HolderAct, { threshold, publicKeys }: Holders) {
  const sentence = `${name} needs the approval of ${threshold} of ${publicKeys.length} holders: countersign-signer approve prepare ${name} makes the text that they sign`
  return refuse("APPROVALS_NEEDED", sentence)
}

const ANEW = "have a new one made with countersign-signer approve prepare, and approved"
const UNKNOWN = `the signer did not make this text since it was unlocked, or has made ${MAX_TEXTS} others since: ${ANEW}`
const ABSENT =
  "no holders are enrolled, so the act needs no approval: run it. To enroll holders: countersign-signer change-holders"
const CHANGED =
  "the sealed file names other holders than the signer knows since it was unlocked. Nothing was changed. " +
  "Lock the signer and unlock it, or start it again, so that it reads the file; then have a new text made and approved"
