import { hash } from "node:crypto"
import type {
  CodeStarted,
  FetchOrder,
  FetchStatement,
  OnRampKeys,
} from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { type FetchTask, foreignSecret, validUntil, makeOrder } from "../../../core/fetch-orders/order.ts"
import { readRefused } from "../../../core/fetch-orders/statement.ts"
import type { Purchase } from "../../../core/on-ramp/moonpay.ts"
import { ownIssuerKey } from "../../../core/oidc/issued-token.ts"
import { openIssuerKey, type VerificationKey } from "../../../core/oidc/keys.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { requireVerificationToken, type VerificationToken } from "../../../core/otp/verification-token.ts"
import type { Refusal } from "../../../core/refusal.ts"
import type {
  CodeToCheck,
  CodeToExchange,
  CodeToStart,
  ExternalFacts,
  InvitationsToSend,
  KeyToMail,
  StartedPurchase,
} from "../../activities/activity.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { requireFetcherKey } from "../state/fetcher-key.ts"
import type { KeyNeed } from "../state/issuer-keys.ts"
import {
  CHECK_CODE,
  digestOf,
  exchangeSubject,
  invalid,
  isStored,
  MAIL_KEY,
  noIssuer,
  purchaseSubject,
  SEND_INVITATIONS,
  START_CODE,
  subjectOf,
} from "./fetch-subjects.ts"
import { sealToFetcher } from "./sealed-to-fetcher.ts"
import { type SuppliedSource, suppliedStatements } from "./supplied-statements.ts"
import { ContextNeeded } from "../state/organizations.ts"

/** The request that facts are fetched for, with the statements that came with it. */
export type FactsSource = SuppliedSource & {
  /** The activity, whose fingerprint is not the request's where a vote runs it; absent: a stamp needs the facts. */
  activity?: { organization: Organization; fingerprint: string }
}
type Deps = Pick<
  ExecutionDeps,
  "keyring" | "fetcherKey" | "oidcIssuer" | "issuerKeys" | "codeSequence" | "random" | "ids"
>

/** Facts that the fetcher stated for one request. Facts that did not come with the order are asked for. */
export class FetchedFacts implements ExternalFacts {
  readonly #source: FactsSource
  readonly #deps: Deps
  /** Key sets that came with this order: no newer one is known. */
  readonly #keys = new Map<string, readonly VerificationKey[]>()
  /** Client secrets that the fetcher has opened, by digest: the organization that each is bound to, "" if to none. */
  readonly #opened = new Map<string, string>()
  /** Keys of on-ramp providers that the fetcher has opened, by digest. */
  readonly #onRampKeys = new Set<string>()
  /** Purchases that the fetcher has started, by all but their ids. */
  readonly #purchases = new Map<string, StartedPurchase>()
  /** The code that the activity started. */
  #startedCode: CodeStarted | undefined
  /** The token for the code that the activity checked. */
  #verificationToken: string | undefined
  /** ID tokens for codes of OAuth 2.0 providers that the fetcher has exchanged, by the digest of the task. */
  readonly #exchanged = new Map<string, string>()
  /** True if the mails of the activity's invitations were sent. */
  #hasSentInvitations = false
  /** True once the fetcher has mailed the activity's key. */
  #isKeyMailed = false
  /** Refusals that the fetcher has stated, by issuer or by the digest of what is sealed. */
  readonly #refused = new Map<string, Refusal>()
  #isRead = false

  constructor(source: FactsSource, deps: Deps) {
    this.#source = source
    this.#deps = deps
  }

