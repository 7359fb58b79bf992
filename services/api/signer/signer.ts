import type { MessageInitShape } from "@bufbuild/protobuf"
import type { FetchedStatement } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { ReadMetricsResponse } from "../../../proto/gen/countersign/signer/v1/metrics_pb.ts"
import type {
  ExecuteRequestSchema,
  ExpireActivitiesResponse,
  GetAuthProxyConfigurationResponse,
  GetBootProofResponse,
  GetOrganizationHeadResponse,
  GetPinsResponse,
  ListOrganizationsResponse,
  OrderAnswer,
  OrderOnRampStatusResponse,
  VerifyAttestationResponse,
  VerifyIdTokenResponse,
  ProbeResponse,
  ReadGasUsageResponse,
  ReadLogResponse,
  ReadLogTileResponse,
  ReadArchiveResponse,
  ShowCheckpointResponse,
  SignWebhooksResponse,
  RecoverResponse,
  TransactionFill,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Deadline } from "../../../signer/core/turns/deadline.ts"

/** A stamped body and the context that the signer asked for. */
export type OrderParts = {
  body: Uint8Array
  xStamp: string
  xStampWebauthn: string
  xStampAttested: string
  documents: Uint8Array[]
  records: Uint8Array[]
  fetched: FetchedStatement[]
  /** Values of a chain for a send. */
  fill?: TransactionFill
  /** Organization of the caller whose stamp was verified; "" for none: the signer serves organizations in turn. */
  turnOf: string
  /** Digest of the organization's list of policies that is stored; empty: none. */
  policyList: Uint8Array
  /** Id of the request in the logs of both tiers. */
  requestId: string
  /** Time that the caller still waits. */
  deadline: Deadline
}
/** An attested stamp on a read. */
export type AttestedRead = {
  organizationId: string
  body: Uint8Array
  xStampAttested: string
  fetched: FetchedStatement[]
}
/** An ID token that an organization asks about. */
export type IdTokenInquiry = {
  organizationId: string
  oidcToken: string
  fetched: FetchedStatement[]
}
/** A notification to sign. */
export type UnsignedWebhook = {
  organizationId: string
  eventId: string
  timestampMs: bigint
  body: Uint8Array
}
export type SignerAnswer = OrderAnswer["answer"]

/**
 * Position at which a page of the archive begins: "" for the first. `afterRecordId` is for a signer that does not know
 * cursors, and ignored by others.
 */
export type ArchivePosition = { cursor: string; afterRecordId: string }

/** `cosignatures`: replies of witnesses that cosigned. `reports`: what the others answered, for the operator. */
export type WitnessReplies = { cosignatures: Uint8Array[]; reports: string[] }

/** The signer's calls that this process uses. */
export type Signer = {
  /** @throws ApiError 503: the order may have been decided or not; the same body may be sent again */
  execute(order: OrderParts): Promise<SignerAnswer>
  /** Acknowledges to the signer that an outcome is stored. After a lost acknowledgement, `recover` returns it again. */
  acknowledge(organizationId: string, fingerprint: Uint8Array, credential: string): void
  /** The page of unacknowledged outcomes after a vote id; "" for the first page. */
  recover(organizationId: string, after: string): Promise<RecoverResponse>
  /** `pending`: fingerprints of activities whose statuses are wanted. */
  readArchive(
    organizationId: string,
    position: ArchivePosition,
    pending: Uint8Array[],
  ): Promise<ReadArchiveResponse>
  /**
   * Has the signer end the organization's activities that have waited too long, and returns the states of the named
   * ones, `pending`: at most 1,000 fingerprints. Organization "": only how long activities may wait.
   */
  expireActivities(organizationId: string, pending: Uint8Array[]): Promise<ExpireActivitiesResponse>
  /** The page of organizations after an id; "" for the first page. */
  listOrganizations(after: string): Promise<ListOrganizationsResponse>
  /** The record of the session of a key; empty if there is none. */
  readSession(organizationId: string, publicKey: string): Promise<Uint8Array[]>
  /** Use of sponsorship, as the ledger counts it. */
  readGasUsage(organizationId: string): Promise<ReadGasUsageResponse>
  /** Figures of the signer's process. */
  readMetrics(): Promise<ReadMetricsResponse>
  /**
   * An order to ask for the status of a purchase, or the documents that the signer needs for it. `record`: serialized Record
   * of the purchase.
   */
  orderOnRampStatus(record: Uint8Array, documents: Uint8Array[]): Promise<OrderOnRampStatusResponse>
  /** Orders to the fetcher that an attested stamp needs; none: the stamp is verified. @throws Refusal */
  verifyAttestation(stamped: AttestedRead): Promise<VerifyAttestationResponse>
  /** Orders to the fetcher that an ID token needs; none: it is verified. @throws Refusal */
  verifyIdToken(inquiry: IdTokenInquiry): Promise<VerifyIdTokenResponse>
  getOrganizationHead(organizationId: string, nonce: Uint8Array): Promise<GetOrganizationHeadResponse>
  /** A statement about the configuration of an organization's auth proxy, or the documents that the signer needs for it. */
  getAuthProxyConfiguration(
    organizationId: string,
    nonce: Uint8Array,
    documents: Uint8Array[],
  ): Promise<GetAuthProxyConfigurationResponse>
  /** Signatures of notifications, in their order. */
  signWebhooks(statements: UnsignedWebhook[]): Promise<SignWebhooksResponse>
  getPins(): Promise<GetPinsResponse>
  /** The boot proof of the running signer process. */
  getBootProof(): Promise<GetBootProofResponse>
  /** The latest checkpoint of the signer's log, and leaves from an index on. */
  readLog(first: number, count: number): Promise<ReadLogResponse>
  /** A tile of hashes of the log's tree. @param level from 0 */
  readLogTile(level: number, index: number, width: number): Promise<ReadLogTileResponse>
  /** The proof that the log of `oldSize` leaves is continued by that of `size` leaves. */
  readLogConsistency(oldSize: number, size: number): Promise<Uint8Array[]>
  /** Shows the signer a checkpoint that was kept, and what witnesses replied to it. */
  showCheckpoint(checkpoint: Uint8Array, replies?: WitnessReplies): Promise<ShowCheckpointResponse>
  /** A signature over a nonce. */
  probe(nonce: Uint8Array): Promise<ProbeResponse>
  close: () => void
}

/** An open Execute stream. */
export type ExecuteStream = {
  write(request: MessageInitShape<typeof ExecuteRequestSchema>): void
  end(): void
  /** Ends the stream in both directions at once. */
  cancel(): void
}
export type StreamEvents = {
  onAnswer: (answer: OrderAnswer) => void
  onBroken: (cause: Error) => void
}
/** The connection to the signer. Tests replace it by one in the same process. */
export type SignerTransport = Omit<Signer, "execute" | "acknowledge"> & {
  /** Calls back when streams that are open should end: this process's certificate was renewed. Absent: never. */
  onRenewed?: (listener: () => void) => void
  open(events: StreamEvents): ExecuteStream
}
