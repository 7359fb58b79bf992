import { createPrivateKey } from "node:crypto"
import { cpSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { LEAF_BYTES } from "../../signer/core/log/leaf.ts"
import { ED25519, noteSigner } from "../../signer/core/log/note-key.ts"
import { DecisionLog, type DecisionLogParts } from "../../signer/enclave/log/decision-log.ts"
import type { Contradiction, LoggedState } from "../../signer/enclave/log/recovery.ts"
import { RECORD_BYTES } from "../../signer/enclave/log/segments.ts"

export const DEPLOYMENT_ID = "0f5a3c4e-6b7d-8e9f-8a1b-2c3d4e5f6071"

const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex")
const privateKey = createPrivateKey({
  key: Buffer.concat([PKCS8, Buffer.alloc(32, 7)]),
  format: "der",
  type: "pkcs8",
})

/** Key of the test's logs. */
export const logSigner = (origin: string) => noteSigner(origin, ED25519, privateKey)

/** A log in a directory over a ledger that the test moves. */
export class TestLog {
  readonly directory: string
  readonly ledger: LoggedState
  readonly found: Contradiction[] = []
  readonly log: DecisionLog

  constructor(
    directory: string,
    ledger: LoggedState = { sequence: 1n, digest: Buffer.alloc(32, 1) },
    options: Pick<DecisionLogParts, "witnesses" | "monotonicMs" | "mostCounted"> = {},
  ) {
    this.directory = directory
    this.ledger = { ...ledger }
    const parts: DecisionLogParts = {
      ...options,
      directory,
      deploymentId: DEPLOYMENT_ID,
      lane: 1,
      signerOf: logSigner,
      ledger: () => this.ledger,
      nowMs: () => 1_800_000_000_000,
      terminate: (error) => {
        throw error
      },
      onContradiction: (contradiction) => this.found.push(contradiction),
    }
    this.log = new DecisionLog(parts)
  }

  get code(): string | undefined {
    return this.log.contradiction?.code
  }

  /** Appends decisions of one organization. */
  decide(count: number, organizationId = ORGANIZATION): void {
    for (let at = 0; at < count; at++)
      this.log.decide({
        organizationId,
        activityId: ACTIVITY,
        fingerprint: "ab".repeat(32),
        status: 2,
        decidedAtMs: 1_800_000_000_000,
      })
  }

  transaction(): void {
    const sequence = this.ledger.sequence + 1n
    Object.assign(this.ledger, { sequence, digest: Buffer.alloc(32, Number(sequence)) })
    this.log.transaction(this.ledger)
  }

  sign(): Promise<void> {
    return this.log.signed.sign()
  }

  /** The latest checkpoint, as someone keeps it. */
  get checkpoint(): Buffer {
    return Buffer.from(this.log.signed.signed?.note ?? [])
  }

  /** Another log over a copy of the files. */
  copyTo(directory: string, ledger: LoggedState = this.ledger): TestLog {
    cpSync(this.directory, directory, { recursive: true })
    return new TestLog(directory, ledger)
  }
}

export const ORGANIZATION = "11111111-2222-8333-8444-555555555555"
export const ACTIVITY = "99999999-2222-8333-8444-555555555555"

/** Changes one byte of a stored leaf. @param isSkilful computes its CRC anew */
export function changeLeaf(directory: string, index: number, isSkilful = false): void {
  const file = join(directory, "leaves-00000000")
  const bytes = readFileSync(file)
  bytes[index * RECORD_BYTES + 30]! ^= 1
  const leaf = bytes.subarray(index * RECORD_BYTES, index * RECORD_BYTES + LEAF_BYTES)
  if (isSkilful) bytes.writeUInt32BE(crc32(leaf), index * RECORD_BYTES + LEAF_BYTES)
  writeFileSync(file, bytes)
}

/** Drops leaves from the end of the last file. */
export function dropLeaves(directory: string, count: number): void {
  const last =
    readdirSync(directory)
      .filter((name) => name.startsWith("leaves-"))
      .toSorted()
      .at(-1) ?? ""
  const file = join(directory, last)
  truncateSync(file, Math.max(0, statSync(file).size - count * RECORD_BYTES))
}
