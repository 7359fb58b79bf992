// Codecs of orders: whatever is encoded or decoded, they do exactly what protobuf-es does, and usual messages without it.
import { create, type DescMessage, toBinary } from "@bufbuild/protobuf"
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import t from "tap"
import { type Codec, codecOf } from "../../../proto/codec/codec.ts"
import { orderCodecs } from "../../../proto/codec/orders.ts"
import {
  ActivityStatus,
  Outcome as PolicyResult,
  VoteSelection,
} from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  ExecuteRequestSchema,
  ExecuteResponseSchema,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { Random } from "../../fuzz/random.ts"
import { isLong } from "../../harness/long.ts"
import { randomMessage } from "./random-message.ts"

const SCHEMAS = [ExecuteRequestSchema, ExecuteResponseSchema] as const
const RUNS = isLong ? 20_000 : 500

/** The codec of a message, and how often it left a message to protobuf-es. */
function codecFor(schema: DescMessage): Codec & { left: () => number } {
  let count = 0
  const codec = orderCodecs((one) => {
    const whole = codecOf(one)
    const counted =
      <In, Out>(use: (given: In) => Out) =>
      (given: In) => {
        count++
        return use(given)
      }
    return { encode: counted(whole.encode), decode: counted(whole.decode) }
  }).get(schema.typeName)
  if (codec === undefined) throw new Error(`${schema.typeName} has no codec`)
  return { ...codec, left: () => count }
}

/** The result, or that there is none. Texts of errors are those of protobuf-es. */
function resultOf(use: () => unknown): unknown {
  try {
    return { value: use() }
  } catch (error) {
    return { error: String(error) }
  }
}

const ID = "0198c0de-0000-7000-8000-000000000001"
const order = {
  body: Buffer.from("{}"),
  xStamp: "stamp",
  id: 7n,
  turnOf: ID,
  timeoutMs: 9_000,
  requestId: ID,
  records: [Buffer.from("record")],
  documents: [Buffer.alloc(300, 1), new Uint8Array(0)],
  timed: true,
}
const decision = {
  activityId: ID,
  voteId: ID,
  userId: ID,
  decidedAtMs: 1_767_225_600_000n,
  policyOutcomes: [{ policyId: ID, outcome: PolicyResult.ALLOW }],
  voterIds: [ID, ""],
  logReceipt: Buffer.alloc(48, 2),
}
const signatures = [
  { case: "signRawPayloadResult" as const, value: { r: "00".repeat(32), s: "11".repeat(32), v: "01" } },
  { case: "signRawPayloadsResult" as const, value: { signatures: [{ r: "a", s: "b", v: "00" }, {}] } },
  { case: "signTransactionResult" as const, value: { signedTransaction: "ab".repeat(500) } },
]
const answers = signatures.map((result, index) => ({
  id: BigInt(index),
  answer: {
    case: "outcome" as const,
    value: {
      decision,
      organizationId: ID,
      opened: true,
      selection: VoteSelection.APPROVED,
      status: ActivityStatus.COMPLETED,
      result: { result },
      ledgerSequence: 1n << 40n,
    },
  },
}))
const USUAL = [
  { schema: ExecuteRequestSchema, init: { orders: [order, order], acknowledgements: [{ credential: "k" }] } },
  {
    schema: ExecuteRequestSchema,
    init: { orders: [{ ...order, fill: { caip2: "eip155:1" }, fetched: [{}] }] },
  },
  { schema: ExecuteRequestSchema, init: {} },
  { schema: ExecuteResponseSchema, init: { answers } },
  { schema: ExecuteResponseSchema, init: { answers: [{ durations: { ranNs: 5n } }, {}] } },
  {
    schema: ExecuteResponseSchema,
    init: { answers: [{ answer: { case: "refused", value: { sentence: "no" } } }] },
  },
  {
    schema: ExecuteResponseSchema,
    init: { answers: [{ answer: { case: "needed", value: { recordIds: [ID] } } }] },
  },
] as const

