import { createHash, type KeyObject } from "node:crypto"
import type {
  FetchedStatement,
  FetchOrder,
  FetchStatement,
} from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { Outside } from "../../activities/activity.ts"
import { isTimely, makeOrder, openOrder, type Task } from "../../../core/fetch-orders/order.ts"
import { holdsUntil, isFresh, openStatement } from "../../../core/fetch-orders/statement.ts"
import { isSignedTagged } from "../../../core/crypto/tagged-signature.ts"
import { openIssuerKey, type VerificationKey } from "../../../core/oidc/keys.ts"
import type { Notary } from "../../organization/notarize.ts"
import { refuse } from "../../../core/refusal.ts"
import type { IssuerKeys, KeyNeed } from "../state/issuer-keys.ts"
import { ContextNeeded } from "../state/needed.ts"

/** Statements that one order may bring: more than any request can need. */
const MAX_SUPPLIED = 32

export type FindingDeps = {
  notary: Notary
  /** Signing half of the paired fetcher's key set; undefined: paired with none. */
  fetcherKey: KeyObject | undefined
  issuerKeys: IssuerKeys
  random: (length: number) => Uint8Array
  nowMs: number
}

/** For which request something is found out, lower-case hexadecimal its fingerprint. */
export type Errand = { organizationId: string; fingerprint: string }

/** What the fetcher found out for one request: from what came with the order, else by asking for it. */
export class Findings implements Outside {
  readonly #errand: Errand
  readonly #supplied: readonly FetchedStatement[]
  readonly #deps: FindingDeps
  /** Key sets that came with this very order: nothing newer can be got. */
  readonly #keys = new Map<string, readonly VerificationKey[]>()
  /** Digests of client secrets that the fetcher has opened. */
  readonly #opened = new Set<string>()
  #isRead = false

  constructor(errand: Errand, supplied: readonly FetchedStatement[], deps: FindingDeps) {
    this.#errand = errand
    this.#supplied = supplied
    this.#deps = deps
  }

  /** @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID, REQUEST_TOO_LARGE; ContextNeeded with an order for each issuer */
  issuerKeys(needs: readonly KeyNeed[]): (readonly VerificationKey[])[] {
    this.#read()
    const { issuerKeys, nowMs } = this.#deps
    const found = needs.map((need) => this.#keys.get(need.issuer) ?? issuerKeys.find(need, nowMs))
    const missing = new Set(
      needs.filter((_need, index) => found[index] === undefined).map(({ issuer }) => issuer),
    )
    if (missing.size > 0) {
      throw this.#needed([...missing].map((issuer) => ({ case: "issuerKeys", value: { issuer } })))
    }
    return found.map((keys) => keys ?? [])
  }

  /** @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID, REQUEST_TOO_LARGE; ContextNeeded with the order to open it */
  requireOpens(sealedSecret: Uint8Array): void {
    this.#read()
    if (this.#opened.has(sha256(sealedSecret).toString("hex"))) return
    throw this.#needed([{ case: "clientSecret", value: { sealedSecret } }])
  }

  #needed(tasks: readonly Task[]): ContextNeeded {
    const { organizationId, fingerprint } = this.#errand
    const { notary, random, nowMs } = this.#deps
    const errand = { organizationId, requestFingerprint: Buffer.from(fingerprint, "hex") }
    const sign = (tag: string, bytes: Uint8Array) => notary.sign(tag, bytes)
    const fetchOrders = tasks.map((task) => makeOrder(task, errand, nowMs, { sign, random }))
    return new ContextNeeded({ organizationId, fetchOrders })
  }

  #read(): void {
    const { fetcherKey } = this.#deps
    if (fetcherKey === undefined) {
      throw refuse(
        "FETCHER_NOT_PAIRED",
        "this needs the fetcher, and the signer is paired with none: COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY",
      )
    }
    if (this.#isRead) return
    this.#isRead = true
    if (this.#supplied.length > MAX_SUPPLIED) {
      throw refuse("REQUEST_TOO_LARGE", `an order brings at most ${MAX_SUPPLIED} statements`)
    }
    for (const fetched of this.#supplied) this.#take(fetched, fetcherKey)
  }

  /** What is authentic and too old is passed over: it will be asked for again. */
  #take(fetched: FetchedStatement, fetcherKey: KeyObject): void {
    const { notary, nowMs } = this.#deps
    const opened = openOrder(fetched.order, (...parts) => notary.verify(...parts))
    if (opened === undefined || !this.#isOurs(opened.order))
      throw invalid("the order is none of this request")
    const statement = openStatement(fetched.statement, (tag, bytes, signature) =>
      isSignedTagged(fetcherKey, tag, bytes, signature),
    )
    if (statement === undefined) throw invalid("the paired fetcher did not sign it")
    const isAboutIt = Buffer.compare(statement.orderDigest, opened.digest) === 0
    if (!isAboutIt || statement.organizationId !== this.#errand.organizationId) {
      throw invalid("it is about another order")
    }
    if (isTimely(opened.order, nowMs) && isFresh(statement, nowMs)) this.#learn(opened.order, statement)
  }

  #isOurs({ organizationId, requestFingerprint }: FetchOrder): boolean {
    const isOfRequest = Buffer.from(requestFingerprint).toString("hex") === this.#errand.fingerprint
    return isOfRequest && organizationId === this.#errand.organizationId
  }

  /** The finding has to be one on the order's own task. */
  #learn({ task }: FetchOrder, statement: FetchStatement): void {
    const { finding } = statement
    if (task.case === "issuerKeys" && finding.case === "issuerKeys") {
      const { issuer, keys: published } = finding.value
      if (issuer !== task.value.issuer) throw invalid("it is about another issuer")
      const keys = published.flatMap((key) => openIssuerKey(key) ?? [])
      const { issuerKeys, nowMs } = this.#deps
      issuerKeys.learn(issuer, keys, { nowMs, untilMs: holdsUntil(statement) })
      this.#keys.set(issuer, keys)
    } else if (task.case === "clientSecret" && finding.case === "clientSecret") {
      const digest = sha256(task.value.sealedSecret)
      if (!digest.equals(finding.value.sealedSecretDigest)) throw invalid("it is about another secret")
      this.#opened.add(digest.toString("hex"))
    } else {
      throw invalid("it answers another question")
    }
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest()
}

function invalid(why: string) {
  return refuse("STATEMENT_INVALID", `a statement of the fetcher cannot be accepted: ${why}`)
}
