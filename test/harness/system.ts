import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import type { Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { credentials } from "@grpc/grpc-js"
import { OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { type Calls, clientFor } from "../../proto/grpc-client.ts"
import { apiKey, readSetupCode } from "./api-client.ts"
import { freePort } from "./free-port.ts"
import { patienceMs } from "./patience.ts"
import { newKey, stampBy, type Stamper, type TestKey } from "./stamper.ts"

export type Json = { [member: string]: unknown }
export type Reply = { status: number; headers: Headers; json: Json; text: string }
export type CreatedOrganization = { organizationId: string; root: TestKey; rootUserId: string }

const ROOT = join(import.meta.dirname, "..", "..")
const READY_PATIENCE_MS = patienceMs(120_000)
const POLL_MS = 25

/** A host of its own for one process: its folder, and settings and options of Node beside the usual ones. */
export type Host = { directory: string; environment: NodeJS.ProcessEnv; options: readonly string[] }
export type Hosts = { signer: Host; api: Host }

/** Signer and API as separate processes on the test's database. Either may be killed and restarted. */
export class System {
  readonly directory = mkdtempSync(join(tmpdir(), "cs-system-"))
  readonly url: string
  readonly #port: number
  readonly databaseUrl: string
  readonly #environment: NodeJS.ProcessEnv
  /** Issuers that the fetcher may ask; undefined: there is no fetcher. */
  readonly #issuers: readonly string[] | undefined
  readonly #hosts: Partial<Hosts>
  #fetcherSettings: NodeJS.ProcessEnv = {}
  #signerSettings: NodeJS.ProcessEnv = {}
  #fetcherPublicKey: string | undefined
  #signer: ChildProcess | undefined
  #fetcher: ChildProcess | undefined
  #api: ChildProcess | undefined
  #isUnref = false

  private constructor(
    databaseUrl: string,
    environment: NodeJS.ProcessEnv,
    port: number,
    issuers?: readonly string[],
    hosts: Partial<Hosts> = {},
  ) {
    this.databaseUrl = databaseUrl
    this.#environment = environment
    this.#port = port
    this.#issuers = issuers
    this.#hosts = hosts
    this.url = `http://127.0.0.1:${port}`
  }

  /** `environment`: settings of the API, `signerSettings`: of the signer, beside the usual ones. */
  static async start(
    databaseUrl: string,
    environment: NodeJS.ProcessEnv = {},
    signerSettings: NodeJS.ProcessEnv = {},
  ): Promise<System> {
    const system = new System(databaseUrl, environment, await freePort())
    system.#signerSettings = signerSettings
    await system.#orStop(async () => {
      await system.startSigner()
      await system.startApi()
    })
    return system
  }

  /** As `start`, each process in the folder and with the settings of its own host. */
  static async startOn(databaseUrl: string, hosts: Hosts, { until = "/readyz" } = {}): Promise<System> {
    const system = new System(databaseUrl, {}, await freePort(), undefined, hosts)
    await system.#orStop(async () => {
      await system.startSigner()
      await system.startApi({ until })
    })
    return system
  }

  /** As `start`, with a paired fetcher that may query these issuers, also on this host. */
  static async startWithFetcher(
    databaseUrl: string,
    issuers: readonly string[],
    fetcherSettings: NodeJS.ProcessEnv = {},
    signerSettings: NodeJS.ProcessEnv = {},
  ): Promise<System> {
    const system = new System(databaseUrl, {}, await freePort(), issuers)
    system.#fetcherSettings = fetcherSettings
    system.#signerSettings = signerSettings
    await system.#orStop(async () => {
      await system.startSigner()
      await system.startFetcher()
      await system.startApi()
    })
    return system
  }

  /** A start that fails leaves no process, which would keep its whole group of tests. */
  async #orStop(start: () => Promise<void>): Promise<void> {
    try {
      await start()
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  /** Creates the deployment if there is none yet, unless `init` is false. */
  async startSigner({ init = true } = {}): Promise<void> {
    const ups = () => this.logOf("signer").split("signer is up").length
    const pairing = {
      ...this.#signerSettings,
      ...(this.#issuers && { COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY: this.fetcherPublicKey() }),
    }
    const seed = join(this.#hosts.signer?.directory ?? this.directory, "signer", "root-seed")
    const words = existsSync(seed) || !init ? [] : ["--init"]
    const signer = await this.#spawn("signer", "signer/enclave/main.ts", pairing, words)
    const before = ups()
    this.#signer = signer
    await this.#until(signer, "signer", () => ups() > before)
    if (this.#isUnref) this.unref()
  }

  /** Creates the fetcher's seed if there is none yet. */
  fetcherPublicKey(): string {
    return (this.#fetcherPublicKey ??= this.#createFetcher())
  }

  #createFetcher(): string {
    const environment = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: this.directory }
    const isNew = !existsSync(join(this.directory, "fetcher", "seed"))
    const words = ["signer/fetcher/main.ts", isNew ? "init" : "public-key"]
    return execFileSync(process.execPath, words, { env: environment, stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim()
  }

  async startFetcher(): Promise<void> {
    const { pins } = await this.#operate((call) => call.getStatus({}))
    const ups = () => this.logOf("fetcher").split("fetcher is up").length
    const fetcher = await this.#spawn(
      "fetcher",
      "signer/fetcher/main.ts",
      {
        COUNTERSIGN_FETCHER_NOTARIZER_PUBLIC_KEY: pins?.notarizerPublicKey,
        COUNTERSIGN_FETCHER_LOCAL_ISSUERS: this.#issuers?.join(","),
        ...this.#fetcherSettings,
      },
      ["serve"],
    )
    const before = ups()
    this.#fetcher = fetcher
    await this.#until(fetcher, "fetcher", () => ups() > before)
    if (this.#isUnref) this.unref()
  }

  /** @param until page that answers 200 once the API has started */
  async startApi({ until = "/readyz" } = {}): Promise<void> {
    this.#api = await this.#spawn("api", "services/api/main.ts", {
      COUNTERSIGN_API_STOP_GRACE_SECONDS: "0",
      ...this.#environment,
      DATABASE_URL: this.databaseUrl,
      COUNTERSIGN_API_LISTEN: `127.0.0.1:${this.#port}`,
    })
    let answer = ""
    await this.#until(this.#api, "api", async () => {
      const response = await fetch(this.url + until)
      answer = await response.text()
      return response.ok
    }).catch((error: unknown) => {
      throw new Error(`${until} answers ${answer}`, { cause: error })
    })
    if (this.#isUnref) this.unref()
  }

  /** Process id of the API. */
  get apiPid(): number {
    if (this.#api?.pid === undefined) throw new Error("the API does not run")
    return this.#api.pid
  }

  /** Sends SIGTERM to a process. Resolves with its exit status once it has ended; of one that a signal killed, null. */
  terminate(name: "api" | "signer"): Promise<number | null> {
    const child = name === "api" ? this.#api : this.#signer
    if (child === undefined) throw new Error(`the ${name} runs`)
    child.kill("SIGTERM")
    return once(child, "exit").then(([status]) => status as number | null)
  }

  /** kill -9. */
  async killSigner(): Promise<void> {
    await end(this.#signer, "SIGKILL")
  }

  async killFetcher(): Promise<void> {
    await end(this.#fetcher, "SIGKILL")
  }

  async killApi(): Promise<void> {
    await end(this.#api, "SIGKILL")
  }

  /** Lets this process end while those of the system run, also those that a test starts again. They end with it. */
  unref(): void {
    this.#isUnref = true
    for (const child of [this.#signer, this.#fetcher, this.#api]) {
      child?.unref()
      ;(child?.stdin as Socket | undefined)?.unref()
    }
  }

  async stop(): Promise<void> {
    await end(this.#api, "SIGTERM")
    await end(this.#fetcher, "SIGTERM")
    await end(this.#signer, "SIGTERM")
    rmSync(this.directory, { recursive: true, force: true })
  }

  logOf(name: "signer" | "fetcher" | "api"): string {
    return readFileSync(join(this.directory, `${name}.log`), "utf8")
  }

  /** Sends a request to the public API as given. */
  async send(path: string, init: RequestInit): Promise<Reply> {
    const reply = await fetch(`${this.url}${path}`, init)
    const text = await reply.text()
    const isJson = reply.headers.get("content-type") === "application/json"
    return { status: reply.status, headers: reply.headers, text, json: isJson ? JSON.parse(text) : {} }
  }

  /** A stamped body to `/public/v1/<path>`. */
  post(path: string, body: string, stamper: Stamper, headers: Record<string, string> = {}): Promise<Reply> {
    const { xStamp, xStampWebauthn, xStampAttested } = stampBy(stamper, body)
    const stamped = {
      ...(xStamp && { "x-stamp": xStamp }),
      ...(xStampWebauthn && { "x-stamp-webauthn": xStampWebauthn }),
      ...(xStampAttested && { "x-stamp-attested": xStampAttested }),
      ...headers,
    }
    return this.send(`/public/v1/${path}`, { method: "POST", body, headers: stamped })
  }

  query(path: string, parameters: object, key: Stamper): Promise<Reply> {
    return this.post(`query/${path}`, JSON.stringify(parameters), key)
  }

  body(type: string, organizationId: string, parameters: object, timestampMs = Date.now()): string {
    return JSON.stringify({
      type: `ACTIVITY_TYPE_${type}`,
      timestampMs: String(timestampMs),
      organizationId,
      parameters,
    })
  }

  /** Submits and expects the activity to be accepted; returns it. */
  async submit(path: string, body: string, key: Stamper): Promise<Json> {
    const { status, json, text } = await this.post(`submit/${path}`, body, key)
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
    return json["activity"] as Json
  }

  /** Address of the account that pays for sponsored sends. */
  async paymaster(): Promise<string> {
    return (await this.#operate((call) => call.getStatus({}))).paymaster
  }

  async setupCode(publicKey: string): Promise<string> {
    const { setupCode } = await this.#operate((call) => call.createSetupCode({ publicKey }))
    return setupCode
  }

  async #operate<Reply>(ask: (call: Calls<typeof OperatorService>) => Promise<Reply>): Promise<Reply> {
    const { call, close } = clientFor(OperatorService, {
      address: `unix:${join(this.#hosts.signer?.directory ?? this.directory, "operator", "operator.sock")}`,
      credentials: credentials.createInsecure(),
      deadlineMs: patienceMs(30_000),
    })
    try {
      return await ask(call)
    } finally {
      close()
    }
  }

  /** A new organization with one root user. */
  async createOrganization(organizationName = "Acme", root = newKey()): Promise<CreatedOrganization> {
    const setupCode = await this.setupCode(root.publicKeyHex)
    const { organizationId } = readSetupCode(setupCode)
    const rootUser = { userName: "root", apiKeys: [apiKey(root)] }
    const body = this.body("CREATE_ORGANIZATION", organizationId, { setupCode, organizationName, rootUser })
    const { result } = await this.submit("create_organization", body, root)
    const { userId } = (result as { createOrganizationResult: { userId: string } }).createOrganizationResult
    return { organizationId, root, rootUserId: userId }
  }

  async #spawn(
    name: "signer" | "fetcher" | "api",
    file: string,
    environment: NodeJS.ProcessEnv,
    words: readonly string[] = [],
  ): Promise<ChildProcess> {
    const host = name === "fetcher" ? undefined : this.#hosts[name]
    const log = await open(join(this.directory, `${name}.log`), "a", 0o600)
    const child = spawn(process.execPath, [...(host?.options ?? []), join(ROOT, file), ...words], {
      cwd: host?.directory,
      env: {
        PATH: process.env["PATH"],
        COUNTERSIGN_DATA_DIR: host?.directory ?? this.directory,
        COUNTERSIGN_EXIT_WITH_PARENT: "1",
        ...environment,
        ...host?.environment,
      },
      stdio: ["pipe", log.fd, log.fd],
    })
    await log.close()
    return child
  }

  async #until(
    child: ChildProcess,
    name: "signer" | "fetcher" | "api",
    isUp: () => boolean | Promise<boolean>,
  ) {
    const giveUp = performance.now() + READY_PATIENCE_MS
    const isGone = () => child.exitCode !== null || child.signalCode !== null
    for (;;) {
      if (await Promise.resolve(isUp()).catch(() => false)) return
      if (isGone() || performance.now() > giveUp)
        throw new Error(`${name} did not start:\n${this.logOf(name)}`)
      await pause(POLL_MS)
    }
  }
}

/** Private key in the form of the published clients. */
export function privateKeyHex({ privateKey }: TestKey): string {
  return Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url").toString("hex")
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, "exit")
  // Nothing else may keep this process until then.
  child.ref()
  child.kill(signal)
  await gone
}
