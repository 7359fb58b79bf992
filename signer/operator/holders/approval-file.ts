import { readFileSync } from "node:fs"
import { create } from "@bufbuild/protobuf"
import {
  type ApprovedText,
  ApprovedTextSchema,
  type HolderApproval,
} from "../../../proto/gen/countersign/signer/v1/holder_act_pb.ts"
import { readJsonObject } from "../../../proto/strict-json.ts"
import { UsageFault } from "../../core/command-line.ts"
import type { SignedApproval } from "../../core/holder-acts/approval.ts"
import { refuse } from "../../core/refusal.ts"

/** As many as a set has holders. */
const MAX_APPROVALS = 15
const MAX_FILE_LENGTH = 32 * 1024

/** An approval as one line of JSON, which has the text too. */
export function writeApproval(text: Uint8Array, { publicKey, evidence }: SignedApproval): object {
  const common = { text: Buffer.from(text).toString("latin1"), publicKey: hex(publicKey) }
  if (evidence.case !== "passkey") return { ...common, signature: hex(evidence.value ?? new Uint8Array()) }
  const { authenticatorData, clientDataJson, signature } = evidence.value
  const passkey = {
    authenticatorData: hex(authenticatorData),
    clientDataJson: hex(clientDataJson),
    signature: hex(signature),
  }
  return { ...common, passkey }
}

/** Reads approvals of one text; undefined: there are none. @throws {UsageFault}; APPROVAL_MALFORMED, APPROVAL_OTHER_ACT */
export function readApprovals(files: readonly string[]): ApprovedText | undefined {
  const [first] = files
  if (first === undefined) return undefined
  if (files.length > MAX_APPROVALS)
    throw new UsageFault(`--approvals: there are at most ${MAX_APPROVALS} holders`)
  const all = files.map((file) => ({ file, ...readApproval(file) }))
  const text = all[0]?.text ?? ""
  const other = all.find((one) => one.text !== text)
  if (other !== undefined)
    throw refuse(
      "APPROVAL_OTHER_ACT",
      `${other.file} approves another text than ${first}: give approvals of one text`,
    )
  return create(ApprovedTextSchema, {
    text: Buffer.from(text, "latin1"),
    approvals: all.map(({ approval }) => approval),
  })
}

function readApproval(file: string): { text: string; approval: HolderApproval } {
  const fault = (why: string, cause?: unknown) =>
    refuse(
      "APPROVAL_MALFORMED",
      `${file} is no approval: ${why}. Give it as countersign-signer holder sign printed it`,
      { cause },
    )
  const bytes = readFileSync(file)
  if (bytes.length > MAX_FILE_LENGTH) throw fault("it is too long")
  const json = readJsonObject(bytes, (why, cause) => fault(`it ${why}`, cause), { maxDepth: 2 })
  const { text, passkey, signature } = json
  if (typeof text !== "string") throw fault("its text is missing")
  const publicKey = hexIn(json, "publicKey", fault)
  const evidence =
    passkey === undefined
      ? ({ case: "signature", value: hexIn({ signature }, "signature", fault) } as const)
      : ({ case: "passkey", value: passkeyIn(passkey, fault) } as const)
  const { approvals } = create(ApprovedTextSchema, { approvals: [{ publicKey, evidence }] })
  return { text, approval: approvals[0]! }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/** The approvals of a command as a member of its request; none where it has none. */
export function approvedBy({ approvals }: { approvals: readonly string[] }): { approved?: ApprovedText } {
  const approved = readApprovals(approvals)
  return approved === undefined ? {} : { approved }
}

type Fault = (why: string, cause?: unknown) => Error

function passkeyIn(value: unknown, fault: Fault) {
  if (typeof value !== "object" || value === null) throw fault("its passkey is no object")
  const json = value as Readonly<Record<string, unknown>>
  const member = (name: string) => hexIn(json, name, fault)
  return {
    $typeName: "countersign.signer.v1.PasskeyApproval" as const,
    authenticatorData: member("authenticatorData"),
    clientDataJson: member("clientDataJson"),
    signature: member("signature"),
  }
}

function hexIn(json: Readonly<Record<string, unknown>>, name: string, fault: Fault): Uint8Array {
  const text = json[name]
  if (typeof text !== "string" || !/^(?:[0-9a-f]{2})+$/i.test(text))
    throw fault(`${name} is no hexadecimal text`)
  return Uint8Array.from(Buffer.from(text, "hex"))
}
