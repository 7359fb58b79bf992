import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf"
import { JoinAnswerSchema, JoinRequestSchema } from "../../../proto/gen/countersign/state/v1/join_pb.ts"
import { readBase64url } from "../encodings.ts"
import { JoinFault } from "./fault.ts"

/** A line that people copy from one host to the other. `use`: where a line of this kind belongs. */
const KINDS = {
  request: {
    prefix: "countersign-join-request.",
    schema: JoinRequestSchema,
    use: "on the signer's host: countersign-signer pair NAME --join LINE",
  },
  answer: {
    prefix: "countersign-join-answer.",
    schema: JoinAnswerSchema,
    use: "on the host that asked: join --answer LINE of its program",
  },
} as const

type Kind = keyof typeof KINDS

/** An answer has two certificates, about 1,500 characters, and a list of revoked ones with up to 32 KiB. */
const MAX_CHARACTERS = 49_152

/** `countersign-join-KIND.base64url(message)` */
export function writeLine<K extends Kind>(
  kind: K,
  message: MessageShape<(typeof KINDS)[K]["schema"]>,
): string {
  const { prefix, schema } = KINDS[kind]
  return prefix + Buffer.from(toBinary(schema as DescMessage, message)).toString("base64url")
}

/** The message of a line, which a mail may have broken into several. @throws {JoinFault} */
export function readLine<K extends Kind>(kind: K, text: string): MessageShape<(typeof KINDS)[K]["schema"]> {
  const line = text.replaceAll(/\s/g, "")
  const { prefix, schema } = KINDS[kind]
  const other = kind === "request" ? "answer" : "request"
  if (line.startsWith(KINDS[other].prefix))
    throw new JoinFault(
      "usage",
      `this line is of the wrong kind: ${nounOf(other)} belongs ${KINDS[other].use}`,
    )
  const payload = readBase64url(line.slice(prefix.length))
  if (line.length > MAX_CHARACTERS || !line.startsWith(prefix) || !payload?.length) throw malformed(kind)
  try {
    return fromBinary(schema as DescMessage, payload) as never
  } catch (cause) {
    throw malformed(kind, cause)
  }
}

/** @returns the fault of a line whose content is not what its kind has */
export function malformed(kind: Kind, cause?: unknown): JoinFault {
  const { prefix } = KINDS[kind]
  const sentence = `this is not ${nounOf(kind)}, or a part is missing: copy the whole line, which begins with ${prefix}`
  return new JoinFault("usage", sentence, { cause })
}

const nounOf = (kind: Kind): string => (kind === "request" ? "a request" : "an answer")
