import type { BootedSigner } from "../booted-signer.ts"
import type { SignerConfig } from "../config.ts"
import { holderActs } from "../holder-acts.ts"
import type { Phase } from "../phase.ts"
import { OrderFigures } from "../rpc/order-figures.ts"
import { newTurns } from "../rpc/turns.ts"
import { type BootOptions, withRandom } from "./boot-options.ts"

const doNothing = () => Promise.resolve()

/** `closed`: resolves when what was open has been closed. */
type Halt = { config: SignerConfig; options: BootOptions; closed: Promise<void> }

/** A signer that waits for an operator: it has a phase, and neither state nor keys. */
export function halted(phase: Phase, { config, options, closed }: Halt): BootedSigner {
  const { terminate } = options
  const close = () => closed
  return {
    phase: () => phase,
    turns: newTurns(),
    orders: new OrderFigures(),
    storage: haltedState,
    stopping: new AbortController().signal,
    seedLock: undefined,
    acts: holderActs(undefined, config, withRandom(options)),
    state: haltedState,
    terminate,
    acceptClock: doNothing,
    acceptLedger: doNothing,
    purge: doNothing,
    signLog: doNothing,
    signedHead: () => undefined,
    verifyIndex: async () => undefined,
    stop: () => undefined,
    close,
    closeNow: close,
  }
}

function haltedState(): never {
  throw new Error("a halted signer has no state and no keys")
}
