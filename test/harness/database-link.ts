import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

/** State of a connection: bytes pass, none passes and it stays open, or it is closed without a word. */
type Manner = "pass" | "silent" | "hang up"

/** The two ends of one connection, and the bytes of its first message. */
type Pair = { near: Socket; far: Socket | undefined; greeting: string }

/** A TCP port before a PostgreSQL server, by TCP or by unix socket, at which a test disturbs connections. */
export class DatabaseLink {
  /** Connections that came, also those that have ended. */
  accepted = 0
  readonly #server: Server
  readonly #target: URL
  readonly #pairs = new Set<Pair>()
  #mannerOf: (greeting: string) => Manner = () => "pass"

  private constructor(target: URL) {
    this.#target = target
    // A silent peer does not close its end either.
    this.#server = createServer({ allowHalfOpen: true }, (near) => this.#accept(near))
  }

  /** Closes itself when the test ends. @param url of the server, for DATABASE_URL */
  static async open(t: { teardown(clean: () => unknown): unknown }, url: string): Promise<DatabaseLink> {
    const link = new DatabaseLink(new URL(url))
    await once(link.#server.listen(0, "127.0.0.1"), "listening")
    t.teardown(() => link.#close())
    return link
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** The server's URL by way of this port. */
  get url(): string {
    const through = new URL(this.#target)
    through.hostname = "127.0.0.1"
    through.port = String(this.port)
    return through.href
  }

  /** Connections that are open. */
  get open(): number {
    return this.#pairs.size
  }

  /** Resets every connection, also in the midst of a message. */
  cut(): void {
    for (const { near } of this.#pairs) near.resetAndDestroy()
  }

  /** From now on no byte passes, on connections that are open too. @param names of applications; default: all */
  silence(...names: string[]): void {
    const isSilent = (greeting: string) => names.length === 0 || names.some((name) => greeting.includes(name))
    this.#mannerOf = (greeting) => (isSilent(greeting) ? "silent" : "pass")
    for (const pair of this.#pairs) if (isSilent(pair.greeting)) hush(pair)
  }

  /** New connections are closed without a word. */
  hangUp(): void {
    this.#mannerOf = () => "hang up"
  }

  /** New connections pass again. Connections that were silenced stay silent. */
  restore(): void {
    this.#mannerOf = () => "pass"
  }

  #accept(near: Socket): void {
    this.accepted += 1
    const pair: Pair = { near, far: undefined, greeting: "" }
    this.#pairs.add(pair)
    near.on("error", () => undefined)
    near.once("close", () => {
      this.#pairs.delete(pair)
      pair.far?.destroy()
    })
    near.once("data", (first) => {
      pair.greeting = first.toString("latin1")
      const manner = this.#mannerOf(pair.greeting)
      if (manner === "silent") return void near.resume()
      if (manner === "hang up") return void near.end(() => near.destroy())
      this.#relay(pair, first)
    })
  }

  #relay(pair: Pair, first: Buffer): void {
    const { hostname, port } = this.#target
    const host = decodeURIComponent(hostname)
    const far = host.startsWith("/")
      ? connect(`${host}/.s.PGSQL.${port || 5432}`)
      : connect(Number(port || 5432), host)
    pair.far = far
    far.on("error", () => pair.near.destroy())
    far.once("close", () => pair.near.destroy())
    far.write(first)
    pair.near.pipe(far).pipe(pair.near)
  }

  async #close(): Promise<void> {
    for (const { near } of this.#pairs) near.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Bytes of a silent connection are read, so that its close is seen, and go nowhere. */
function hush({ near, far }: Pair): void {
  near.unpipe().resume()
  far?.unpipe().resume()
  far?.removeAllListeners("close")
}
