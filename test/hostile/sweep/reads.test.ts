import { create, type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { SignerService } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { RecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { signerHandlers } from "../../../signer/enclave/rpc/index.ts"
import { newKey } from "../../harness/stamper.ts"
import { alteredBytes, alteredFields } from "./alterations.ts"
import { OrderPreparation } from "./prepared-orders.ts"
import { everyPlace } from "./sweep.ts"

const calls = SignerService.methods.filter(({ methodKind }) => methodKind === "unary")

/** Members of requests, by name. */
type Values = { [field: string]: unknown }

t.test(
  "A8: a call without a stamp, however altered, writes nothing and shows the organization it names",
  async (t) => {
    const preparation = await OrderPreparation.open(t)
    const { signer } = preparation
    const { snapshot, organizationIds } = preparation.base
    await signer.load(snapshot, "reads")
    const { boundary } = signer
    const valuesOf = (organizationId: string): Values => ({
      organizationId,
      sessionPublicKey: newKey().publicKeyHex,
      nonce: Buffer.alloc(16, organizationId),
      after: "",
      afterRecordId: "",
    })
    const [own, other] = organizationIds.map(valuesOf)
    const older = valuesOf(organizationIds[0])
    const counts = new Map<string, number>()
    let shown = 0
    for (const { input, localName } of calls) {
      const write = (values: Values) => toBinary(input, create(input, pick(input, values)))
      const request = write(own!)
      const altered = [
        request,
        ...[...alteredBytes(request, everyPlace)].map(({ bytes }) => bytes),
        ...[
          ...alteredFields(input, request, { another: write(other!), older: write(older) }, everyPlace),
        ].map(({ bytes }) => bytes),
      ]
      for (const bytes of altered) {
        const message = decode(input, bytes)
        const answer = message && (await answerOf(localName, message, boundary.signer))
        const what = answer === undefined ? "undecodable" : typeof answer === "string" ? answer : "answered"
        counts.set(what, (counts.get(what) ?? 0) + 1)
        if (!signer.isUntouched) t.fail(`${localName} wrote to the ledger`)
        const named = (message as Values | undefined)?.["organizationId"]
        if (typeof answer !== "object") continue
        for (const organizationId of organizationsIn(answer)) {
          shown += 1
          // Recover without an organization is for all of them.
          const isNamed = organizationId === String(named).toLowerCase()
          if (!isNamed && !(localName === "recover" && named === ""))
            t.fail(`${localName} of ${String(named)} shows ${organizationId}`)
        }
      }
    }
    for (const [what, count] of counts) t.comment(`${count} ${what}`)
    t.ok(counts.get("answered"), "the unaltered requests are answered")
    t.ok(shown > 0, "documents and records were shown")
  },
)

function pick(schema: DescMessage, values: Values): Values {
  return Object.fromEntries(schema.fields.map(({ localName }) => [localName, values[localName]]))
}

function decode(schema: DescMessage, bytes: Uint8Array): Message | undefined {
  try {
    return fromBinary(schema, bytes)
  } catch {
    return undefined
  }
}

/** The answer, or the code of the refusal. */
async function answerOf(name: string, request: Message, context: unknown): Promise<object | string> {
  try {
    const handler = signerHandlers[name as keyof typeof signerHandlers] as (
      request: unknown,
      context: unknown,
    ) => Promise<object>
    return await handler(request, context)
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

/** Organizations of the documents, records and outcomes in an answer. */
function organizationsIn(answer: object): string[] {
  const {
    document,
    records = [],
    record,
    outcomes = [],
  } = answer as {
    document?: Uint8Array
    records?: Uint8Array[]
    record?: Uint8Array
    outcomes?: { outcome?: { organizationId: string } }[]
  }
  const documents = document === undefined ? [] : [fromBinary(NotarizedDocumentSchema, document).document]
  return [
    ...documents.map((bytes) => fromBinary(OrganizationDocumentSchema, bytes).organizationId),
    ...[...records, ...(record ? [record] : [])].map(
      (bytes) => fromBinary(RecordSchema, bytes).organizationId,
    ),
    ...outcomes.flatMap(({ outcome }) => outcome?.organizationId ?? []),
  ]
}
