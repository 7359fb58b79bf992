import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf"
import type { ExpressionFault } from "../../proto/gen/countersign/api/v1/errors_pb.ts"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type {
  Needed,
  NeededFill,
  OrderSchema,
  Outcome,
  TransactionFillSchema,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { SetupCodeSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import type { FetchedStatement } from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { Refusal, type RefusalName } from "../../signer/core/refusal.ts"
import type { FakeFetcher } from "./fake-fetcher.ts"
import type { Boundary } from "./boundary.ts"
import { newKey, stampBy, type StampHeader, type Stamper, type TestKey } from "./stamper.ts"

/** Members of an order beside body and stamp, which an attacker chooses. An empty document means none. */
export type Context = {
  document?: Uint8Array
  documents?: Uint8Array[]
  records?: Uint8Array[]
  fetched?: FetchedStatement[]
  fill?: Fill
}

/** Values of a chain, as an API tier reads them or makes them up. */
export type Fill = MessageInitShape<typeof TransactionFillSchema>

/** Answer of the signer: an outcome, a refusal's code, or the documents and records it needs. */
export type Answer =
  | { is: "outcome"; outcome: Outcome }
  | { is: "refused"; code: RefusalName; sentence: string; field: string; expression?: ExpressionFault }
  | { is: "needed"; needed: Needed }

/** An organization with one root user. */
export type Tenant = { organizationId: string; root: TestKey; rootUserId: string }

/**
 * Client of the signer in the API tier's place: keeps documents and records as the database does. `submit` and
 * `send` are honest; `order` sends exactly its arguments.
 */
export class ApiClient {
  /** Digest of the list of policies that the API tier says it has. */
  policyList: Uint8Array = NOTHING
  readonly boundary: Boundary
  readonly documents = new Map<string, Uint8Array>()
  readonly records = new Map<string, Uint8Array>()
  readonly fakeFetcher: FakeFetcher | undefined
  /** Reads a chain for a send that lacks its values; undefined: no chain is configured. */
  chain: ((needed: NeededFill) => Fill) | undefined

  /** @param fakeFetcher receives the signer's fetch orders */
  constructor(boundary: Boundary, fakeFetcher?: FakeFetcher) {
    this.boundary = boundary
    this.fakeFetcher = fakeFetcher
  }

  body(
    type: string,
    organizationId: string,
    parameters: object,
    timestampMs = this.boundary.nowMs(),
  ): string {
    return JSON.stringify({ type, timestampMs: String(timestampMs), organizationId, parameters })
  }

  /** Sends exactly these arguments. */
  async order(body: string, stamp: string | StampHeader, context: Context = {}): Promise<Answer> {
    const order: MessageInitShape<typeof OrderSchema> = {
      body: Buffer.from(body),
      ...(typeof stamp === "string" ? { xStamp: stamp } : stamp),
      documents: context.documents ?? [context.document ?? NOTHING].filter(({ length }) => length > 0),
      records: context.records ?? [],
      fetched: context.fetched ?? [],
      ...(context.fill !== undefined && { fill: context.fill }),
      policyList: this.policyList,
    }
    const response = await this.boundary.execute(order)
    const answer = response?.answer
    switch (answer?.case) {
      case "outcome":
        return { is: "outcome", outcome: answer.value }
      case "needed":
        return { is: "needed", needed: answer.value }
      case "refused": {
        const { code, sentence, field, expression } = answer.value
        return { is: "refused", code: nameOf(code), sentence, field, ...(expression && { expression }) }
      }
      default:
        throw new Error("the signer did not answer")
    }
  }

  /** Supplies requested documents and records and stores the outcome, as an honest API tier does. */
  async send(body: string, stamper: Stamper, stamp = stampBy(stamper, body)): Promise<Answer> {
    const answer = await this.offer(body, stamp)
    if (answer.is === "outcome") this.#store(answer.outcome)
    return answer
  }

  /** Supplies requested documents and records and does not store the outcome, for replays and refusals. */
  async offer(body: string, stamp: string | StampHeader): Promise<Answer> {
    let answer = await this.order(body, stamp)
    let context: Context = {}
    for (let round = 0; round < 4 && answer.is === "needed"; round++) {
      const { documents = [], records = [] } = this.supply(answer.needed)
      const { fetched, refusal } = await this.#relay(answer.needed)
      if (refusal)
        return { is: "refused", code: refusal.code, sentence: refusal.message, field: refusal.field ?? "" }
      const fill = answer.needed.fill && this.chain?.(answer.needed.fill)
      context = {
        ...(fill !== undefined && { fill }),
        documents: [...(context.documents ?? []), ...documents],
        records: [...(context.records ?? []), ...records],
        fetched: [...(context.fetched ?? []), ...fetched],
      }
      answer = await this.order(body, stamp, context)
    }
    return answer
  }

  /** Submits and expects an outcome. */
  async submit(key: Stamper, type: string, organizationId: string, parameters: object): Promise<Outcome> {
    const answer = await this.send(this.body(type, organizationId, parameters), key)
    if (answer.is !== "outcome") throw new Error(`${type}: ${JSON.stringify(answer, bigints)}`)
    return answer.outcome
  }

  /** Submits and expects a refusal. */
  async refused(key: Stamper, type: string, organizationId: string, parameters: object): Promise<string> {
    const answer = await this.send(this.body(type, organizationId, parameters), key)
    return answer.is === "refused" ? answer.code : `no refusal but ${answer.is}`
  }

  supply(needed: Needed): Context {
    return {
      documents: needed.documents.flatMap(({ organizationId }) => this.documents.get(organizationId) ?? []),
      records: needed.recordIds.flatMap((id) => this.records.get(id) ?? []),
    }
  }

  async acknowledge(organizationId: string, fingerprintHex: string, credential: string): Promise<void> {
    const value = { organizationId, fingerprint: Buffer.from(fingerprintHex, "hex"), credential }
    await this.boundary.acknowledge(value)
  }

  /** A fresh organization with one root user. */
  async createOrganization(name = "Acme"): Promise<Tenant> {
    const { organizationId, root, body } = await this.organizationBody(name)
    const outcome = outcomeOf(await this.send(body, root))
    const { userId } = valueOf(outcome, "createOrganizationResult")
    return { organizationId, root, rootUserId: userId }
  }

  /** Body that creates an organization, to be stamped by its root user's key. */
  async organizationBody(name = "Acme"): Promise<{ organizationId: string; root: TestKey; body: string }> {
    const root = newKey()
    const setupCode = await this.boundary.createSetupCode(root.publicKeyHex)
    const { organizationId } = readSetupCode(setupCode)
    const rootUser = { userName: "root", apiKeys: [apiKey(root)] }
    const parameters = { setupCode, organizationName: name, rootUser }
    return {
      organizationId,
      root,
      body: this.body("ACTIVITY_TYPE_CREATE_ORGANIZATION", organizationId, parameters),
    }
  }

  /** A further user with one API key. */
  async user({ organizationId, root }: Tenant, userName: string): Promise<{ userId: string; key: TestKey }> {
    const key = newKey()
    const outcome = await this.submit(root, "ACTIVITY_TYPE_CREATE_USERS_V3", organizationId, {
      users: [userParams(userName, key)],
    })
    return { userId: valueOf(outcome, "createUsersResult").userIds[0]!, key }
  }

  /** A wallet with one Ethereum account. */
  async wallet(
    { organizationId, root }: Tenant,
    walletName = "First",
  ): Promise<{ walletId: string; address: string }> {
    const outcome = await this.submit(root, "ACTIVITY_TYPE_CREATE_WALLET", organizationId, {
      walletName,
      accounts: [ethereumAccount(0)],
    })
    const { walletId, addresses } = valueOf(outcome, "createWalletResult")
    return { walletId, address: addresses[0]! }
  }

  /** Opens a session with a new key, for the user who stamps. */
  async login(
    { organizationId }: Pick<Tenant, "organizationId">,
    by: Stamper,
    parameters: { expirationSeconds?: string; invalidateExisting?: boolean; sessionProfileId?: string } = {},
    key = newKey(),
  ): Promise<{ key: TestKey; token: string; outcome: Outcome; record: Uint8Array }> {
    const request = { publicKey: key.publicKeyHex, ...parameters }
    const outcome = await this.submit(by, "ACTIVITY_TYPE_STAMP_LOGIN", organizationId, request)
    const token = valueOf(outcome, "stampLoginResult").session
    return { key, token, outcome, record: outcome.records.at(-1)! }
  }

  /** The fetcher's statements for the orders; its refusal ends the request. */
  async #relay({ fetchOrders }: Needed): Promise<{ fetched: FetchedStatement[]; refusal?: Refusal }> {
    const { fakeFetcher } = this
    if (fakeFetcher === undefined || fetchOrders.length === 0) return { fetched: [] }
    try {
      return { fetched: await Promise.all(fetchOrders.map((order) => fakeFetcher.fetch(order))) }
    } catch (error) {
      if (error instanceof Refusal) return { fetched: [], refusal: error }
      throw error
    }
  }

  #store(outcome: Outcome): void {
    if (outcome.document.length > 0) this.documents.set(outcome.organizationId, outcome.document)
    this.#storeRecords(outcome.records)
    for (const { organizationId, document, records } of outcome.createdOrganizations) {
      this.documents.set(organizationId, document)
      this.#storeRecords(records)
    }
  }

  #storeRecords(records: readonly Uint8Array[]): void {
    for (const bytes of records) this.records.set(fromBinary(RecordSchema, bytes).id, bytes)
  }
}

