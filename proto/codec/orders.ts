// Generated from proto/countersign/signer/v1/signer.proto by `npm run generate`: not edited by hand.
/* oxlint-disable max-lines-per-function -- A case for each field. */
import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf"
import {
  type ExecuteRequest,
  ExecuteRequestSchema,
  type Order,
  OrderSchema,
  type ExecuteResponse,
  ExecuteResponseSchema,
  type OrderAnswer,
  OrderAnswerSchema,
  type Outcome,
  OutcomeSchema,
  type Decision,
  DecisionSchema,
  AcknowledgementSchema,
  TransactionFillSchema,
  RefusedSchema,
  NeededSchema,
  OrderDurationsSchema,
  ReceiptSchema,
  CreatedOrganizationSchema,
  SignedTransactionSchema,
} from "../gen/countersign/signer/v1/signer_pb.ts"
import {
  type PolicyOutcome,
  PolicyOutcomeSchema,
  AppProofSchema,
  MfaStatusSchema,
} from "../gen/countersign/api/v1/resources_pb.ts"
import { type Result, ResultSchema } from "../gen/countersign/api/v1/activities_pb.ts"
import {
  type SignRawPayloadResult,
  SignRawPayloadResultSchema,
  type SignRawPayloadsResult,
  SignRawPayloadsResultSchema,
  type SignTransactionResult,
  SignTransactionResultSchema,
} from "../gen/countersign/api/v1/intents/signing_pb.ts"
import { FetchedStatementSchema } from "../gen/countersign/signer/v1/fetcher_pb.ts"
import { type Codec, usualCodec } from "./codec.ts"
import { UNUSUAL, type WireReader } from "./reader.ts"
import type { WireWriter } from "./writer.ts"

const EMPTY = new Uint8Array(0)

function writeExecuteRequest(
  writer: WireWriter,
  message: MessageInitShape<typeof ExecuteRequestSchema>,
): void {
  if ("$unknown" in message) throw UNUSUAL
  for (const one of message.orders ?? []) {
    const place = writer.open(34)
    writeOrder(writer, one)
    writer.close(place)
  }
  for (const one of message.acknowledgements ?? []) {
    writer.message(42, AcknowledgementSchema, one)
  }
}

function readExecuteRequest(reader: WireReader, end: number): ExecuteRequest {
  const message: ExecuteRequest = {
    $typeName: "countersign.signer.v1.ExecuteRequest",
    orders: [],
    acknowledgements: [],
  }
  while (reader.at < end) {
    switch (reader.uint()) {
      case 34:
        message.orders.push(readOrder(reader, reader.until(end)))
        break
      case 42:
        message.acknowledgements.push(reader.message(AcknowledgementSchema, end, 1))
        break
      default:
        throw UNUSUAL
    }
  }
  if (reader.at !== end) throw UNUSUAL
  return message
}

function writeOrder(writer: WireWriter, message: MessageInitShape<typeof OrderSchema>): void {
  if ("$unknown" in message) throw UNUSUAL
  writer.bytes(10, message.body)
  writer.string(18, message.xStamp)
  writer.string(26, message.xStampWebauthn)
  writer.bytesList(42, message.records)
  writer.bytesList(50, message.documents)
  writer.uint64(56, message.id)
  for (const one of message.fetched ?? []) {
    writer.message(82, FetchedStatementSchema, one)
  }
  writer.string(90, message.turnOf)
  writer.uint32(96, message.timeoutMs)
  writer.string(106, message.requestId)
  if (message.fill !== undefined) {
    writer.message(114, TransactionFillSchema, message.fill)
  }
  writer.string(122, message.xStampAttested)
  writer.bytes(130, message.policyList)
  writer.bool(136, message.timed)
}

