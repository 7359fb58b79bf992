import { setTimeout as pause } from "node:timers/promises"
import { type Secret, wiping } from "../core/crypto/secret.ts"
import { Refusal, refuse } from "../core/refusal.ts"
import { SeedOpener, type SlotEvidence } from "../core/sealed-seed/evidence.ts"
import type { SealedFile } from "../core/sealed-seed/format.ts"
import type { ShareProgress } from "../core/sealed-seed/given-shares.ts"
import type { BootedSigner } from "./booted-signer.ts"
import type { Phase } from "./phase.ts"
import type { SeedLock } from "./rpc/context.ts"

/** A signer that serves with an open seed. */
export type OpenedSigner = BootedSigner & {
  /** Overwrites the keys that can be overwritten; nothing uses them any more. */
  wipeKeys(): void
}

type Parts = {
  /** Reads the sealed file again; undefined: there is none that can be read. */
  read: () => SealedFile | undefined
  /** Opens ledger and keys. The seed, which the file gave, is wiped afterwards. */
  open: (seed: Secret, sealed: SealedFile) => OpenedSigner
  /** A signer that serves nothing in this phase. */
  idle: (phase: Phase) => BootedSigner
  monotonicMs: () => number
  /** Called after the seed was unlocked or locked. */
  onChange: () => void
}

/** Time for orders under way when the seed is locked. */
const LOCK_MS = 8_000

/** A signer whose seed is sealed: it begins locked, and can be unlocked and locked any number of times. */
export function sealable(sealed: SealedFile, parts: Parts): BootedSigner {
  const seedLock = new RootSeedLock(sealed, parts)
  const current = () => seedLock.current
  return {
    phase: () => seedLock.phase(),
    get turns() {
      return current().turns
    },
    get orders() {
      return current().orders
    },
    get stopping() {
      return current().stopping
    },
    seedLock,
    get acts() {
      return current().acts
    },
    storage: () => current().storage(),
    state: () => current().state(),
    terminate: (error) => current().terminate(error),
    acceptClock: () => current().acceptClock(),
    acceptLedger: () => current().acceptLedger(),
    purge() {
      seedLock.forgetOldShares()
      return current().purge()
    },
    signLog: () => current().signLog(),
    signedHead: () => current().signedHead(),
    verifyIndex: () => current().verifyIndex(),
    stop() {
      seedLock.end()
      current().stop()
    },
    close() {
      seedLock.end()
      return seedLock.inTurn(() => current().close())
    },
    closeNow() {
      seedLock.end()
      return current().closeNow()
    },
  }
}

class RootSeedLock implements SeedLock {
  sealed: SealedFile
  /** The signer as it is now: idle while the seed is locked. */
  current: BootedSigner | OpenedSigner
  readonly #parts: Parts
  #opener: SeedOpener
  #isEnding = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(sealed: SealedFile, parts: Parts) {
    this.sealed = sealed
    this.#parts = parts
    this.#opener = new SeedOpener(sealed)
    this.current = this.#locked()
  }

  phase(): Phase {
    const phase = this.current.phase()
    return phase.name === "sealed" ? { ...phase, detail: describe(this.sealed, this.progress()) } : phase
  }

  get isOpen(): boolean {
    return "wipeKeys" in this.current
  }

  progress(): ShareProgress {
    return this.#opener.shares.progress
  }

  unlock(evidence: SlotEvidence): Promise<boolean> {
    return this.inTurn(async () => {
      this.#requireLocked()
      const seed = await this.#opener.take(evidence, this.#parts.monotonicMs())
      if (seed === undefined) return false
      this.#opener.shares.forget()
      this.current = wiping([seed], () => {
        this.#requireLocked()
        return openOrHalt(seed, this.sealed, this.#parts)
      })
      this.#parts.onChange()
      return true
    })
  }

  lock(): Promise<void> {
    return this.inTurn(async () => {
      this.#opener.shares.forget()
      if (this.#isEnding) return
      const opened = this.current
      opened.stop()
      await Promise.race([opened.orders.idle(), pause(LOCK_MS, undefined, { ref: false })])
      await opened.closeNow()
      if ("wipeKeys" in opened) opened.wipeKeys()
      this.current = this.#locked()
      this.#readAgain()
      this.#parts.onChange()
    })
  }

  /** The file may have another set of shares since. */
  #readAgain(): void {
    this.sealed = this.#parts.read() ?? this.sealed
    this.#opener = new SeedOpener(this.sealed)
  }

  forgetOldShares(): void {
    this.#opener.shares.forgetOld(this.#parts.monotonicMs())
  }

  /** Takes no evidence any more. */
  end(): void {
    this.#isEnding = true
    this.#opener.shares.forget()
  }

  /** One change of the lock after the other. */
  inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#last.then(run)
    this.#last = done.catch(() => undefined)
    return done
  }

  #requireLocked(): void {
    if (this.#isEnding) throw refuse("SIGNER_STOPPING", "the signer is stopping: unlock it once it is up")
    if (this.current.phase().name !== "sealed")
      throw refuse("PHASE_WRONG", "the root seed is unlocked already: nothing was done")
  }

  #locked(): BootedSigner {
    return this.#parts.idle({ name: "sealed", sentence: SEALED, detail: "" })
  }
}

/** A ledger that does not belong to the seed halts the signer, as at a start with a plain seed. */
function openOrHalt(
  seed: Secret,
  sealed: SealedFile,
  { open, idle }: Pick<Parts, "open" | "idle">,
): BootedSigner {
  try {
    return open(seed, sealed)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return idle({ name: "halted", code: error.code, sentence: error.message })
  }
}

const SEALED =
  "the root seed is sealed, so the signer has no keys; an operator unlocks it with countersign-signer unlock"

/** For the operator: which shares are there, and how many are missing. */
function describe({ header }: SealedFile, { given, threshold }: ShareProgress): string {
  const set = `generation ${header.generation}, ${threshold} of ${header.shares} shares open it`
  if (given.length === 0) return set
  return `${set}; given so far: ${given.join(", ")}`
}
