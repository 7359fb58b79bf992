import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { type AuditBinding, verifyBinding } from "../../signer/core/audit/bound.ts"
import { AuditChain } from "../../signer/core/audit/chain.ts"
import { LEAF_BYTES } from "../../signer/core/log/leaf.ts"
import { HASH_BYTES } from "../../signer/core/log/merkle.ts"
import { type AuditParts, AuditStream } from "../../signer/enclave/audit/audit-stream.ts"
import { audited } from "../../signer/enclave/rpc/audited.ts"
import { operatorHandlers } from "../../signer/enclave/rpc/index.ts"
import { auditFilesIn, auditLines } from "../../signer/process/audit-folder.ts"
import { InProcessBoundary } from "./boundary.ts"

/** A stream in a directory, by a clock that the test moves. */
export function auditStream(directory: string, options: Partial<AuditParts> = {}): AuditStream {
  return new AuditStream({
    directory,
    whenFull: "refuse",
    release: "countersign 1.0.0",
    codeDigest: "ab".repeat(32),
    nowMs: () => 1_800_000_000_000,
    monotonicMs: () => 0,
    onFault: () => undefined,
    ...options,
  })
}

export const recordsIn = (directory: string) =>
  [...auditLines(directory)].map(
    (line) => JSON.parse(line) as { [name: string]: unknown; number: number; kind: string },
  )

/** A signer in this process whose operator's calls are recorded, and whose log binds the records. */
export class AuditedSigner {
  readonly boundary = new InProcessBoundary()
  readonly directory = join(this.boundary.directory, "signer", "audit")
  audit = auditStream(this.directory)

  static async start(): Promise<AuditedSigner> {
    const signer = new AuditedSigner()
    await signer.restart()
    return signer
  }

  /** @param meanwhile runs while the signer is stopped */
  async restart(meanwhile?: () => void): Promise<void> {
    this.audit.stop(this.boundary.signer.signedHead())
    await this.boundary.restart(() => {
      this.audit.close()
      meanwhile?.()
      this.audit = auditStream(this.directory)
      this.boundary.audit = this.audit
    })
    this.audit.start()
    await this.boundary.signer.signLog()
  }

  /** The operator's calls as the process serves them. */
  get operator() {
    const handlers = audited(OperatorService, operatorHandlers, this.audit)
    const { signer } = this.boundary
    return {
      setupCode: (publicKey: string) =>
        handlers.createSetupCode({ publicKey, expirationSeconds: 0 } as never, signer),
      status: () => handlers.getStatus({}, signer),
    }
  }

  /** What an operator's command reads. */
  async binding(): Promise<AuditBinding> {
    const { checkpoint, keyStatement, keySignature, first, range, leaves, number } =
      await operatorHandlers.readAudit({}, this.boundary.signer)
    return {
      checkpoint: Buffer.from(checkpoint).toString(),
      logKeyStatement: Buffer.from(keyStatement).toString("hex"),
      logKeySignature: Buffer.from(keySignature).toString("hex"),
      first: Number(first),
      range: cut(range, HASH_BYTES),
      leaves: cut(leaves, LEAF_BYTES),
      number: Number(number),
    }
  }

  /** Codes of the faults that an auditor finds, with the log's proof. */
  async found(lines: Iterable<string> = auditLines(this.directory), from = 1): Promise<string[]> {
    return this.foundWith(await this.binding(), lines, { from })
  }

  foundWith(
    binding: AuditBinding,
    lines: Iterable<string>,
    { from = 1, kept = [] }: { from?: number; kept?: readonly string[] } = {},
  ): string[] {
    const chain = new AuditChain(from)
    for (const line of lines) chain.add(line)
    const { pins } = this.boundary.signer.state().keyring
    const bound = verifyBinding(chain, binding, { pins: [pins], kept })
    return [...chain.end().faults, ...bound.faults].map(({ code }) => code)
  }

  get lines(): string[] {
    return [...auditLines(this.directory)]
  }

  /** Replaces the records on the disk. */
  rewrite(lines: readonly string[]): void {
    const [file = ""] = auditFilesIn(this.directory)
    writeFileSync(file, lines.map((line) => `${line}\n`).join(""))
  }

  async close(): Promise<void> {
    this.audit.close()
    await this.boundary.close()
  }
}

function cut(bytes: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: bytes.length / length }, (_, at) => bytes.slice(at * length, (at + 1) * length))
}

/** Appends an incomplete line, as a crash leaves it. */
export function tear(directory: string): void {
  const file = auditFilesIn(directory).at(-1) ?? ""
  appendFileSync(file, readFileSync(file).subarray(0, 40))
}
