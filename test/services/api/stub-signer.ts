import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto"
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import { ReadMetricsResponseSchema } from "../../../proto/gen/countersign/signer/v1/metrics_pb.ts"
import { Phase } from "../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import {
  ExpireActivitiesResponseSchema,
  GetBootProofResponseSchema,
  GetOrganizationHeadResponseSchema,
  GetPinsResponseSchema,
  HeadStatementSchema,
  type ListOrganizationsResponse,
  ListOrganizationsResponseSchema,
  OrderAnswerSchema,
  type OrganizationStateSchema,
  ProbeResponseSchema,
  ProbeStatementSchema,
  type ReadArchiveResponse,
  type ReadLogResponse,
  ReadLogResponseSchema,
  type ReadLogTileResponse,
  type ShowCheckpointResponse,
  ShowCheckpointResponseSchema,
  ReadGasUsageResponseSchema,
  RecoverResponseSchema,
  type RecoverResponse,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type {
  ArchivePosition,
  SignerAnswer,
  OrderParts,
  Signer,
} from "../../../services/api/signer/signer.ts"
import { refuse } from "../../../signer/core/refusal.ts"

export type PreparedAnswer = NonNullable<MessageInitShape<typeof OrderAnswerSchema>["answer"]>

/** Answers orders with the answers that a test prepared, in their order. */
export class StubSigner implements Signer {
  readonly orders: OrderParts[] = []
  readonly acknowledged: string[] = []
  /** The ledger's organizations in the order of their ids; a page has two. */
  readonly organizations: MessageInitShape<typeof OrganizationStateSchema>[] = []
  readonly answers: (PreparedAnswer | ((order: OrderParts) => PreparedAnswer))[] = []
  readonly recoveries: MessageInitShape<typeof RecoverResponseSchema>[] = []
  /** Cursors of the requested pages of unacknowledged outcomes. */
  readonly recoveredAfter: string[] = []
  /** Calls about organizations. */
  readonly questions: string[] = []
  headVersion = 0n
  sealEpoch = 1
  readonly deploymentId = randomUUID()
  readonly notarizer = generateKeyPairSync("ec", { namedCurve: "P-256" })
  readonly archives: ReadArchiveResponse[] = []
  /** Cursors of the requested pages of the archive. */
  readonly readAfter: ArchivePosition[] = []
  /** Records of sessions in the archive, by key. */
  readonly sessions = new Map<string, Uint8Array[]>()

  async execute(order: OrderParts): Promise<SignerAnswer> {
    this.orders.push(order)
    const next = this.answers.shift()
    if (next === undefined) throw new Error("the test prepared no answer for this order")
    return create(OrderAnswerSchema, { answer: typeof next === "function" ? next(order) : next }).answer
  }

  acknowledge(_organizationId: string, fingerprint: Uint8Array): void {
    this.acknowledged.push(Buffer.from(fingerprint).toString("hex"))
  }

  /** The log's checkpoint, and those that were shown. */
  checkpoint: Uint8Array = new Uint8Array(0)
  readonly shown: Uint8Array[] = []
  isContradicted = false
  /** Phase that it says beside the checkpoint; unspecified, as a signer of an earlier release. */
  phase = Phase.UNSPECIFIED

  async readLog(): Promise<ReadLogResponse> {
    return create(ReadLogResponseSchema, { checkpoint: this.checkpoint, phase: this.phase })
  }

  async readLogTile(_level: number, _index: number, _width: number): Promise<ReadLogTileResponse> {
    throw new Error("the test has no log")
  }

  async readLogConsistency(_oldSize: number, _size: number): Promise<Uint8Array[]> {
    throw new Error("the test has no log")
  }

  async showCheckpoint(checkpoint: Uint8Array): Promise<ShowCheckpointResponse> {
    this.shown.push(checkpoint)
    return create(ShowCheckpointResponseSchema, { contradicted: this.isContradicted })
  }