t.test("usual orders and answers are written and read without protobuf-es, and as it does", async (t) => {
  for (const { schema, init } of USUAL) {
    const codec = codecFor(schema)
    const whole = codecOf(schema)
    const bytes = whole.encode(init)
    t.strictSame(codec.encode(init), bytes)
    t.strictSame(codec.encode(create<DescMessage>(schema, init)), bytes)
    t.strictSame(codec.decode(bytes), whole.decode(bytes))
    t.equal(codec.left(), 0, `${schema.typeName} ${bytes.toString("hex", 0, 20)}`)
  }
})

t.test("random messages are written and read as by protobuf-es", async (t) => {
  const random = new Random(33)
  for (const schema of SCHEMAS) {
    const codec = codecFor(schema)
    const whole = codecOf(schema)
    for (let run = 0; run < RUNS; run++) {
      const message = randomMessage(schema, random)
      const bytes = whole.encode(message)
      if (!codec.encode(message).equals(bytes))
        t.fail(`${schema.typeName} is written otherwise: ${bytes.toString("hex")}`)
      t.strictSame(codec.decode(bytes), whole.decode(bytes))
    }
    t.ok(codec.left() < 2 * RUNS, "some were usual")
  }
})

t.test(
  "altered bytes are refused where protobuf-es refuses them, and else are the same message",
  async (t) => {
    const random = new Random(34)
    const counts = { refused: 0, read: 0 }
    for (const schema of SCHEMAS) {
      const codec = codecFor(schema)
      const whole = codecOf(schema)
      const samples = USUAL.filter((one) => one.schema === schema).map(({ init }) => whole.encode(init))
      for (let run = 0; run < RUNS * 2; run++) {
        const bytes = altered(random.of(samples), random)
        const expected = resultOf(() => whole.decode(bytes))
        counts["error" in (expected as object) ? "refused" : "read"]++
        t.strictSame(
          resultOf(() => codec.decode(bytes)),
          expected,
          bytes.toString("hex"),
        )
      }
    }
    t.ok(Math.min(counts.refused, counts.read) > RUNS / 4, JSON.stringify(counts))
  },
)

/** Bytes with one to three changes: a byte of another value, one too many or too few, an end, a piece twice. */
function altered(sample: Buffer, random: Random): Buffer {
  let bytes: Buffer = sample
  for (let change = random.below(3); change >= 0; change--) {
    const at = random.below(bytes.length + 1)
    const until = Math.min(at + random.below(40), bytes.length)
    const before = bytes.subarray(0, at)
    const after = bytes.subarray(at)
    const kinds = [
      [before, random.bytes(1), after.subarray(1)],
      [before, random.bytes(1 + random.below(3)), after],
      [before, after.subarray(1)],
      [before],
      [before, bytes.subarray(at, until), after],
      [before, [0x80, 0x80], after],
    ]
    bytes = Buffer.concat(random.of(kinds).map((part) => Uint8Array.from(part)))
  }
  return bytes
}

const wire = (write: (writer: BinaryWriter) => unknown): Buffer => {
  const writer = new BinaryWriter()
  write(writer)
  return Buffer.from(writer.finish())
}
/** A message of one order, or one answer, with these bytes. */
const outer = (inner: Buffer, number: number) =>
  wire((to) => to.tag(number, WireType.LengthDelimited).bytes(inner))
const ofOrder = (hex: string) => outer(Buffer.from(hex, "hex"), 4)
const ofAnswer = (inner: Buffer) => outer(inner, 5)

/** An answer whose refusals and outcomes stand within each other. */
function nested(levels: number): Buffer {
  let bytes: Buffer = Buffer.alloc(0)
  // Alternately Refused.replayed and Outcome.failure.
  for (let level = 0; level < levels; level++) {
    const inner = bytes
    bytes = wire((to) => to.tag(level % 2 === 0 ? 24 : 12, WireType.LengthDelimited).bytes(inner))
  }
  return ofAnswer(wire((to) => to.tag(levels % 2 === 0 ? 2 : 3, WireType.LengthDelimited).bytes(bytes)))
}

