import { connect, type Socket } from "node:net"

const HEAD_END = Buffer.from("\r\n\r\n")
const COMPLETED = "ACTIVITY_STATUS_COMPLETED"

/**
 * One keep-alive connection that has at most one request under way. Plain sockets, because on a machine with
 * two cores a full HTTP client would take a fifth of the CPU that is to be measured; it reads just what the
 * service sends: replies with a Content-Length.
 */
export class Connection {
  readonly #socket: Socket
  readonly #onReply: () => void
  readonly #onFault: (fault: Error) => void
  #received: Buffer = Buffer.alloc(0)
  #isClosing = false

  constructor(host: string, port: number, onReply: () => void, onFault: (fault: Error) => void) {
    this.#onReply = onReply
    this.#onFault = onFault
    this.#socket = connect({ host, port, noDelay: true })
    this.#socket.on("data", (chunk) => this.#read(chunk))
    this.#socket.on("error", onFault)
    this.#socket.on("close", () => {
      if (!this.#isClosing) onFault(new Error("the service closed a connection"))
    })
  }

  send(request: Buffer): void {
    this.#socket.write(request)
  }

  close(): void {
    this.#isClosing = true
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const headEnd = this.#received.indexOf(HEAD_END)
    if (headEnd < 0) return
    const head = this.#received.toString("latin1", 0, headEnd)
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length === undefined) return this.#onFault(new Error(`a reply without Content-Length: ${head}`))
    const end = headEnd + HEAD_END.length + Number(length)
    if (this.#received.length < end) return
    const reply = this.#received
    this.#received = Buffer.alloc(0)
    if (head.startsWith("HTTP/1.1 200 ") && reply.includes(COMPLETED, headEnd)) this.#onReply()
    else this.#onFault(new Error(`no signature: ${reply.toString()}`))
  }
}
