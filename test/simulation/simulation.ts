import { fromBinary } from "@bufbuild/protobuf"
import { recoverAddress } from "viem"
import { ActivityStatusSchema } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Outcome, RecoveredOutcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  ApiClient,
  apiKey,
  ethereumAccount,
  nameOf,
  readSetupCode,
  signParams,
  userParams,
  valueOf,
} from "../harness/api-client.ts"
import { chance } from "../harness/chance.ts"
import { fingerprintOf, stampBy, type TestKey } from "../harness/stamper.ts"
import { subOrganization } from "../harness/sub-organization.ts"
import {
  type Act,
  newOrganization,
  type Observed,
  type Organization,
  type Request,
  take,
  type World,
} from "./oracle.ts"
import { type Condition, type Consensus, type User, textOf } from "./rules.ts"
import { seededKey } from "./seeded.ts"
import { SimulatedSigner } from "./simulated-signer.ts"
import type { OrderStep, Step } from "./steps.ts"
import { type Answered, type Sent, Tier } from "./tier.ts"

/** A request with its body and stamp. */
type Prepared = { request: Request; sent: Sent }

const MAX_USERS = 6
const TYPES = {
  "create-user": "ACTIVITY_TYPE_CREATE_USERS_V3",
  "delete-user": "ACTIVITY_TYPE_DELETE_USERS",
  "create-key": "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
  "delete-key": "ACTIVITY_TYPE_DELETE_API_KEYS",
  "set-quorum": "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
  "create-policy": "ACTIVITY_TYPE_CREATE_POLICY_V3",
  "delete-policy": "ACTIVITY_TYPE_DELETE_POLICY",
  "create-wallet": "ACTIVITY_TYPE_CREATE_WALLET",
  "create-account": "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS",
  "create-child": "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
  login: "ACTIVITY_TYPE_STAMP_LOGIN",
  sign: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
} as const
const POLICY_TYPES = Object.values(TYPES)

/** Counts of a run's orders, their answers, and ends of the process. */
export type Figures = { orders: number; answers: Map<string, number>; kills: number }
export const newFigures = (): Figures => ({ orders: 0, answers: new Map(), kills: 0 })

export type Options = {
  figures: Figures
  /** Changes the answers that the oracle sees, for tests of the oracle. */
  alter: (observed: Observed) => Observed
}

/** One run: a deployment, an untrusted tier, their users, and the oracle that checks every answer. */
export class Simulation {
  readonly #signer: SimulatedSigner
  readonly #tier: Tier
  readonly #seed: string
  readonly #figures: Figures
  readonly #alter: Options["alter"]
  readonly #keys = new Map<string, TestKey>()
  /** Every request that was sent. */
  readonly #history: Prepared[] = []
  #world: World = new Map()
  #names = 0

  private constructor(seed: string, signer: SimulatedSigner, { figures, alter }: Options) {
    this.#seed = seed
    this.#signer = signer
    this.#figures = figures
    this.#alter = alter
    this.#tier = new Tier(() => this.#signer)
  }

  /** Runs the steps. @throws an error that names the step, and the rule that an answer contradicts */
  static async run(seed: string, steps: readonly Step[], options: Partial<Options> = {}): Promise<void> {
    const { figures = newFigures(), alter = (observed) => observed } = options
    const simulation = new Simulation(seed, await SimulatedSigner.open(seed), { figures, alter })
    let at = -1
    try {
      for (const name of ["first", "second"]) await simulation.#createOrganization(name)
      for (const [index, step] of steps.entries()) {
        at = index
        await simulation.#take(step)
        simulation.#requireVersions()
      }
      await simulation.#requireContent()
    } catch (cause) {
      throw new Error(`step ${at}: ${(cause as Error).message}`, { cause })
    } finally {
      await simulation.#signer.close()
    }
  }