const NOTHING = new Uint8Array(0)

/** The outcome as the signer keeps and recovers it: without the sequence of the transaction that it was written in. */
export function keptOutcome(outcome: Outcome): Outcome {
  const createdOrganizations = outcome.createdOrganizations.map((one) => ({ ...one, ledgerSequence: 0n }))
  return { ...outcome, createdOrganizations, ledgerSequence: 0n }
}

/** The answer's outcome; throws for any other answer. */
export function outcomeOf(answer: Answer): Outcome {
  if (answer.is === "outcome") return answer.outcome
  throw new Error(`no outcome: ${JSON.stringify(answer, bigints)}`)
}

type ResultOneof = NonNullable<Outcome["result"]>["result"]

/** The value of a completed outcome's result. */
export function valueOf<C extends NonNullable<ResultOneof["case"]>>(
  outcome: Outcome,
  name: C,
): Extract<ResultOneof, { case: C }>["value"] {
  const result = outcome.result?.result
  if (result?.case !== name) throw new Error(`the result is ${result?.case}, not ${name}`)
  return result.value as never
}

export function apiKey(key: TestKey, apiKeyName = "key", expirationSeconds?: string) {
  const lasting = { apiKeyName, publicKey: key.publicKeyHex, curveType: "API_KEY_CURVE_P256" }
  return expirationSeconds === undefined ? lasting : { ...lasting, expirationSeconds }
}

export function userParams(userName: string, ...keys: TestKey[]) {
  const apiKeys = keys.map((key) => apiKey(key))
  return { userName, apiKeys, authenticators: [], oauthProviders: [], userTags: [] }
}

export function ethereumAccount(index: number) {
  return {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: `m/44'/60'/0'/0/${index}`,
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  }
}

export function solanaAccount(index: number) {
  return {
    curve: "CURVE_ED25519",
    pathFormat: "PATH_FORMAT_BIP32",
    path: `m/44'/501'/${index}'/0'`,
    addressFormat: "ADDRESS_FORMAT_SOLANA",
  }
}

export function signParams(signWith: string, payload = "00".repeat(32)) {
  const hashFunction = "HASH_FUNCTION_NO_OP"
  return { signWith, payload, encoding: "PAYLOAD_ENCODING_HEXADECIMAL", hashFunction }
}

export function readSetupCode(setupCode: string) {
  return fromBinary(SetupCodeSchema, Buffer.from(setupCode, "base64url"))
}

export function nameOf(code: number): RefusalName {
  const found = Object.entries(RefusalCode).find(([, value]) => value === code)
  return (found?.[0] ?? "INTERNAL") as RefusalName
}

function bigints(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value
}