function readOrder(reader: WireReader, end: number): Order {
  const message: Order = {
    $typeName: "countersign.signer.v1.Order",
    body: EMPTY,
    xStamp: "",
    xStampWebauthn: "",
    records: [],
    documents: [],
    id: 0n,
    fetched: [],
    turnOf: "",
    timeoutMs: 0,
    requestId: "",
    xStampAttested: "",
    policyList: EMPTY,
    timed: false,
  }
  while (reader.at < end) {
    switch (reader.uint()) {
      case 10:
        message.body = reader.bytes(end)
        break
      case 18:
        message.xStamp = reader.string(end)
        break
      case 26:
        message.xStampWebauthn = reader.string(end)
        break
      case 42:
        message.records.push(reader.bytes(end))
        break
      case 50:
        message.documents.push(reader.bytes(end))
        break
      case 56:
        message.id = reader.uint64()
        break
      case 82:
        message.fetched.push(reader.message(FetchedStatementSchema, end, 2))
        break
      case 90:
        message.turnOf = reader.string(end)
        break
      case 96:
        message.timeoutMs = reader.uint()
        break
      case 106:
        message.requestId = reader.string(end)
        break
      case 114:
        if (message.fill !== undefined) throw UNUSUAL
        message.fill = reader.message(TransactionFillSchema, end, 2)
        break
      case 122:
        message.xStampAttested = reader.string(end)
        break
      case 130:
        message.policyList = reader.bytes(end)
        break
      case 136:
        message.timed = reader.bool()
        break
      default:
        throw UNUSUAL
    }
  }
  if (reader.at !== end) throw UNUSUAL
  return message
}

function writeExecuteResponse(
  writer: WireWriter,
  message: MessageInitShape<typeof ExecuteResponseSchema>,
): void {
  if ("$unknown" in message) throw UNUSUAL
  for (const one of message.answers ?? []) {
    const place = writer.open(42)
    writeOrderAnswer(writer, one)
    writer.close(place)
  }
}

function readExecuteResponse(reader: WireReader, end: number): ExecuteResponse {
  const message: ExecuteResponse = {
    $typeName: "countersign.signer.v1.ExecuteResponse",
    answers: [],
  }
  while (reader.at < end) {
    switch (reader.uint()) {
      case 42:
        message.answers.push(readOrderAnswer(reader, reader.until(end)))
        break
      default:
        throw UNUSUAL
    }
  }
  if (reader.at !== end) throw UNUSUAL
  return message
}

function writeOrderAnswer(writer: WireWriter, message: MessageInitShape<typeof OrderAnswerSchema>): void {
  if ("$unknown" in message) throw UNUSUAL
  writer.uint64(8, message.id)
  switch (message.answer?.case) {
    case undefined:
      break
    case "outcome": {
      const place = writer.open(18)
      writeOutcome(writer, message.answer.value)
      writer.close(place)
      break
    }
    case "refused": {
      writer.message(26, RefusedSchema, message.answer.value)
      break
    }
    case "needed": {
      writer.message(34, NeededSchema, message.answer.value)
      break
    }
    default:
      message.answer satisfies never
  }
  if (message.durations !== undefined) {
    writer.message(42, OrderDurationsSchema, message.durations)
  }
}

function readOrderAnswer(reader: WireReader, end: number): OrderAnswer {
  const message: OrderAnswer = {
    $typeName: "countersign.signer.v1.OrderAnswer",
    id: 0n,
    answer: { case: undefined },
  }
  while (reader.at < end) {
    switch (reader.uint()) {
      case 8:
        message.id = reader.uint64()
        break
      case 18:
        if (message.answer.case !== undefined) throw UNUSUAL
        message.answer = { case: "outcome", value: readOutcome(reader, reader.until(end)) }
        break
      case 26:
        if (message.answer.case !== undefined) throw UNUSUAL
        message.answer = { case: "refused", value: reader.message(RefusedSchema, end, 2) }
        break
      case 34:
        if (message.answer.case !== undefined) throw UNUSUAL
        message.answer = { case: "needed", value: reader.message(NeededSchema, end, 2) }
        break
      case 42:
        if (message.durations !== undefined) throw UNUSUAL
        message.durations = reader.message(OrderDurationsSchema, end, 2)
        break
      default:
        throw UNUSUAL
    }
  }
  if (reader.at !== end) throw UNUSUAL
  return message
}