  async #createOrganization(name: string): Promise<void> {
    const client = new ApiClient(this.#signer)
    const root = this.#newKey()
    const setupCode = await this.#signer.createSetupCode(root.publicKeyHex)
    const { organizationId } = readSetupCode(setupCode)
    const rootUser = { userName: "root", apiKeys: [apiKey(root)] }
    const parameters = { setupCode, organizationName: name, rootUser }
    const body = client.body("ACTIVITY_TYPE_CREATE_ORGANIZATION", organizationId, parameters)
    const answer = await this.#tier.deliver({ body, stamp: stampBy(root, body) }, "honest", () => 0)
    if (answer?.case !== "outcome") throw new Error("the organization was not created")
    this.#tier.store(answer.value)
    const [user] = this.#usersOf(this.#tier.document(organizationId))
    this.#world.set(organizationId, newOrganization(organizationId, user!))
  }

  #usersOf(document: {
    users: { userId: string; apiKeys: { apiKeyId: string; publicKey: string; createdAtMs: bigint }[] }[]
  }) {
    return document.users.map(({ userId, apiKeys }): User => {
      const keys = apiKeys.map(({ apiKeyId, publicKey, createdAtMs }) => ({
        keyId: apiKeyId,
        publicKey,
        createdAtMs: Number(createdAtMs),
      }))
      return { userId, keys, sessions: [] }
    })
  }

  async #take(step: Step): Promise<void> {
    switch (step.is) {
      case "orders":
        return this.#takeOrders(step)
      case "again":
        return this.#takeAgain(step)
      case "forged":
        return this.#takeForged(step)
      case "acknowledge":
        return this.#acknowledge(step.which)
      case "pass":
        return this.#signer.pass(step.ms)
      case "restart":
        await this.#signer.restart()
        return this.#requireReady()
      case "rollback":
        return this.#takeRollback(step.transactions)
      case "kill":
        this.#figures.kills += 1
        this.#signer.kill()
        await this.#signer.start()
        return this.#requireReady()
      default:
        return step satisfies never
    }
  }

  async #takeOrders({
    orders,
    faults,
    delays,
    killAfterTurns,
  }: Extract<Step, { is: "orders" }>): Promise<void> {
    const sends = orders.flatMap((order) => {
      const prepared = this.#prepare(order)
      const first = { ...order, prepared }
      return order.isDouble ? [first, { ...first, turns: order.other % 7 }] : [first]
    })
    const { store } = this.#signer
    store.faults.push(...faults)
    store.delays.push(...delays)
    const killed = killAfterTurns < 0 ? undefined : turns(killAfterTurns).then(() => this.#signer.kill())
    const answers = await Promise.all(
      sends.map(async ({ prepared, manner, turns: before, one, isLost }) => {
        await turns(before)
        const answer = await this.#tier.deliver(prepared.sent, manner, chance(one))
        if (answer?.case === "outcome" && !isLost) this.#tier.store(answer.value)
        return answer
      }),
    )
    await killed
    store.faults.length = 0
    store.delays.length = 0
    const recovered = this.#signer.isRunning ? [] : await this.#startAgain()
    const observed: Observed[] = []
    for (const [index, answer] of answers.entries()) {
      const { prepared } = sends[index]!
      // A request that was carried out may not be repeatable: it may have removed its own key.
      const known = answer ?? carriedOut(recovered, prepared) ?? (await this.#sendAgain(prepared))
      observed.push(await observedOf(known))
    }
    this.#check(
      sends.map(({ prepared }) => prepared.request),
      observed,
    )
    for (const { isLost, prepared } of sends) if (isLost) await this.#checkAgain(prepared)
  }

  async #startAgain(): Promise<RecoveredOutcome[]> {
    this.#figures.kills += 1
    await this.#signer.start()
    return this.#tier.recover()
  }

  /** A caller without an answer sends the same body again. */
  async #sendAgain({ sent }: Prepared): Promise<NonNullable<Answered>> {
    const answer = await this.#tier.deliver(sent, "honest", () => 0)
    if (answer === undefined) throw new Error("the signer ended by itself")
    if (answer.case === "outcome") this.#tier.store(answer.value)
    return answer
  }

  async #checkAgain(prepared: Prepared): Promise<void> {
    const observed = await observedOf(await this.#sendAgain(prepared))
    this.#check([prepared.request], [observed])
  }

  async #takeAgain({ which, actor, manner }: Extract<Step, { is: "again" }>): Promise<void> {
    const earlier = this.#history[which % Math.max(1, this.#history.length)]
    if (earlier === undefined) return
    const organization = this.#world.get(earlier.request.organizationId)!
    const others = organization.users.flatMap(({ keys, sessions }) => [...keys, ...sessions])
    // Every third time another user stamps the same body, which is a vote if it waits.
    const publicKey =
      actor % 3 === 0 && others.length > 0
        ? others[actor % others.length]!.publicKey
        : earlier.request.publicKey
    const { body } = earlier.sent
    const sent = { body, stamp: stampBy(this.#keys.get(publicKey)!, body) }
    const prepared = { request: { ...earlier.request, publicKey }, sent }
    const answer = await this.#tier.deliver(sent, manner, chance(which))
    if (answer?.case === "outcome") this.#tier.store(answer.value)
    this.#check([prepared.request], [await observedOf(answer!)])
  }

  /** Sends a body with a stamp that is not its own: another request's, or the one from before a space was added to the body. */
  async #takeForged({ which, at }: Extract<Step, { is: "forged" }>): Promise<void> {
    const earlier = this.#history[which % Math.max(1, this.#history.length)]
    if (earlier === undefined) return
    const other = this.#history[at % this.#history.length]!
    const isSame = other.sent.body === earlier.sent.body
    const body = isSame ? `${earlier.sent.body} ` : earlier.sent.body
    const answer = await this.#tier.deliver({ body, stamp: other.sent.stamp }, "honest", () => 0)
    if (answer?.case !== "refused") throw new Error("a stamp of another body was accepted")
  }

  /**
   * Restored to an older state, the signer decides nothing for an organization whose newest document it is shown, and nothing for
   * anybody afterwards. With its newest state it goes on.
   */
  async #takeRollback(transactions: number): Promise<void> {
    await this.#tier.recover()
    await this.#signer.rollBack(transactions)
    const older = [...this.#world.values()].filter(
      ({ organizationId, version }) => this.#signer.version(organizationId) < version,
    )
    for (const { organizationId, users } of older) {
      const { publicKey } = users[0]!.keys[0]!
      const timestampMs = String(this.#signer.nowMs())
      const parameters = { walletName: "of an older state", accounts: [] }
      const body = JSON.stringify({ type: TYPES["create-wallet"], timestampMs, organizationId, parameters })
      const stamp = stampBy(this.#keys.get(publicKey)!, body)
      const answer = await this.#tier.show(organizationId, { body, stamp })
      if (answer?.case !== "refused") throw new Error(`an older ledger decided for ${organizationId}`)
      if (this.#signer.phase === "ready")
        throw new Error(`after ${nameOf(answer.value.code)} an older ledger goes on`)
    }
    await this.#signer.rollForward()
    this.#requireReady()
  }

  #requireReady(): void {
    const { phase } = this.#signer
    if (phase !== "ready") throw new Error(`the signer with its newest state is ${phase}`)
  }

  async #acknowledge(which: number): Promise<void> {
    const known = [...this.#world.values()].flatMap((organization) =>
      [...organization.done].map(([key, done]) => ({ organization, key, done })),
    )
    const chosen = known[which % Math.max(1, known.length)]
    if (chosen === undefined) return
    const [fingerprint = "", credential = ""] = chosen.key.split("/")
    const { organizationId } = chosen.organization
    // The tier acknowledges only outcomes that it has stored.
    await this.#tier.recover()
    await this.#signer.acknowledge({
      organizationId,
      fingerprint: Buffer.from(fingerprint, "hex"),
      credential,
    })
    chosen.done.isAcknowledged = true
  }

  /** There must be an order of the requests in which the oracle gives these answers. */
  #check(requests: readonly Request[], answers: readonly Observed[]): void {
    const observed = answers.map(this.#alter)
    const nowMs = this.#signer.clock.wallMs()
    for (const one of observed) {
      const name = one.is === "refused" ? one.code : one.status
      this.#figures.orders += 1
      this.#figures.answers.set(name, (this.#figures.answers.get(name) ?? 0) + 1)
    }
    const faults: string[] = []
    for (const sequence of permutations(requests.map((_, index) => index))) {
      const world = requests.length === 1 ? this.#world : structuredClone(this.#world)
      const fault = sequence
        .map((index) => ({ request: requests[index]!, answer: observed[index]! }))
        .reduce<string | undefined>(
          (found, { request, answer }) => found ?? explained(take(world, request, answer, nowMs), request),
          undefined,
        )
      if (fault === undefined) {
        this.#world = world
        return
      }
      faults.push(fault)
    }
    throw new Error(`no order of the requests explains the answers: ${faults.join("; or ")}`)
  }

  #requireVersions(): void {
    for (const { organizationId, version } of this.#world.values()) {
      const stored = this.#signer.version(organizationId)
      if (stored !== version)
        throw new Error(`the ledger has version ${stored} of ${organizationId}, not ${version}`)
    }
  }

  /** The documents have the users, keys, quorum and policies that the oracle expects. */
  async #requireContent(): Promise<void> {
    await this.#tier.recover()
    for (const { organizationId, users, quorum, policies } of this.#world.values()) {
      const document = this.#tier.document(organizationId)
      const stored = {
        users: this.#usersOf(document),
        quorum: { threshold: document.rootQuorum?.threshold, userIds: document.rootQuorum?.userIds },
        policies: document.policies.map(({ policyId, condition, consensus }) => ({
          policyId,
          condition,
          consensus,
        })),
      }
      const expected = {
        users: users.map(({ userId, keys }) => ({ userId, keys, sessions: [] })),
        quorum,
        policies: policies.map(({ policyId, condition, consensus }) => ({
          policyId,
          condition: textOf.condition(condition),
          consensus: textOf.consensus(consensus),
        })),
      }
      const [found, wanted] = [stored, expected].map((value) => JSON.stringify(value, sortedUsers))
      if (found !== wanted) throw new Error(`the document of ${organizationId} is ${found}, not ${wanted}`)
    }
  }

  #prepare(step: OrderStep): Prepared {
    const organizations = [...this.#world.values()]
    // Half of all requests meet in one organization.
    const organization =
      organizations[step.organization % 2 === 0 ? 0 : step.organization % organizations.length]!
    const nowMs = this.#signer.clock.wallMs()
    const keys = organization.users.flatMap((user) => {
      // Few stamps are made with expired sessions.
      const sessions = user.sessions.filter(({ expiresAtMs }) => nowMs < expiresAtMs || step.one % 16 === 0)
      return [...user.keys, ...sessions].map((key) => ({ user, ...key }))
    })
    const actor = keys[step.actor % keys.length]!
    const act = this.#actOf(step, organization, actor.user)
    const timestampMs = this.#signer.nowMs()
    const { organizationId } = organization
    const type = act.is === "vote" ? `ACTIVITY_TYPE_${act.selection.toUpperCase()}_ACTIVITY` : TYPES[act.is]
    const parameters = this.#parametersOf(act)
    const body = JSON.stringify({ type, timestampMs: String(timestampMs), organizationId, parameters })
    const { publicKey } = actor
    const request = { organizationId, publicKey, fingerprint: fingerprintOf(body), timestampMs, type, act }
    const prepared = { request, sent: { body, stamp: stampBy(this.#keys.get(publicKey)!, body) } }
    this.#history.push(prepared)
    return prepared
  }

  #actOf({ act, one, other }: OrderStep, organization: Organization, actor: User): Act {
    const { users, policies, walletIds, addresses, pending, ended } = organization
    const user = users[one % users.length]!
    const pick = <T>(list: readonly T[], at = one): T | undefined => list[at % Math.max(1, list.length)]
    switch (act) {
      case "create-user":
        if (users.length < MAX_USERS) return { is: "create-user", publicKey: this.#newKey().publicKeyHex }
        return { is: "delete-user", userId: user.userId }
      case "delete-user":
        return { is: "delete-user", userId: user.userId }
      case "create-key":
        return {
          is: "create-key",
          userId: one % 2 ? actor.userId : user.userId,
          publicKey: this.#newKey().publicKeyHex,
        }
      case "delete-key": {
        const owner = one % 2 ? actor : user
        return { is: "delete-key", userId: owner.userId, keyId: pick(owner.keys, other)!.keyId }
      }
      case "set-quorum": {
        const userIds = users.filter((_, index) => (other >> index) & 1).map(({ userId }) => userId)
        const members = userIds.length > 0 ? userIds : [users[0]!.userId]
        return { is: "set-quorum", threshold: 1 + (one % members.length), userIds: members }
      }
      case "create-policy":
        return { is: "create-policy", policy: this.#policyOf(one, other, users) }
      case "delete-policy": {
        const policyId = pick(policies)?.policyId
        return policyId === undefined ? { is: "create-wallet" } : { is: "delete-policy", policyId }
      }
      case "create-account": {
        const walletId = pick(walletIds)
        return walletId === undefined ? { is: "create-wallet" } : { is: "create-account", walletId }
      }
      case "create-child":
        return this.#world.size < 4
          ? { is: "create-child", publicKey: this.#newKey().publicKeyHex }
          : { is: "create-wallet" }
      case "login": {
        // A user has at most ten sessions; one more ends the oldest.
        if (actor.sessions.length > 6) return { is: "create-wallet" }
        return { is: "login", publicKey: this.#newKey().publicKeyHex, seconds: [60, 900, 100_000][one % 3]! }
      }
      case "sign": {
        const address = pick(addresses)
        return address === undefined ? { is: "create-wallet" } : { is: "sign", address }
      }
      case "approve":
      case "reject": {
        const waiting = pick([...pending.keys()], other)
        const fingerprint = waiting ?? (one % 5 === 0 ? pick([...ended.keys()], other) : undefined)
        if (fingerprint !== undefined) return { is: "vote", selection: act, fingerprint }
        return { is: "create-policy", policy: this.#policyOf(one, other, users) }
      }
      default:
        return { is: "create-wallet" }
    }
  }

  #policyOf(one: number, other: number, users: readonly User[]) {
    const idOf = (at: number) => users[at % users.length]!.userId
    const consensuses: Consensus[] = [
      { is: "absent" },
      { is: "user", userId: idOf(one) },
      { is: "user", userId: idOf(one + 1) },
      { is: "both", userIds: [idOf(one), idOf(one + 1)] },
      { is: "at-least", count: 2 },
      { is: "at-least", count: 3 },
      { is: "exactly", count: 2 },
    ]
    const type = POLICY_TYPES[one % POLICY_TYPES.length]!
    const condition: Condition = other % 4 === 0 ? { is: "absent" } : { is: "type", type }
    const effect = other % 5 === 0 ? ("EFFECT_DENY" as const) : ("EFFECT_ALLOW" as const)
    return { effect, condition, consensus: consensuses[other % consensuses.length]! }
  }

  #parametersOf(act: Act): object {
    const name = `n${(this.#names += 1)}`
    switch (act.is) {
      case "create-user":
        return { users: [userParams(name, this.#keys.get(act.publicKey)!)] }
      case "delete-user":
        return { userIds: [act.userId] }
      case "create-key":
        return { userId: act.userId, apiKeys: [apiKey(this.#keys.get(act.publicKey)!, name)] }
      case "delete-key":
        return { userId: act.userId, apiKeyIds: [act.keyId] }
      case "set-quorum":
        return { threshold: act.threshold, userIds: act.userIds }
      case "create-policy": {
        const { effect, condition, consensus } = act.policy
        const texts = { condition: textOf.condition(condition), consensus: textOf.consensus(consensus) }
        return { policyName: name, effect, notes: "", ...texts }
      }
      case "delete-policy":
        return { policyId: act.policyId }
      case "create-wallet":
        return { walletName: name, accounts: [ethereumAccount(0)] }
      case "create-account":
        return { walletId: act.walletId, accounts: [ethereumAccount(this.#names)] }
      case "create-child":
        return subOrganization([{ name: "root", key: this.#keys.get(act.publicKey)! }], { wallet: undefined })
      case "login":
        return { publicKey: act.publicKey, expirationSeconds: String(act.seconds) }
      case "sign":
        return signParams(act.address, PAYLOAD)
      case "vote":
        return { fingerprint: `sha256:${act.fingerprint}` }
      default:
        return act satisfies never
    }
  }

  #newKey(): TestKey {
    const key = seededKey(`${this.#seed} ${this.#keys.size}`)
    this.#keys.set(key.publicKeyHex, key)
    return key
  }
}

const PAYLOAD = "5a".repeat(32)

async function observedOf(answer: NonNullable<Answered>): Promise<Observed> {
  if (answer.case === "refused") return { is: "refused", code: nameOf(answer.value.code) }
  const outcome = answer.value
  const { decision, status, failure } = outcome
  const document = documentOf(outcome)
  return {
    is: "outcome",
    status: ActivityStatusSchema.value[status]?.localName as "COMPLETED",
    activityId: decision?.activityId ?? "",
    failure: failure === undefined ? "" : nameOf(failure.code),
    created: createdBy(outcome),
    version: outcome.document.length === 0 ? 0n : (document?.version ?? 0n),
    keys: document?.users.map(({ userId, apiKeys }) => ({ userId, keyId: apiKeys[0]?.apiKeyId ?? "" })) ?? [],
    signer: await signerOf(outcome),
  }
}

/** The outcome of a request whose answer nobody got. */
function carriedOut(recovered: readonly RecoveredOutcome[], { request, sent }: Prepared): Answered {
  const found = recovered.find(
    ({ body, stamp }) =>
      Buffer.from(body).toString() === sent.body && stamp?.credential === request.publicKey,
  )
  return found?.outcome && { case: "outcome", value: found.outcome }
}

function documentOf({ document, createdOrganizations }: Outcome) {
  const bytes = document.length > 0 ? document : createdOrganizations[0]?.document
  return bytes && fromBinary(OrganizationDocumentSchema, fromBinary(NotarizedDocumentSchema, bytes).document)
}

function createdBy(outcome: Outcome): string[] {
  const result = outcome.result?.result
  switch (result?.case) {
    case "createUsersResult":
      return result.value.userIds
    case "createApiKeysResult":
      return result.value.apiKeyIds
    case "createPolicyResult":
      return [result.value.policyId]
    case "createWalletResult":
      return [result.value.walletId, ...result.value.addresses]
    case "createWalletAccountsResult":
      return result.value.addresses
    case "createSubOrganizationResultV7":
      return [result.value.subOrganizationId, ...result.value.rootUserIds]
    default:
      return []
  }
}

/** The address whose key signed the payload; "": nothing was signed. */
async function signerOf(outcome: Outcome): Promise<string> {
  if (outcome.result?.result.case !== "signRawPayloadResult") return ""
  const { r, s, v } = valueOf(outcome, "signRawPayloadResult")
  const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) } as const
  return recoverAddress({ hash: `0x${PAYLOAD}`, signature })
}

const explained = (fault: string | undefined, { type }: Request) => fault && `${type}: ${fault}`

function sortedUsers(name: string, value: unknown): unknown {
  return name === "userIds" && Array.isArray(value) ? value.toSorted(compareTexts) : value
}

function permutations(list: readonly number[]): number[][] {
  if (list.length <= 1) return [[...list]]
  return list.flatMap((first) =>
    permutations(list.filter((one) => one !== first)).map((rest) => [first, ...rest]),
  )
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const compareTexts = (one: string, other: string): number => (one < other ? -1 : 1)