  async recover(_organizationId: string, after: string): Promise<RecoverResponse> {
    this.recoveredAfter.push(after)
    return create(RecoverResponseSchema, this.recoveries.shift() ?? {})
  }

  async readArchive(organizationId: string, position: ArchivePosition): Promise<ReadArchiveResponse> {
    this.readAfter.push(position)
    this.questions.push(`archive of ${organizationId}`)
    const page = this.archives.shift()
    if (page !== undefined) return page
    throw refuse("ORGANIZATION_UNKNOWN", "the test prepared no archive")
  }

  /** Answers of the call by organization; absent: activities wait without limit. */
  readonly expiries = new Map<string, MessageInitShape<typeof ExpireActivitiesResponseSchema>>()

  async expireActivities(organizationId: string, pending: Uint8Array[]) {
    if (organizationId !== "") this.questions.push(`expire ${organizationId} ${pending.length}`)
    return create(ExpireActivitiesResponseSchema, this.expiries.get(organizationId) ?? {})
  }

  async listOrganizations(after: string): Promise<ListOrganizationsResponse> {
    const organizations = this.organizations.filter(({ organizationId = "" }) => organizationId > after)
    return create(ListOrganizationsResponseSchema, {
      organizations: organizations.slice(0, 2),
      more: organizations.length > 2,
    })
  }

  async readSession(organizationId: string, publicKey: string): Promise<Uint8Array[]> {
    this.questions.push(`session of ${publicKey} in ${organizationId}`)
    return this.sessions.get(publicKey) ?? []
  }

  async getAuthProxyConfiguration(): Promise<never> {
    throw new Error("no test of this stub asks for it")
  }

  async verifyAttestation(): Promise<never> {
    throw new Error("the test has no attested stamp")
  }

  async verifyIdToken(): Promise<never> {
    throw new Error("the test has no ID token")
  }

  async orderOnRampStatus(): Promise<never> {
    throw new Error("the test has no purchase")
  }

  async signWebhooks(): Promise<never> {
    throw new Error("the test has no notification to sign")
  }

  async getOrganizationHead(organizationId: string, nonce: Uint8Array) {
    this.questions.push(`head of ${organizationId}`)
    const head = create(HeadStatementSchema, { organizationId, nonce, documentVersion: this.headVersion })
    const statement = toBinary(HeadStatementSchema, head)
    return create(GetOrganizationHeadResponseSchema, { statement })
  }

  async readGasUsage(organizationId: string) {
    this.questions.push(`gas usage of ${organizationId}`)
    return create(ReadGasUsageResponseSchema, {})
  }

  async readMetrics() {
    this.questions.push("metrics")
    return create(ReadMetricsResponseSchema, { sealEpoch: this.sealEpoch })
  }

  async getPins() {
    return create(GetPinsResponseSchema, {
      pins: {
        deploymentId: this.deploymentId,
        signerPublicKey: keySetHex(this.notarizer.publicKey),
        notarizerPublicKey: keySetHex(this.notarizer.publicKey),
      },
    })
  }

  /** As the notarizer signs. */
  sign(tag: string, bytes: Uint8Array): Uint8Array {
    const signed = Buffer.concat([Buffer.from(`${tag}\0`), bytes])
    return sign("sha256", signed, { key: this.notarizer.privateKey, dsaEncoding: "ieee-p1363" })
  }

  async probe(nonce: Uint8Array) {
    const statement = toBinary(ProbeStatementSchema, create(ProbeStatementSchema, { nonce }))
    return create(ProbeResponseSchema, { statement, signature: this.sign("countersign/v1/probe", statement) })
  }

  async getBootProof() {
    return create(GetBootProofResponseSchema, {})
  }

  close(): void {}
}

/** A key set with the same point twice. */
function keySetHex(publicKey: KeyObject): string {
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  const point = `04${[x, y].map((part) => Buffer.from(part, "base64url").toString("hex")).join("")}`
  return point + point
}