/** Bytes of one kind of form each that only protobuf-es handles. */
const FORMS: { readonly [form: string]: Buffer } = {
  "an unknown number": ofOrder("a00601"),
  "an unknown fixed64": ofOrder("a1060102030405060708"),
  "an unknown fixed32": ofOrder("a50601020304"),
  "an unknown text": ofOrder("a2060161"),
  "an unknown group": ofOrder("a30608 01a406".replace(" ", "")),
  "a group that another number ends": ofOrder("a306ac06"),
  "a group without end": ofOrder("a3060801"),
  "an end without a group": ofOrder("a406"),
  "field number 0": ofOrder("0001"),
  "wire type 7": ofOrder("0f01"),
  "a tag of six bytes": ofOrder("8a808080800000"),
  "a long tag": ofOrder("8a800000"),
  "a long length": ofOrder("0a81808080800061"),
  "a length beyond the order": ofOrder("0a0561"),
  "a length beyond 32 bits": ofOrder("0affffffffff7f61"),
  "a text as a number": ofOrder("1005"),
  "bytes as a number": ofOrder("080161"),
  "a number as a text": ofOrder("620161"),
  "a number of ten bytes": ofOrder("60ffffffffffffffffff01"),
  "a number of eleven bytes": ofOrder("60ffffffffffffffffffff01"),
  "a long number": ofOrder("60818000"),
  "an id of ten bytes": ofOrder("38ffffffffffffffffff01"),
  "an id of eleven bytes": ofOrder("38ffffffffffffffffffff01"),
  "an id that is cut": ofOrder("38ff"),
  "a truth of two": ofOrder("880102"),
  "a truth of ten bytes": ofOrder("8801ffffffffffffffffff01"),
  "text of two bytes a character": ofOrder("1202c3a9"),
  "text with a mark of the byte order": ofOrder("1204efbbbf61"),
  "text that is not UTF-8": ofOrder("1202c328"),
  "text with half a surrogate pair": ofOrder("1203eda080"),
  "text of an overlong form": ofOrder("1202c080"),
  "a fill twice": ofOrder("72030a0161720208 01".replace(" ", "")),
  "an order that ends late": Buffer.from("22020a05616161", "hex"),
  "an order that never ends": Buffer.from("22ff01", "hex"),
  "nothing after a tag": Buffer.from("22", "hex"),
}
const ANSWER_FORMS: { readonly [form: string]: Buffer } = {
  "an outcome twice": ofAnswer(Buffer.from("12021801120250 01".replace(" ", ""), "hex")),
  "an outcome after a refusal": ofAnswer(Buffer.from("1a0012025001", "hex")),
  "a decision twice": ofAnswer(Buffer.from("12080a020a000a022001", "hex")),
  "a result that is no signature": ofAnswer(Buffer.from("120532030a0100", "hex")),
  "a negative time": ofAnswer(Buffer.from("120d0a0b20ffffffffffffffffff01", "hex")),
  "an unknown status": ofAnswer(Buffer.from("120628ffffffff0f", "hex")),
  "as much nesting as is read": nested(97),
  "more nesting than is read": nested(98),
}

t.test("unusual forms are left to protobuf-es, or read as it does", async (t) => {
  const forms = [
    ...Object.entries(FORMS).map((form) => [ExecuteRequestSchema, ...form] as const),
    ...Object.entries(ANSWER_FORMS).map((form) => [ExecuteResponseSchema, ...form] as const),
  ]
  const refused: string[] = []
  for (const [schema, name, bytes] of forms) {
    const expected = resultOf(() => codecOf(schema).decode(bytes))
    t.strictSame(
      resultOf(() => codecFor(schema).decode(bytes)),
      expected,
      name,
    )
    if ("error" in (expected as object)) refused.push(name)
  }
  t.ok(refused.includes("text that is not UTF-8"))
  t.ok(refused.includes("more nesting than is read"))
  t.notOk(refused.includes("as much nesting as is read"))
  t.notOk(refused.includes("an unknown number"))
})