function writeOutcome(writer: WireWriter, message: MessageInitShape<typeof OutcomeSchema>): void {
  if ("$unknown" in message) throw UNUSUAL
  if (message.decision !== undefined) {
    const place = writer.open(10)
    writeDecision(writer, message.decision)
    writer.close(place)
  }
  writer.string(18, message.organizationId)
  writer.bytes(26, message.activityFingerprint)
  writer.enum(32, message.selection)
  writer.enum(40, message.status)
  if (message.result !== undefined) {
    const place = writer.open(50)
    writeResult(writer, message.result)
    writer.close(place)
  }
  writer.bytes(58, message.document)
  writer.bytesList(66, message.records)
  if (message.receipt !== undefined) {
    writer.message(74, ReceiptSchema, message.receipt)
  }
  writer.bool(80, message.unacknowledged)
  writer.bool(88, message.opened)
  if (message.failure !== undefined) {
    writer.message(98, RefusedSchema, message.failure)
  }
  for (const one of message.createdOrganizations ?? []) {
    writer.message(106, CreatedOrganizationSchema, one)
  }
  for (const one of message.appProofs ?? []) {
    writer.message(162, AppProofSchema, one)
  }
  writer.uint64(168, message.ledgerSequence)
  for (const one of message.signedTransactions ?? []) {
    writer.message(178, SignedTransactionSchema, one)
  }
}

function readOutcome(reader: WireReader, end: number): Outcome {
  const message: Outcome = {
    $typeName: "countersign.signer.v1.Outcome",
    organizationId: "",
    activityFingerprint: EMPTY,
    selection: 0,
    status: 0,
    document: EMPTY,
    records: [],
    unacknowledged: false,
    opened: false,
    createdOrganizations: [],
    appProofs: [],
    ledgerSequence: 0n,
    signedTransactions: [],
  }
  while (reader.at < end) {
    switch (reader.uint()) {
      case 10:
        if (message.decision !== undefined) throw UNUSUAL
        message.decision = readDecision(reader, reader.until(end))
        break
      case 18:
        message.organizationId = reader.string(end)
        break
      case 26:
        message.activityFingerprint = reader.bytes(end)
        break
      case 32:
        message.selection = reader.uint() as Outcome["selection"]
        break
      case 40:
        message.status = reader.uint() as Outcome["status"]
        break
      case 50:
        if (message.result !== undefined) throw UNUSUAL
        message.result = readResult(reader, reader.until(end))
        break
      case 58:
        message.document = reader.bytes(end)
        break
      case 66:
        message.records.push(reader.bytes(end))
        break
      case 74:
        if (message.receipt !== undefined) throw UNUSUAL
        message.receipt = reader.message(ReceiptSchema, end, 3)
        break
      case 80:
        message.unacknowledged = reader.bool()
        break
      case 88:
        message.opened = reader.bool()
        break
      case 98:
        if (message.failure !== undefined) throw UNUSUAL
        message.failure = reader.message(RefusedSchema, end, 3)
        break
      case 106:
        message.createdOrganizations.push(reader.message(CreatedOrganizationSchema, end, 3))
        break
      case 162:
        message.appProofs.push(reader.message(AppProofSchema, end, 3))
        break
      case 168:
        message.ledgerSequence = reader.uint64()
        break
      case 178:
        message.signedTransactions.push(reader.message(SignedTransactionSchema, end, 3))
        break
      default:
        throw UNUSUAL
    }
  }
  if (reader.at !== end) throw UNUSUAL
  return message
}

