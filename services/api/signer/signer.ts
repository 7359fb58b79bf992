import type { MessageInitShape } from "@bufbuild/protobuf"
import type { FetchedStatement } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type {
  ExecuteRequestSchema,
  GetBootProofResponse,
  GetOrganizationHeadResponse,
  GetPinsResponse,
  OrderAnswer,
  ProbeResponse,
  ReadArchiveResponse,
  RecoverResponse,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"

/** A stamped body and what the signer asked for. */
export type OrderParts = {
  body: Uint8Array
  xStamp: string
  xStampWebauthn: string
  documents: Uint8Array[]
  records: Uint8Array[]
  fetched: FetchedStatement[]
}
export type SignerAnswer = OrderAnswer["answer"]

/** All that this process asks of the signer. */
export type Signer = {
  /** @throws ApiError 503: nothing is known about the order, the same body may be sent again */
  execute(order: OrderParts): Promise<SignerAnswer>
  /** Says that an outcome is stored; a lost acknowledgement only means that it is offered again. */
  acknowledge(organizationId: string, fingerprint: Uint8Array, credential: string): void
  /** A page of outcomes, from the one after that with this vote id; "" from the first. */
  recover(organizationId: string, after: string): Promise<RecoverResponse>
  readArchive(organizationId: string, afterRecordId: string): Promise<ReadArchiveResponse>
  /** The record of the session that a key stamps in, if there is one. */
  readSession(organizationId: string, publicKey: string): Promise<Uint8Array[]>
  getOrganizationHead(organizationId: string, nonce: Uint8Array): Promise<GetOrganizationHeadResponse>
  getPins(): Promise<GetPinsResponse>
  /** That of the process that answers. */
  getBootProof(): Promise<GetBootProofResponse>
  /** A signature over a nonce. */
  probe(nonce: Uint8Array): Promise<ProbeResponse>
  close: () => void
}

/** An open stream as its owner sees it. */
export type ExecuteStream = {
  write(request: MessageInitShape<typeof ExecuteRequestSchema>): void
  end(): void
}
export type StreamEvents = {
  onAnswer: (answer: OrderAnswer) => void
  onBroken: (cause: Error) => void
}
/** The wire: replaced in tests by one in the same process. */
export type SignerTransport = Omit<Signer, "execute" | "acknowledge"> & {
  open(events: StreamEvents): ExecuteStream
}