t.test(
  "members that are no message of the usual form are written as by protobuf-es, or refused as it refuses them",
  async (t) => {
    const inits: readonly (readonly [DescMessage, object])[] = [
      [ExecuteRequestSchema, { orders: [{ timeoutMs: 1.5 }] }],
      [ExecuteRequestSchema, { orders: [{ timeoutMs: -1 }] }],
      [ExecuteRequestSchema, { orders: [{ timeoutMs: "12" }] }],
      [ExecuteRequestSchema, { orders: [{ id: -1n }] }],
      [ExecuteRequestSchema, { orders: [{ id: 1n << 64n }] }],
      [ExecuteRequestSchema, { orders: [{ id: (1n << 64n) - 1n }] }],
      [ExecuteRequestSchema, { orders: [{ id: 12 }] }],
      [ExecuteRequestSchema, { orders: [{ body: [1, 2, 3] }] }],
      [ExecuteRequestSchema, { orders: [{ body: "text" }] }],
      [ExecuteRequestSchema, { orders: [{ xStamp: null, records: null, fill: null, body: null }] }],
      [ExecuteRequestSchema, { orders: [{ xStamp: 5 }] }],
      [ExecuteRequestSchema, { orders: [{ timed: "yes" }] }],
      [ExecuteRequestSchema, { orders: [{ xStamp: `é${"x".repeat(126)}`, turnOf: "\udfff" }] }],
      [ExecuteRequestSchema, { orders: [{ body: Buffer.alloc(200_000, 1) }, order] }],
      [
        ExecuteRequestSchema,
        { orders: Array.from({ length: 32 }, () => ({ ...order, body: Buffer.alloc(5_000) })) },
      ],
      [
        ExecuteResponseSchema,
        { answers: [{ answer: { case: "outcome", value: { status: -5, selection: 1e9 } } }] },
      ],
      [
        ExecuteResponseSchema,
        { answers: [{ answer: { case: "outcome", value: { ledgerSequence: 1n << 63n } } }] },
      ],
      [ExecuteResponseSchema, { answers: [{ answer: { case: undefined } }] }],
      [ExecuteRequestSchema, { orders: [null] }],
      [ExecuteRequestSchema, { orders: [undefined, {}] }],
      [ExecuteRequestSchema, { acknowledgements: [null] }],
      [ExecuteRequestSchema, { orders: [{ fetched: [undefined] }] }],
      [ExecuteRequestSchema, { orders: [{ fill: 0 }] }],
      [ExecuteRequestSchema, { orders: [{ timed: 0 }] }],
      [ExecuteRequestSchema, { orders: [{ timed: null }] }],
      [ExecuteRequestSchema, { orders: [{ body: new ArrayBuffer(3) }] }],
      [ExecuteRequestSchema, { orders: [{ body: new DataView(new ArrayBuffer(3)) }] }],
      [ExecuteResponseSchema, { answers: [{ answer: { case: "outcome" } }] }],
      [ExecuteResponseSchema, { answers: [{ answer: { case: "outcome", value: null } }] }],
      [ExecuteResponseSchema, { answers: [{ answer: { case: "refused" } }] }],
      [ExecuteResponseSchema, { answers: [{ answer: { case: "id", value: 3n } }] }],
      ...[
        { decision: { policyOutcomes: [undefined] } },
        { decision: "text" },
        { result: { result: { case: "signTransactionResult" } } },
        { result: { result: { case: "signRawPayloadsResult", value: { signatures: [null] } } } },
        { result: { result: { case: "signRawPayloadsResult", value: { signatures: [undefined, {}] } } } },
      ].map(
        (value) => [ExecuteResponseSchema, { answers: [{ answer: { case: "outcome", value } }] }] as const,
      ),
    ]
    for (const [schema, init] of inits) {
      const expected = resultOf(() => codecOf(schema).encode(init))
      t.strictSame(
        resultOf(() => codecFor(schema).encode(init)),
        expected,
        Object.keys(init).join(),
      )
    }
    const kept = {
      ...create(ExecuteRequestSchema),
      $unknown: [{ no: 100, wireType: 0, data: Uint8Array.of(1) }],
    }
    t.strictSame(
      codecFor(ExecuteRequestSchema).encode(kept),
      Buffer.from(toBinary(ExecuteRequestSchema, kept)),
    )
  },
)

t.test("a message is not changed by the next one", async (t) => {
  const codec = codecFor(ExecuteRequestSchema)
  const first = codec.encode({ orders: [order] })
  const copy = Buffer.from(first)
  codec.encode({ orders: [{ ...order, body: Buffer.alloc(500, 9) }] })
  t.strictSame(first, copy)
})
