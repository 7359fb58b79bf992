import { fromBinary, toBinary } from "@bufbuild/protobuf"
import { FetchedStatementSchema } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { RecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { type Answer, ApiClient, type Context } from "../../harness/api-client.ts"
import type { StampHeader, Stamper } from "../../harness/stamper.ts"
import type { WireOrder } from "./alterations.ts"

/** An API client that also keeps earlier versions of documents and records, and the last order it sent. */
export class RecordingClient extends ApiClient {
  /** The versions before the present one, by organization. */
  readonly olderDocuments = new Map<string, Uint8Array>()
  /** The versions before the present one, by record id. */
  readonly olderRecords = new Map<string, Uint8Array>()
  lastOrder: WireOrder | undefined

  override async order(body: string, stamp: string | StampHeader, context: Context = {}): Promise<Answer> {
    const { xStamp = "", xStampWebauthn = "" } = typeof stamp === "string" ? { xStamp: stamp } : stamp
    const { documents = [], records = [], fetched = [] } = context
    this.lastOrder = {
      body: Buffer.from(body),
      xStamp,
      xStampWebauthn,
      documents,
      records,
      fetched: fetched.map((one) => toBinary(FetchedStatementSchema, one)),
    }
    return super.order(body, stamp, context)
  }

  override async send(body: string, stamper: Stamper, stamp?: StampHeader): Promise<Answer> {
    const before = { documents: new Map(this.documents), records: new Map(this.records) }
    const answer = await super.send(body, stamper, stamp)
    keepReplaced(before.documents, this.documents, this.olderDocuments)
    keepReplaced(before.records, this.records, this.olderRecords)
    return answer
  }

  /** A client of the same signer that knows what this one knows. */
  copy(): RecordingClient {
    const other = new RecordingClient(this.boundary, this.fakeFetcher)
    for (const name of ["documents", "records", "olderDocuments", "olderRecords"] as const)
      for (const [key, value] of this[name]) other[name].set(key, value)
    return other
  }

  /** The context of an order with each document and record in the version before its present one. */
  olderContext({ documents, records }: WireOrder): Pick<WireOrder, "documents" | "records"> {
    const organizationOf = new Map([...this.documents].map(([id, bytes]) => [hexOf(bytes), id]))
    return {
      documents: documents.map(
        (bytes) => this.olderDocuments.get(organizationOf.get(hexOf(bytes)) ?? "") ?? bytes,
      ),
      records: records.map((bytes) => this.olderRecords.get(fromBinary(RecordSchema, bytes).id) ?? bytes),
    }
  }
}

function keepReplaced(
  before: ReadonlyMap<string, Uint8Array>,
  after: ReadonlyMap<string, Uint8Array>,
  older: Map<string, Uint8Array>,
): void {
  for (const [id, bytes] of before) if (after.get(id) !== bytes) older.set(id, bytes)
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
