import { once } from "node:events"
import { connect, createServer, type Server, type Socket } from "node:net"

/** A network link that a test can silence: connections stay open and are accepted, and no byte passes. */
export class SilentLink {
  readonly #server: Server
  readonly #target: number
  readonly #pairs = new Set<[Socket, Socket]>()
  readonly #accepted = new Set<Socket>()
  #isSilent: boolean

  private constructor(target: number, isSilent: boolean) {
    this.#target = target
    this.#isSilent = isSilent
    this.#server = createServer((socket) => this.#accept(socket))
  }

  /** @param target port on this host */
  static async open(target: number, { silent }: { silent: boolean }): Promise<SilentLink> {
    const link = new SilentLink(target, silent)
    link.#server.listen(0, "localhost")
    await once(link.#server, "listening")
    return link
  }

  get address(): string {
    const address = this.#server.address()
    if (address === null || typeof address === "string") throw new Error("no port")
    return `localhost:${address.port}`
  }

  /** Connections that were accepted and are still open. */
  get connections(): number {
    return this.#accepted.size
  }

  /** Callers' ports of these connections. */
  get ports(): number[] {
    return [...this.#accepted].map(({ remotePort = 0 }) => remotePort)
  }

  /** Silences the link, with the connections that are open. */
  silence(): void {
    this.#isSilent = true
    for (const [near, far] of this.#pairs) {
      near.unpipe(far).pause()
      far.unpipe(near).pause()
    }
  }

  /** New connections pass again. Connections that were open stay silent. */
  restore(): void {
    this.#isSilent = false
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#accepted) socket.destroy()
    for (const [, far] of this.#pairs) far.destroy()
  }

  #accept(near: Socket): void {
    this.#accepted.add(near)
    near.on("error", () => undefined)
    near.once("close", () => this.#accepted.delete(near))
    // Reading shows a close of the other side; nothing is answered.
    if (this.#isSilent) return void near.resume()
    const far = connect(this.#target, "localhost")
    far.on("error", () => near.destroy())
    near.once("close", () => far.destroy())
    far.once("close", () => near.destroy())
    this.#pairs.add([near, far])
    near.pipe(far).pipe(near)
  }
}
