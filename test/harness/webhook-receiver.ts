import { verifyTurnkeyWebhookSignature } from "@turnkey/crypto"
import type { IncomingHttpHeaders } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import { freePort } from "./free-port.ts"
import type { TestAuthority } from "./certificates.ts"
import { patienceMs } from "./patience.ts"
import { type Json } from "./system.ts"
import { type WebServer, webServer } from "./web-server.ts"

/** One request as it came. */
export type Notification = { path: string; headers: IncomingHttpHeaders; raw: string; body: Json }

/** The end of a request: a status, a connection that is reset, or no answer. */
export type Behaviour = number | "reset" | "silence"

const PATIENCE_MS = patienceMs(60_000)

/** An HTTPS server that receives notifications, and behaves as a test says. */
export class WebhookReceiver {
  readonly port: number
  readonly received: Notification[] = []
  /** Called for each request. */
  behave: (notification: Notification) => Behaviour = () => 200
  readonly #certificate: Awaited<ReturnType<TestAuthority["issue"]>>
  #server: WebServer | undefined

  private constructor(port: number, certificate: Awaited<ReturnType<TestAuthority["issue"]>>) {
    this.port = port
    this.#certificate = certificate
  }

  static async open(authority: TestAuthority): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(await freePort(), await authority.issue("receiver"))
    await receiver.up()
    return receiver
  }

  url(path: string): string {
    return `https://localhost:${this.port}${path}`
  }

  async up(): Promise<void> {
    this.#server = await webServer(
      async (request, response) => {
        const parts: Buffer[] = []
        for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
        const raw = Buffer.concat(parts).toString()
        const { url: path = "", headers } = request
        const notification = { path, headers, raw, body: JSON.parse(raw) as Json }
        this.received.push(notification)
        const behaviour = this.behave(notification)
        if (behaviour === "reset") request.socket.destroy()
        else if (behaviour !== "silence")
          response.writeHead(behaviour, { location: this.url("/elsewhere") }).end("ok")
      },
      this.#certificate,
      this.port,
    )
  }

  async down(): Promise<void> {
    await this.#server?.close()
    this.#server = undefined
  }

  /** Notifications at a path, of one kind of activity or of all. */
  at(path: string, type?: string): Notification[] {
    return this.received.filter(
      (one) => one.path === path && (type === undefined || one.body["type"] === type),
    )
  }

  /** Polls until as many are there. */
  async until(isReached: () => boolean, explain = ""): Promise<void> {
    const giveUp = performance.now() + PATIENCE_MS
    while (!isReached()) {
      const seen = this.received.map(({ path, body }) => `${path} ${String(body["type"])}`)
      if (performance.now() > giveUp)
        throw new Error(`${explain}: not received; ${JSON.stringify(seen.slice(-20))}`)
      await pause(50)
    }
  }
}

/** Verifies a notification as published receivers do, with the served key set. */
export function verified(
  { headers, raw }: Notification,
  keySet: Json,
): ReturnType<typeof verifyTurnkeyWebhookSignature> {
  const keys = keySet["keys"] as { kid: string; x: string }[]
  const verificationKeys = keys.map(({ kid, x }) => ({
    keyId: kid,
    publicKey: Buffer.from(x, "base64url").toString("hex"),
  }))
  return verifyTurnkeyWebhookSignature({ headers, body: raw, verificationKeys, maxTimestampAgeMs: 300_000 })
}
