import { RecentlyUsed } from "../../../signer/core/recently-used.ts"

/** Stamps of a credential that the signer has to accept before this tier leaves further ones to the signer. */
const MIN_ACCEPTED = 4

/** After an invalid stamp a credential's stamps are verified here for this long, milliseconds. */
const REST_MS = 60_000

/** Credentials that are remembered, about 200 bytes each. */
const MAX_CREDENTIALS = 50_000

/** Orders under way whose stamps only the signer verifies: of one credential, and of all. */
const MAX_OF_CREDENTIAL = 64
const MAX_OF_ALL = 256

type Known = { accepted: number; countedFromMs: number }

/**
 * Credentials whose stamps the signer accepted lately. Verifying a stamp in both tiers costs as much as everything else that
 * this tier does for a signature. The check here only keeps strangers away from the signer, so it is left out for
 * credentials that are in use, for a bounded number of orders at a time.
 */
export class AcceptedStamps {
  readonly #nowMs: () => number
  readonly #known = new RecentlyUsed<string, Known>(MAX_CREDENTIALS)
  readonly #underWay = new Map<string, number>()
  #total = 0

  /** @param nowMs monotonic */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** Takes a place for an order whose stamp only the signer verifies. Undefined: it has to be verified here first. */
  begin(organizationId: string, credential: string): (() => void) | undefined {
    const name = nameOf(organizationId, credential)
    const known = this.#known.get(name)
    const underWay = this.#underWay.get(name) ?? 0
    if (known === undefined || known.accepted < MIN_ACCEPTED) return undefined
    if (underWay >= MAX_OF_CREDENTIAL || this.#total >= MAX_OF_ALL) return undefined
    this.#underWay.set(name, underWay + 1)
    this.#total += 1
    return () => this.#end(name)
  }

  /** Counts a stamp that the signer accepted. */
  accept(organizationId: string, credential: string): void {
    const name = nameOf(organizationId, credential)
    const known = this.#known.get(name)
    if (known === undefined) this.#known.set(name, { accepted: 1, countedFromMs: 0 })
    else if (known.accepted < MIN_ACCEPTED && this.#nowMs() >= known.countedFromMs) known.accepted += 1
  }

  /** Forgets what was accepted, after an invalid stamp. */
  drop(organizationId: string, credential: string): void {
    const name = nameOf(organizationId, credential)
    if (this.#known.get(name) === undefined) return
    this.#known.set(name, { accepted: 0, countedFromMs: this.#nowMs() + REST_MS })
  }

  #end(name: string): void {
    this.#total -= 1
    const left = (this.#underWay.get(name) ?? 0) - 1
    if (left > 0) this.#underWay.set(name, left)
    else this.#underWay.delete(name)
  }
}

function nameOf(organizationId: string, credential: string): string {
  return `${organizationId} ${credential}`
}
