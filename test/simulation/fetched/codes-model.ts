// The promises of one-time codes, from docs/THREAT_MODEL.md and docs/formats/otp.md alone. Nothing here imports code of the product.

const MAX_ATTEMPTS = 3
const MAX_LIVE = 3
const MAX_UNUSED_A_DAY = 60
const COUNTED_MS = 5 * 60_000
const DAY_MS = 24 * 60 * 60_000
const TOKEN_MS = 900_000

type Started = { organization: number; parent: string; contact: string; seconds: number; nowMs: number }
type Code = Started & {
  /** Activities that made an attempt. */
  attempts: string[]
  state: "open" | "closed" | "used" | "gone"
  usedBy: string
  tokenExpiresAtMs: number
}
type Attempt = { organization: number; isRight: boolean; activity: string; nowMs: number }

export class CodesModel {
  readonly #codes = new Map<string, Code>()
  readonly #days = new Map<string, { endsAtMs: number; unused: number }>()

  /** A contact may have three live codes in a tenant, counted over the tenant and all its sub-organizations. */
  mayStart(started: Started): boolean {
    const { parent, contact, nowMs } = started
    const live = [...this.#codes.values()].filter(
      (code) =>
        code.parent === parent &&
        code.contact === contact &&
        (code.state === "open" || code.state === "closed") &&
        nowMs < code.nowMs + Math.max(code.seconds * 1000, COUNTED_MS),
    )
    return live.length < MAX_LIVE && this.#dayOf(started).unused < MAX_UNUSED_A_DAY
  }

  started(otpId: string, { organization, parent, contact, seconds, nowMs }: Started): void {
    const fresh = { attempts: [], state: "open", usedBy: "", tokenExpiresAtMs: 0 } as const
    this.#codes.set(otpId, { organization, parent, contact, seconds, nowMs, ...fresh, attempts: [] })
    this.#dayOf({ parent, contact, nowMs }).unused += 1
  }

  /** A code whose message failed does not count, unless an attempt was made at it. */
  undelivered(otpId: string): void {
    const code = this.#codes.get(otpId)!
    if (code.attempts.length > 0) {
      code.state = "closed"
      return
    }
    code.state = "gone"
    this.#uncount(code, code.nowMs)
  }

  check(otpId: string, { organization, isRight, activity, nowMs }: Attempt): "wrong" | "right" | "again" {
    const code = this.#codes.get(otpId)!
    if (code.organization !== organization) return "wrong"
    if (code.state === "used" && code.usedBy === activity) return "again"
    const isLive = code.state === "open" && nowMs < code.nowMs + code.seconds * 1000
    if (!isLive || code.attempts.includes(activity)) return "wrong"
    code.attempts.push(activity)
    if (!isRight) {
      if (code.attempts.length >= MAX_ATTEMPTS) code.state = "closed"
      return "wrong"
    }
    code.state = "used"
    code.usedBy = activity
    code.tokenExpiresAtMs = nowMs + TOKEN_MS
    this.#uncount(code, nowMs)
    return "right"
  }

  /** The contact that a token of the code proves in these organizations, of which the last is the tenant. */
  provenBy(otpId: string, organizationIds: readonly string[], nowMs: number): string | undefined {
    const { organization, contact, tokenExpiresAtMs } = this.#codes.get(otpId)!
    const own = `0198c0de-0000-7000-8000-00000000000${organization + 1}`
    return organizationIds.includes(own) && nowMs < tokenExpiresAtMs ? contact : undefined
  }

  #uncount(code: Pick<Started, "parent" | "contact">, nowMs: number): void {
    const day = this.#dayOf({ ...code, nowMs })
    day.unused = Math.max(0, day.unused - 1)
  }

  #dayOf({ parent, contact, nowMs }: Pick<Started, "parent" | "contact" | "nowMs">) {
    const name = `${parent} ${contact}`
    const known = this.#days.get(name)
    if (known !== undefined && nowMs < known.endsAtMs) return known
    const day = { endsAtMs: nowMs + DAY_MS, unused: 0 }
    this.#days.set(name, day)
    return day
  }
}
