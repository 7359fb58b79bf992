import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { create } from "@bufbuild/protobuf"
import { credentials } from "@grpc/grpc-js"
import { OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import {
  type ExecuteRequest,
  ExecuteRequestSchema,
  type ExecuteResponse,
  type OrderAnswer,
  type RecoverResponse,
  SignerService,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { BidiStream } from "../../proto/grpc.ts"
import { clientFor, type RpcClient } from "../../proto/grpc-client.ts"
import type { AcknowledgementInit, Boundary, OrderInit } from "./boundary.ts"
import { type CertificateFiles, TestAuthority } from "./certificates.ts"
import { freePort } from "./free-port.ts"
import { patienceMs } from "./patience.ts"

const DEADLINE_MS = patienceMs(30_000)

type Stream = BidiStream<ExecuteResponse, ExecuteRequest>

/** The signer as it runs in production: its own process, reached over TCP with mutual TLS. */
export class RunningBoundary implements Boundary {
  readonly directory: string
  readonly address: string
  readonly authority: TestAuthority
  /** The signer's environment, as of its next start. */
  readonly environment: NodeJS.ProcessEnv
  readonly #caller: CertificateFiles
  #process: ChildProcess | undefined
  #client: RpcClient<typeof SignerService> | undefined
  #stream: Stream | undefined
  readonly #waiting = new Map<bigint, (answer: OrderAnswer) => void>()
  #id = 0n

  private constructor(
    directory: string,
    address: string,
    authority: TestAuthority,
    environment: NodeJS.ProcessEnv,
    caller: CertificateFiles,
  ) {
    this.directory = directory
    this.address = address
    this.authority = authority
    this.environment = environment
    this.#caller = caller
  }

  /** @param settings of the signer beside its address */
  static async start(settings: NodeJS.ProcessEnv = {}): Promise<RunningBoundary> {
    const directory = mkdtempSync(join(tmpdir(), "countersign-running-"))
    const authority = await TestAuthority.create(join(directory, "certificates"))
    const server = await authority.issue("signer")
    const address = `localhost:${await freePort()}`
    const environment = {
      PATH: process.env["PATH"],
      COUNTERSIGN_DATA_DIR: join(directory, "data"),
      COUNTERSIGN_SIGNER_LISTEN: address,
      COUNTERSIGN_SIGNER_TLS_CERTIFICATE_FILE: server.certificateFile,
      COUNTERSIGN_SIGNER_TLS_KEY_FILE: server.keyFile,
      COUNTERSIGN_SIGNER_TLS_CA_FILE: server.caFile,
      COUNTERSIGN_SIGNER_CALLERS: "api",
      ...settings,
    }
    const caller = await authority.issue("api")
    const boundary = new RunningBoundary(directory, address, authority, environment, caller)
    await boundary.#launch(["--init"])
    return boundary
  }

  /** Files of the certificate that the API tier has. */
  get caller(): CertificateFiles {
    return this.#caller
  }

  /** Folder of the ledger and its log. */
  get ledger(): string {
    return join(this.directory, "data", "signer", "ledger")
  }

  /** A client with another certificate, or the usual one. */
  client(files: CertificateFiles = this.#caller): RpcClient<typeof SignerService> {
    const read = (file: string) => readFileSync(file)
    return clientFor(SignerService, {
      address: this.address,
      credentials: credentials.createSsl(
        read(files.caFile),
        read(files.keyFile),
        read(files.certificateFile),
      ),
      deadlineMs: DEADLINE_MS,
    })
  }

  execute(order: OrderInit): Promise<OrderAnswer> {
    this.#id += 1n
    const id = this.#id
    const answered = new Promise<OrderAnswer>((resolve) => this.#waiting.set(id, resolve))
    this.#stream!.send(create(ExecuteRequestSchema, { orders: [{ ...order, id }] }))
    return answered
  }

  async acknowledge(acknowledgement: AcknowledgementInit): Promise<void> {
    this.#stream!.send(create(ExecuteRequestSchema, { acknowledgements: [acknowledgement] }))
  }

  recover(organizationId: string, after = ""): Promise<RecoverResponse> {
    return this.#client!.call.recover({ organizationId, after })
  }

  async createSetupCode(publicKey: string, expirationSeconds = 0): Promise<string> {
    return (await this.operate((call) => call.createSetupCode({ publicKey, expirationSeconds }))).setupCode
  }

  /** A call of the operator. */
  async operate<Reply>(
    ask: (call: RpcClient<typeof OperatorService>["call"]) => Promise<Reply>,
  ): Promise<Reply> {
    const operator = clientFor(OperatorService, {
      address: `unix:${join(this.directory, "data", "operator", "operator.sock")}`,
      credentials: credentials.createInsecure(),
      deadlineMs: DEADLINE_MS,
    })
    try {
      return await ask(operator.call)
    } finally {
      operator.close()
    }
  }

  nowMs(): number {
    return Date.now()
  }

  /** Waits: only its host moves a running signer's clock. */
  async pass(ms: number): Promise<void> {
    for (const endMs = Date.now() + ms; Date.now() <= endMs; ) await pause(endMs - Date.now() + 1)
  }

  async restart(): Promise<void> {
    await this.kill()
    await this.#launch()
  }

  /** Stops the signer in good order. @param meanwhile runs before it is started again */
  async restartAfter(meanwhile: () => void): Promise<void> {
    await this.kill("SIGTERM")
    meanwhile()
    await this.#launch()
  }

  /** kill -9: the signer sends and stores nothing more. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    this.#client?.close()
    const running = this.#process
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    running.kill(signal)
    await once(running, "exit")
  }

  async close(): Promise<void> {
    await this.kill()
    rmSync(this.directory, { recursive: true, force: true })
  }

  async #launch(words: readonly string[] = []): Promise<void> {
    this.#process = spawn(process.execPath, ["signer/enclave/main.ts", ...words], {
      env: this.environment,
      stdio: ["ignore", "ignore", "pipe"],
    })
    await isUp(this.#process)
    this.#client = this.client()
    this.#stream = this.#client.call.execute()
    this.#stream.onMessage(({ answers }) => {
      for (const answer of answers) {
        this.#waiting.get(answer.id)?.(answer)
        this.#waiting.delete(answer.id)
      }
    })
    this.#stream.onEnd(() => undefined)
  }
}

/** Resolves once the signer logs that it is up; keeps reading its log, so that the pipe never fills. */
function isUp(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = ""
    child.stderr!.on("data", (chunk: Buffer) => {
      log += chunk.toString()
      if (log.includes("signer is up")) resolve()
    })
    child.once("exit", (code) => reject(new Error(`the signer ended with ${code}: ${log}`)))
  })
}