function writeDecision(writer: WireWriter, message: MessageInitShape<typeof DecisionSchema>): void {
  if ("$unknown" in message) throw UNUSUAL
  writer.string(10, message.activityId)
  writer.string(18, message.voteId)
  writer.string(26, message.userId)
  writer.uint64(32, message.decidedAtMs)
  for (const one of message.policyOutcomes ?? []) {
    const place = writer.open(42)
    writePolicyOutcome(writer, one)
    writer.close(place)
  }
  writer.stringList(50, message.voterIds)
  for (const one of message.mfaStatuses ?? []) {
    writer.message(58, MfaStatusSchema, one)
  }
  writer.bytes(66, message.policyList)
  writer.bytes(74, message.packedOutcomes)
  writer.bytes(82, message.logReceipt)
}

function readDecision(reader: WireReader, end: number): Decision {
  const message: Decision = {
    $typeName: "countersign.signer.v1.Decision",
    activityId: "",
    voteId: "",
    userId: "",
    decidedAtMs: 0n,
    policyOutcomes: [],
    voterIds: [],
    mfaStatuses: [],
    policyList: EMPTY,
    packedOutcomes: EMPTY,
    logReceipt: EMPTY,
  }
  while (reader.at < end) {
    switch (reader.uint()) {
      case 10:
        message.activityId = reader.string(end)
        break
      case 18:
        message.voteId = reader.string(end)
        break
      case 26:
        message.userId = reader.string(end)
        break
      case 32:
        message.decidedAtMs = reader.uint64()
        break
      case 42:
        message.policyOutcomes.push(readPolicyOutcome(reader, reader.until(end)))
        break
      case 50:
        message.voterIds.push(reader.string(end))
        break
      case 58:
        message.mfaStatuses.push(reader.message(MfaStatusSchema, end, 4))
        break
      case 66:
        message.policyList = reader.bytes(end)
        break
      case 74:
        message.packedOutcomes = reader.bytes(end)
        break
      case 82:
        message.logReceipt = reader.bytes(end)
        break
      default:
        throw UNUSUAL
    }
  }
  if (reader.at !== end) throw UNUSUAL
  return message
}

function writePolicyOutcome(writer: WireWriter, message: MessageInitShape<typeof PolicyOutcomeSchema>): void {
  if ("$unknown" in message) throw UNUSUAL
  writer.string(10, message.policyId)
  writer.enum(16, message.outcome)
}

function readPolicyOutcome(reader: WireReader, end: number): PolicyOutcome {
  const message: PolicyOutcome = {
    $typeName: "countersign.api.v1.PolicyOutcome",
    policyId: "",
    outcome: 0,
  }
  while (reader.at < end) {
    switch (reader.uint()) {
      case 10:
        message.policyId = reader.string(end)
        break
      case 16:
        message.outcome = reader.uint() as PolicyOutcome["outcome"]
        break
      default:
        throw UNUSUAL
    }
  }
  if (reader.at !== end) throw UNUSUAL
  return message
}

function writeResult(writer: WireWriter, message: MessageInitShape<typeof ResultSchema>): void {
  if ("$unknown" in message) throw UNUSUAL
  switch (message.result?.case) {
    case undefined:
      break
    case "signRawPayloadResult": {
      const place = writer.open(1682)
      writeSignRawPayloadResult(writer, message.result.value)
      writer.close(place)
      break
    }
    case "signRawPayloadsResult": {
      const place = writer.open(1698)
      writeSignRawPayloadsResult(writer, message.result.value)
      writer.close(place)
      break
    }
    case "signTransactionResult": {
      const place = writer.open(1706)
      writeSignTransactionResult(writer, message.result.value)
      writer.close(place)
      break
    }
    default:
      throw UNUSUAL
  }
}