  issuerKeys(needs: readonly KeyNeed[]): (readonly VerificationKey[])[] {
    this.#read()
    const { issuerKeys, oidcIssuer } = this.#deps
    const { nowMs } = this.#source
    const found = needs.map((need) => {
      // Known by pairing: the key set that the API tier serves is never asked for.
      if (need.issuer === oidcIssuer) return [ownIssuerKey(requireFetcherKey(this.#deps))]
      return this.#keys.get(need.issuer) ?? issuerKeys.find(need, nowMs)
    })
    const missing = needs.filter((_need, index) => found[index] === undefined)
    if (missing.length > 0) {
      const issuers = [...new Set(missing.map(({ issuer }) => issuer))]
      this.#requireNotRefused(issuers)
      throw this.#needed(issuers.map((issuer) => ({ case: "issuerKeys", value: { issuer } })))
    }
    return found.map((keys) => keys ?? [])
  }

  requireOnRampKeys(keys: OnRampKeys): void {
    this.#read()
    const digest = digestOf(keys)
    if (this.#onRampKeys.has(digest)) return
    this.#requireNotRefused([digest])
    throw this.#needed([{ case: "onRampKeys", value: { keys } }])
  }

  startPurchase(purchase: Purchase): StartedPurchase {
    this.#read()
    const subject = purchaseSubject(purchase)
    const started = this.#purchases.get(subject)
    if (started !== undefined) return started
    this.#requireNotRefused([subject])
    const transactionId = this.#deps.ids.next(this.#source.nowMs)
    throw this.#needed([{ case: "onRampPurchase", value: { ...purchase, transactionId } }])
  }

  startCode(code: CodeToStart): CodeStarted {
    this.#read()
    if (this.#startedCode !== undefined) return this.#startedCode
    this.#requireNotRefused([START_CODE])
    const { parentId, activityFingerprint } = this.#activity()
    throw this.#needed([{ case: "startCode", value: { ...code, parentId, activityFingerprint } }])
  }

  sendInvitations(invitations: InvitationsToSend): void {
    this.#read()
    if (this.#hasSentInvitations) return
    this.#requireNotRefused([SEND_INVITATIONS])
    const { parentId, activityFingerprint } = this.#activity()
    throw this.#needed([
      { case: "sendInvitations", value: { ...invitations, parentId, activityFingerprint } },
    ])
  }

  checkCode(code: CodeToCheck): string {
    this.#read()
    if (this.#verificationToken !== undefined) return this.#verificationToken
    this.#requireNotRefused([CHECK_CODE])
    const { activityFingerprint } = this.#activity()
    throw this.#needed([{ case: "checkCode", value: { ...code, activityFingerprint } }])
  }

  ownIssuer(): string {
    const { oidcIssuer } = this.#deps
    if (oidcIssuer === undefined) throw noIssuer()
    return oidcIssuer
  }

  exchangeCode(code: CodeToExchange): string {
    this.#read()
    const task = { ...code, issuer: this.ownIssuer() }
    const subject = exchangeSubject(task)
    const token = this.#exchanged.get(subject)
    if (token !== undefined) return token
    this.#requireNotRefused([subject])
    throw this.#needed([{ case: "oauth2Exchange", value: task }])
  }

  mailKey({ bundle, ...mail }: KeyToMail): void {
    this.#read()
    if (this.#isKeyMailed) return
    this.#requireNotRefused([MAIL_KEY])
    const { parentId, activityFingerprint } = this.#activity()
    const place = { organizationId: this.#source.request.organizationId, activityFingerprint }
    const sealedBundle = sealToFetcher(bundle(), place, this.#deps)
    const value = { ...mail, sealedBundle, parentId, activityFingerprint }
    throw this.#needed([{ case: "mailKey", value }])
  }

  requireOpens(sealedSecret: Uint8Array): void {
    this.#read()
    const digest = hash("sha256", sealedSecret, "hex")
    const boundTo = this.#opened.get(digest)
    if (boundTo === undefined) {
      this.#requireNotRefused([digest])
      throw this.#needed([{ case: "clientSecret", value: { sealedSecret } }])
    }
    if (boundTo !== "" && boundTo !== this.#source.request.organizationId) throw foreignSecret()
  }

  verificationToken(compact: string, field: string): VerificationToken {
    this.#read()
    const { id, document } = this.#activity().organization
    const organizationIds = [id, document.parentId].filter((one) => one !== "")
    const { nowMs } = this.#source
    return requireVerificationToken(compact, {
      fetcherKey: requireFetcherKey(this.#deps),
      organizationIds,
      nowMs,
      field,
    })
  }

  #activity() {
    const { activity } = this.#source
    if (activity === undefined) throw new Error("only an activity starts or checks a code, or mails a key")
    const { organization, fingerprint } = activity
    const parentId = organization.document.parentId || organization.id
    return { organization, parentId, activityFingerprint: Buffer.from(fingerprint, "hex") }
  }

  /** @throws the refusal that the fetcher stated for one of the facts, instead of asking for it again */
  #requireNotRefused(subjects: readonly string[]): void {
    for (const subject of subjects) {
      const refusal = this.#refused.get(subject)
      if (refusal !== undefined) throw refusal
    }
  }

  #needed(tasks: readonly FetchTask[]): ContextNeeded {
    const { request, nowMs } = this.#source
    const { keyring, random } = this.#deps
    const { organizationId, fingerprint } = request
    const requestRef = { organizationId, requestFingerprint: Buffer.from(fingerprint, "hex") }
    const sign = (tag: string, bytes: Uint8Array) => keyring.notary.sign(tag, bytes)
    const { known: stateSequence } = this.#deps.codeSequence
    const fetchOrders = tasks.map((task) =>
      makeOrder(task, requestRef, nowMs, {
        sign,
        random,
        stateSequence: isStored(task) ? stateSequence : 0n,
      }),
    )
    return new ContextNeeded({ organizationId, fetchOrders })
  }

  #read(): void {
    const fetcherKey = requireFetcherKey(this.#deps)
    if (this.#isRead) return
    this.#isRead = true
    for (const { order, statement } of suppliedStatements(this.#source, { ...this.#deps, fetcherKey }))
      this.#learn(order, statement)
  }

  /** The finding must be about the order's own task. */
  #learn({ task }: FetchOrder, statement: FetchStatement): void {
    const { finding } = statement
    if (task.case === "issuerKeys" && finding.case === "issuerKeys") {
      const { issuer, keys: published } = finding.value
      if (issuer !== task.value.issuer) throw invalid("it is about another issuer")
      const keys = published.flatMap((key) => openIssuerKey(key) ?? [])
      const { nowMs } = this.#source
      const times = { fetchedAtMs: Number(statement.fetchedAtMs), nowMs, untilMs: validUntil(statement) }
      if (this.#deps.issuerKeys.learn(issuer, keys, times)) this.#keys.set(issuer, keys)
    } else if (task.case === "clientSecret" && finding.case === "clientSecret") {
      const digest = hash("sha256", task.value.sealedSecret, "buffer")
      if (!digest.equals(finding.value.sealedSecretDigest)) throw invalid("it is about another secret")
      this.#opened.set(digest.toString("hex"), finding.value.boundOrganizationId)
    } else if (task.case === "onRampKeys" && finding.case === "onRampKeys") {
      const digest = digestOf(task.value.keys)
      if (digest !== Buffer.from(finding.value.keysDigest).toString("hex"))
        throw invalid("it is about other keys of an on-ramp provider")
      this.#onRampKeys.add(digest)
    } else if (task.case === "onRampPurchase" && finding.case === "onRampPurchase") {
      this.#purchases.set(purchaseSubject(task.value), { purchase: task.value, started: finding.value })
    } else if (task.case === "startCode" && finding.case === "codeStarted") {
      this.#startedCode = finding.value
    } else if (task.case === "checkCode" && finding.case === "codeChecked") {
      this.#verificationToken = finding.value.verificationToken
    } else if (task.case === "oauth2Exchange" && finding.case === "oauth2Exchanged") {
      this.#exchanged.set(exchangeSubject(task.value), finding.value.oidcToken)
    } else if (task.case === "sendInvitations" && finding.case === "invitationsSent") {
      this.#hasSentInvitations = true
    } else if (task.case === "mailKey" && finding.case === "keyMailed") {
      this.#isKeyMailed = true
    } else if (finding.case === "refused") {
      const refusal = readRefused(task.case, finding.value)
      if (refusal === undefined)
        throw invalid("it refuses the task with a code or sentence that it cannot have")
      this.#refused.set(subjectOf(task), refusal)
    } else {
      throw invalid("it answers another kind of task")
    }
  }
}
