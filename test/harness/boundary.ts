import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { create, type MessageInitShape } from "@bufbuild/protobuf"
import {
  AcknowledgementSchema,
  type OrderAnswer,
  OrderSchema,
  type RecoverResponse,
  RecoverResponseSchema,
  SignerService,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { AuditStream } from "../../signer/enclave/audit/audit-stream.ts"
import { boot } from "../../signer/enclave/boot.ts"
import type { BootedSigner } from "../../signer/enclave/booted-signer.ts"
import { readAdmittedMembers } from "../../signer/enclave/admitted-members.ts"
import { readConfig } from "../../signer/enclave/config.ts"
import { createDeployment } from "../../signer/enclave/create-deployment.ts"
import { acknowledge, answerOrder } from "../../signer/enclave/rpc/execute.ts"
import { inPhase, operatorHandlers, signerHandlers } from "../../signer/enclave/rpc/index.ts"
import { TestClock } from "./clock.ts"

export type OrderInit = Extract<MessageInitShape<typeof OrderSchema>, { $typeName?: never }>
export type AcknowledgementInit = Extract<
  MessageInitShape<typeof AcknowledgementSchema>,
  { $typeName?: never }
>

/** Calls that the API tier, honest or not, and the operator can make at the signer's sockets. */
export interface Boundary {
  execute(order: OrderInit): Promise<OrderAnswer>
  /** Has no answer; takes effect before any later call. */
  acknowledge(acknowledgement: AcknowledgementInit): Promise<void>
  /** @param after vote id to go on after */
  recover(organizationId: string, after?: string): Promise<RecoverResponse>
  createSetupCode(publicKey: string, expirationSeconds?: number): Promise<string>
  /** The signer's current time, for stamping bodies. */
  nowMs(): number
  /** Resolves once the signer's clock has advanced by this. */
  pass(ms: number): Promise<void>
  /** Restarts the signer on the same data directory. */
  restart(): Promise<void>
  close(): Promise<void>
}

type RandomBytes = (length: number) => Uint8Array

/** A real signer in this process: same code, own ledger on disk, a clock that the test moves. */
export class InProcessBoundary implements Boundary {
  readonly directory: string
  readonly clock: TestClock
  signer: BootedSigner
  /** The audit stream of the signer's next start, which the test writes and closes. */
  audit: AuditStream | undefined
  /** The signer's settings beside its data directory, as of its next start. */
  readonly settings: { [name: string]: string }
  readonly #newRandom: (() => RandomBytes) | undefined
  #id = 0n

  /**
   * @param settings of the signer beside its data directory
   * @param newRandom makes the signer's random source at each start; absent: the system's
   * @param parent folder of the data directory
   */
  constructor(
    clock = new TestClock(),
    settings: { [name: string]: string } = {},
    newRandom?: () => RandomBytes,
    parent = tmpdir(),
  ) {
    this.directory = mkdtempSync(join(parent, "countersign-signer-"))
    this.clock = clock
    this.settings = settings
    this.#newRandom = newRandom
    createDeployment(this.#config())
    this.signer = this.#boot()
  }

  execute(order: OrderInit): Promise<OrderAnswer> {
    this.#id += 1n
    return answerOrder(
      create(OrderSchema, { ...order, id: this.#id }),
      inPhase(SignerService.method.execute, this.signer),
    )
  }

  async acknowledge(acknowledgement: AcknowledgementInit): Promise<void> {
    // As over the socket, nobody waits for its sync.
    acknowledge(create(AcknowledgementSchema, acknowledgement), this.signer).catch(() => undefined)
  }

  async recover(organizationId: string, after = ""): Promise<RecoverResponse> {
    return create(
      RecoverResponseSchema,
      await signerHandlers.recover({ organizationId, after } as never, this.signer),
    )
  }

  async createSetupCode(publicKey: string, expirationSeconds = 0): Promise<string> {
    return (await operatorHandlers.createSetupCode({ publicKey, expirationSeconds } as never, this.signer))
      .setupCode
  }

  nowMs(): number {
    this.clock.pass(1)
    return this.clock.wallMs()
  }

  async pass(ms: number): Promise<void> {
    this.clock.pass(ms)
  }

  /** @param meanwhile runs while the signer is stopped */
  async restart(meanwhile?: () => void): Promise<void> {
    await this.signer.close()
    meanwhile?.()
    this.signer = this.#boot()
  }

  async close(): Promise<void> {
    await this.signer.close()
    rmSync(this.directory, { recursive: true, force: true })
  }

  #config() {
    return readConfig({ COUNTERSIGN_DATA_DIR: this.directory, ...this.settings }, readAdmittedMembers)
  }

  #boot(): BootedSigner {
    const terminate = (error: unknown) => {
      throw error
    }
    return boot(this.#config(), {
      clock: this.clock,
      terminate,
      audit: this.audit,
      ...(this.#newRandom && { random: this.#newRandom() }),
    })
  }
}