function readResult(reader: WireReader, end: number): Result {
  const message: Result = {
    $typeName: "countersign.api.v1.Result",
    result: { case: undefined },
  }
  while (reader.at < end) {
    switch (reader.uint()) {
      case 1682:
        if (message.result.case !== undefined) throw UNUSUAL
        message.result = {
          case: "signRawPayloadResult",
          value: readSignRawPayloadResult(reader, reader.until(end)),
        }
        break
      case 1698:
        if (message.result.case !== undefined) throw UNUSUAL
        message.result = {
          case: "signRawPayloadsResult",
          value: readSignRawPayloadsResult(reader, reader.until(end)),
        }
        break
      case 1706:
        if (message.result.case !== undefined) throw UNUSUAL
        message.result = {
          case: "signTransactionResult",
          value: readSignTransactionResult(reader, reader.until(end)),
        }
        break
      default:
        throw UNUSUAL
    }
  }
  if (reader.at !== end) throw UNUSUAL
  return message
}

function writeSignRawPayloadResult(
  writer: WireWriter,
  message: MessageInitShape<typeof SignRawPayloadResultSchema>,
): void {
  if ("$unknown" in message) throw UNUSUAL
  writer.string(10, message.r)
  writer.string(18, message.s)
  writer.string(26, message.v)
}

function readSignRawPayloadResult(reader: WireReader, end: number): SignRawPayloadResult {
  const message: SignRawPayloadResult = {
    $typeName: "countersign.api.v1.SignRawPayloadResult",
    r: "",
    s: "",
    v: "",
  }
  while (reader.at < end) {
    switch (reader.uint()) {
      case 10:
        message.r = reader.string(end)
        break
      case 18:
        message.s = reader.string(end)
        break
      case 26:
        message.v = reader.string(end)
        break
      default:
        throw UNUSUAL
    }
  }
  if (reader.at !== end) throw UNUSUAL
  return message
}

function writeSignRawPayloadsResult(
  writer: WireWriter,
  message: MessageInitShape<typeof SignRawPayloadsResultSchema>,
): void {
  if ("$unknown" in message) throw UNUSUAL
  for (const one of message.signatures ?? []) {
    const place = writer.open(10)
    writeSignRawPayloadResult(writer, one)
    writer.close(place)
  }
}

function readSignRawPayloadsResult(reader: WireReader, end: number): SignRawPayloadsResult {
  const message: SignRawPayloadsResult = {
    $typeName: "countersign.api.v1.SignRawPayloadsResult",
    signatures: [],
  }
  while (reader.at < end) {
    switch (reader.uint()) {
      case 10:
        message.signatures.push(readSignRawPayloadResult(reader, reader.until(end)))
        break
      default:
        throw UNUSUAL
    }
  }
  if (reader.at !== end) throw UNUSUAL
  return message
}

function writeSignTransactionResult(
  writer: WireWriter,
  message: MessageInitShape<typeof SignTransactionResultSchema>,
): void {
  if ("$unknown" in message) throw UNUSUAL
  writer.string(10, message.signedTransaction)
}

function readSignTransactionResult(reader: WireReader, end: number): SignTransactionResult {
  const message: SignTransactionResult = {
    $typeName: "countersign.api.v1.SignTransactionResult",
    signedTransaction: "",
  }
  while (reader.at < end) {
    switch (reader.uint()) {
      case 10:
        message.signedTransaction = reader.string(end)
        break
      default:
        throw UNUSUAL
    }
  }
  if (reader.at !== end) throw UNUSUAL
  return message
}

/** Codecs of the messages of the Execute stream, by the names of their types. @param whole what handles unusual messages */
export function orderCodecs(whole: (schema: DescMessage) => Codec): ReadonlyMap<string, Codec> {
  return new Map([
    [
      "countersign.signer.v1.ExecuteRequest",
      usualCodec(whole(ExecuteRequestSchema), writeExecuteRequest, readExecuteRequest),
    ],
    [
      "countersign.signer.v1.ExecuteResponse",
      usualCodec(whole(ExecuteResponseSchema), writeExecuteResponse, readExecuteResponse),
    ],
  ])
}
