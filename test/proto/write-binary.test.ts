import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import fc from "fast-check"
import t from "tap"
import { ResultSchema } from "../../proto/gen/countersign/api/v1/activities_pb.ts"
import {
  ExecuteRequestSchema,
  ExecuteResponseSchema,
  HeadStatementSchema,
  OutcomeSchema,
  RecoverResponseSchema,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { writeBinary } from "../../proto/write-binary.ts"
import { field, Label, tinyMessage, Type } from "./tiny-schema.ts"

function isSame<D extends DescMessage>(schema: D, init: MessageInitShape<D>): boolean {
  const message = create(schema, init)
  return writeBinary(schema, message).equals(toBinary(schema, message))
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength })
// Lone surrogates too: both writers make the same replacement of them.
const text = fc.string({
  unit: fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("a", "\ud800", "é", "\0")),
})

t.test("gives the bytes of toBinary for every order", async (t) => {
  const order = fc.record({
    body: bytes(400),
    xStamp: text,
    xStampWebauthn: text,
    records: fc.array(bytes(40)),
  })
  const request = fc.record({ id: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), order })
  fc.assert(
    fc.property(request, ({ id, order: value }) =>
      isSame(ExecuteRequestSchema, { id, message: { case: "order", value } }),
    ),
  )
  t.pass()
})

t.test("gives the bytes of toBinary for every outcome", async (t) => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const decision = fc.record({ activityId: text, voteId: text, userId: text, decidedAtMs: int64 })
  const signature = fc.record({ r: text, s: text, v: text })
  const outcome = fc.record({
    decision: fc.option(decision, { nil: undefined }),
    organizationId: text,
    activityFingerprint: bytes(32),
    selection: fc.integer({ min: -2, max: 200 }),
    status: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    signature: fc.option(signature, { nil: undefined }),
    document: bytes(300),
    records: fc.array(bytes(200), { maxLength: 3 }),
    unacknowledged: fc.boolean(),
    opened: fc.boolean(),
  })
  fc.assert(
    fc.property(outcome, ({ decision: given, signature: value, ...rest }) => {
      const result = value && { result: { case: "signRawPayloadResult" as const, value } }
      const init = { ...rest, ...(given && { decision: given }), ...(result && { result }) }
      return isSame(ExecuteResponseSchema, { id: 7n, answer: { case: "outcome", value: init as never } })
    }),
  )
  t.pass()
})

t.test("gives the bytes of toBinary for every result that there may be", async (t) => {
  for (const { localName } of ResultSchema.fields) {
    t.ok(isSame(ResultSchema, { result: { case: localName, value: {} } } as never), localName)
  }
})

t.test("gives the bytes of toBinary at the edges", async (t) => {
  const schemas = [ExecuteRequestSchema, HeadStatementSchema, RecoverResponseSchema]
  for (const schema of schemas) t.ok(isSame(schema as DescMessage, {}), `empty ${schema.name}`)
  for (const length of [0, 1, 47, 48, 49, 127, 128, 16_000, 16_383, 16_384, 40_000]) {
    const document = new Uint8Array(length).fill(7)
    t.ok(isSame(OutcomeSchema, { document, records: [document, document] }), `${length} bytes`)
    t.ok(
      isSame(HeadStatementSchema, { organizationId: "é".repeat(length), nonce: document }),
      `${length} letters`,
    )
  }
})

t.test("keeps members that this release does not know", async (t) => {
  // Field 900, a varint.
  const stranger = Uint8Array.of(0xa0, 0x38, 0x05)
  const message = fromBinary(OutcomeSchema, stranger)
  t.same(Uint8Array.from(writeBinary(OutcomeSchema, message)), stranger)
})

t.test("leaves shapes that it does not know to toBinary", async (t) => {
  const list = { label: Label.REPEATED }
  const colour = { typeName: ".tiny.Colour" }
  const shapes: [string, Parameters<typeof field>[1], object, unknown][] = [
    ["colours", Type.ENUM, { ...list, ...colour }, [1, 0, 1]],
    ["numbers", Type.INT32, list, [1, 2]],
    ["tags", Type.STRING, list, ["", "a"]],
    ["names", Type.MESSAGE, { ...list, typeName: ".tiny.Tiny.NamesEntry" }, { a: "b" }],
    ["details", Type.MESSAGE, { typeName: ".google.protobuf.Struct" }, { a: [1, "b"] }],
    ["nick", Type.STRING, { proto3Optional: true, oneofIndex: 1 }, ""],
    ["ratio", Type.DOUBLE, {}, -0],
    ["fixed", Type.SFIXED64, {}, -5n],
  ]
  for (const [name, type, more, value] of shapes) {
    const schema = tinyMessage(field(name, type, more))
    t.ok(isSame(schema, { [name]: value }), name)
  }
})
