import { create, toBinary } from "@bufbuild/protobuf"
import { HeadStatementSchema } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { LogKeyStatementSchema } from "../../proto/gen/countersign/state/v1/log_pb.ts"
import { type Pins, PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { LogReader } from "../../services/api/signer/log-reader.ts"
import { ServedLog } from "../../services/api/signer/served-log.ts"
import { openKeySet, signTagged } from "../../signer/core/crypto/keyset.ts"
import { logOrigin, writeDecision } from "../../signer/core/log/leaf.ts"
import { readLogReceipt } from "../../signer/core/log/receipt.ts"
import { LOG_BUNDLE } from "../../signer/core/log/verify/bundle.ts"
import { HEAD_TAG, LOG_KEY_TAG } from "../../signer/core/wire.ts"
import { Secret } from "../../signer/core/crypto/secret.ts"
import { DEPLOYMENT_ID, logSigner, ORGANIZATION, TestLog } from "./signer-log.ts"

export const NONCE = "0c".repeat(16)
export const START_MS = 1_800_000_000_000

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
const uuid = (number: number) => `00000000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`

/** A notarizer with the pins that name it. */
export function notarizer(byte = 9, deploymentId = DEPLOYMENT_ID) {
  const keys = openKeySet(Secret.moveFrom(Buffer.alloc(32, byte)))
  const pins: Pins = create(PinsSchema, { deploymentId, notarizerPublicKey: keys.publicHex })
  return { keys, pins }
}

/** A log with decisions of an organization, of which the test makes bundles. */
export class BundledLog {
  readonly log: TestLog
  readonly #by: ReturnType<typeof notarizer>
  readonly #decisions: object[] = []
  #made = 0

  constructor(directory: string, by = notarizer()) {
    this.log = new TestLog(directory)
    this.#by = by
  }

  /** Appends decisions of the organization, a second apart, each before one of another organization. */
  decide(count: number): void {
    for (let at = 0; at < count; at++) {
      const number = this.#made++
      const decidedAtMs = START_MS + number * 1000
      const decision = { activityId: uuid(number), fingerprint: "ab".repeat(32), status: 3, decidedAtMs }
      const { lane, era, salt, index, counter, startIndex } = readLogReceipt(
        this.log.log.decide({ organizationId: ORGANIZATION, ...decision }),
      )!
      this.log.decide(1, "22222222-2222-8333-8444-555555555555")
      const statement = writeDecision({ organizationId: ORGANIZATION, ...decision, counter, startIndex })
      this.#decisions.push({
        activityId: decision.activityId,
        voteId: uuid(number),
        decidedAtMs: String(decidedAtMs),
        logOrigin: logOrigin(DEPLOYMENT_ID, lane, era === 0 ? "" : String(era)),
        leafIndex: String(index),
        salt: hex(salt),
        statement: hex(statement),
      })
    }
  }

  /** The lines of a bundle of all decisions. `kept`: checkpoints that the reader kept. */
  async bundle({
    kept = [],
    ...members
  }: {
    kept?: string[]
    [member: string]: unknown
  } = {}): Promise<string[]> {
    await this.log.sign()
    const reader = new LogReader(new ServedLog(this.#signer()))
    const head = await reader.head()
    const places = this.#decisions.map((one) => Number((one as { leafIndex: string }).leafIndex))
    const starts = [...new Set(this.#decisions.map((one) => startOf(one)))].flatMap((at) =>
      at === 0 ? [0] : [at - 1, at],
    )
    const proofs = await reader.proofs([...places, ...starts], head.size, head)
    const leaves = proofs.map(({ index, leaf, path }) => ({
      leafIndex: String(index),
      leaf: hex(leaf),
      inclusionProof: path.map(hex),
    }))
    const keptProofs = kept.map(async (checkpoint) => {
      const proof = await reader.consistency(Number(checkpoint.split("\n")[1]), head.size, head)
      return { checkpoint, consistencyProof: proof.map(hex) }
    })
    const header = {
      format: LOG_BUNDLE,
      organizationId: ORGANIZATION,
      checkpoint: Buffer.from(head.checkpoint).toString(),
      ...this.#keyStatement(),
      head: this.#head(),
      kept: await Promise.all(keptProofs),
      ...members,
    }
    const lines = [
      header,
      ...leaves.slice(places.length),
      ...this.#decisions.map((decision, at) => ({ decision, ...leaves[at] })),
    ].map((line) => JSON.stringify(line))
    return withEnd(lines)
  }

  #keyStatement() {
    const { publicKey } = logSigner("x").key
    const statement = toBinary(
      LogKeyStatementSchema,
      create(LogKeyStatementSchema, { deploymentId: DEPLOYMENT_ID, publicKey }),
    )
    const signature = signTagged(this.#by.keys, LOG_KEY_TAG, statement)
    return { logKeyStatement: hex(statement), logKeySignature: hex(signature) }
  }

  #head() {
    const { origin, startIndex, decisions } = this.log.log.count(ORGANIZATION)
    const statement = toBinary(
      HeadStatementSchema,
      create(HeadStatementSchema, {
        organizationId: ORGANIZATION,
        documentVersion: 7n,
        documentDigest: Buffer.alloc(32, 3),
        nonce: Buffer.from(NONCE, "hex"),
        statedAtMs: BigInt(START_MS + this.#made * 1000),
        logOrigin: origin,
        logStart: BigInt(startIndex),
        decisions: BigInt(decisions),
      }),
    )
    return {
      nonce: NONCE,
      statement: hex(statement),
      signature: hex(signTagged(this.#by.keys, HEAD_TAG, statement)),
    }
  }

  #signer(): ConstructorParameters<typeof ServedLog>[0] {
    const { signed } = this.log.log
    return {
      readLog: async (first: number, count: number) => ({
        checkpoint: signed.signed?.note ?? new Uint8Array(0),
        keyStatement: Buffer.from(this.#keyStatement().logKeyStatement, "hex"),
        cosigned: new Uint8Array(0),
        leaves: Buffer.concat(signed.leaves(first, first + count)),
      }),
      readLogTile: async (level: number, index: number, width: number) => ({
        hashes: Buffer.concat(
          Array.from({ length: width }, (_, at) =>
            signed.read({ level: level * 8, index: index * 256 + at }),
          ),
        ),
      }),
    } as never
  }
}

const startOf = (decision: object) => {
  const { statement } = decision as { statement: string }
  return Number(Buffer.from(statement, "hex").readBigUInt64BE(36 + 36 + 32 + 1 + 8))
}

/** Lines with the line that ends them. */
export function withEnd(lines: readonly string[]): string[] {
  return [...lines, JSON.stringify({ end: { lines: lines.length + 1 } })]
}
