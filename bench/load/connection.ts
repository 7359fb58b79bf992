import { connect, type Socket } from "node:net"

const HEAD_END = Buffer.from("\r\n\r\n")
const OK = Buffer.from("HTTP/1.1 200 ")
const LENGTH = /\r\ncontent-length: *(\d+)/i
const COMPLETED = Buffer.from("ACTIVITY_STATUS_COMPLETED")
const LARGEST_READ = 65_536

/**
 * One keep-alive connection that has at most one request under way. Plain sockets without streams, because on a machine
 * with two cores a full HTTP client would take a fifth of the CPU that is to be measured; it reads just what the
 * service sends: replies with a Content-Length.
 */
export class Connection {
  readonly #socket: Socket
  readonly #onReply: () => void
  readonly #onFault: (fault: Error) => void
  /** Bytes received of an incomplete reply. */
  #received: Buffer | undefined
  #isClosing = false

  constructor(host: string, port: number, onReply: () => void, onFault: (fault: Error) => void) {
    this.#onReply = onReply
    this.#onFault = onFault
    const onread = {
      buffer: shared,
      callback: (length: number) => {
        this.#read(shared.subarray(0, length))
        return true
      },
    }
    this.#socket = connect({ host, port, noDelay: true, onread })
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

  /** `chunk` is of the shared buffer: what is kept of it is copied. */
  #read(chunk: Buffer): void {
    const reply = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    const headEnd = reply.indexOf(HEAD_END)
    const length = headEnd < 0 ? undefined : LENGTH.exec(reply.toString("latin1", 0, headEnd))?.[1]
    if (headEnd >= 0 && length === undefined) return this.#fault("a reply without Content-Length", reply)
    if (length === undefined || reply.length < headEnd + HEAD_END.length + Number(length)) {
      this.#received = Buffer.from(reply)
      return
    }
    this.#received = undefined
    const isSigned = reply.compare(OK, 0, OK.length, 0, OK.length) === 0 && reply.includes(COMPLETED, headEnd)
    if (isSigned) this.#onReply()
    else this.#fault("no signature", reply)
  }

  #fault(what: string, reply: Buffer): void {
    this.#onFault(new Error(`${what}: ${reply.toString()}`))
  }
}

/** All connections read into it: what came is looked at before anything else is read. */
const shared = Buffer.alloc(LARGEST_READ)
