import { connect, type Socket } from "node:net"

const HEAD_END = Buffer.from("\r\n\r\n")
const LENGTH = /\r\ncontent-length: *(\d+)/i
const STATUS = { start: "HTTP/1.1 ".length, end: "HTTP/1.1 200".length }
const LARGEST_READ = 65_536

const CLOSE = /\r\nconnection: *close\r\n/i

/**
 * A whole reply; `bytes` hold its head and body. They are valid until the callback returns. `isLast`: the service reads no
 * further request on the connection.
 */
export type LoadReply = { status: number; bytes: Buffer; isLast: boolean }

/**
 * One keep-alive connection that has at most one request under way. Plain sockets without streams: on a machine with two cores
 * a full HTTP client would take a fifth of the CPU that is to be measured. Only replies with a Content-Length are read, as the
 * service sends them.
 */
export class Connection {
  readonly #socket: Socket
  readonly #onReply: (reply: LoadReply) => void
  readonly #onFault: (fault: Error) => void
  /** Bytes received of an incomplete reply. */
  #received: Buffer | undefined
  #isClosing = false

  constructor(
    { host, port }: { host: string; port: number },
    onReply: (reply: LoadReply) => void,
    onFault: (fault: Error) => void,
  ) {
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
    this.#socket.on("error", (fault) => this.#end(fault))
    this.#socket.on("close", () => this.#end(new Error("the service closed a connection")))
  }

  send(request: Buffer): void {
    this.#socket.write(request)
  }

  close(): void {
    this.#isClosing = true
    this.#socket.destroy()
  }

  /** `chunk` is of the shared buffer: the kept part is copied. */
  #read(chunk: Buffer): void {
    const reply = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    const headEnd = reply.indexOf(HEAD_END)
    const length = headEnd < 0 ? undefined : LENGTH.exec(reply.toString("latin1", 0, headEnd))?.[1]
    if (headEnd >= 0 && length === undefined)
      return this.#end(new Error(`a reply without Content-Length: ${reply.toString()}`))
    if (length === undefined || reply.length < headEnd + HEAD_END.length + Number(length)) {
      this.#received = Buffer.from(reply)
      return
    }
    this.#received = undefined
    const status = Number(reply.toString("latin1", STATUS.start, STATUS.end))
    const isLast = CLOSE.test(reply.toString("latin1", 0, headEnd + HEAD_END.length))
    this.#onReply({ status, bytes: reply, isLast })
  }

  /** Reports the first fault of a connection that is in use. */
  #end(fault: Error): void {
    if (this.#isClosing) return
    this.close()
    this.#onFault(fault)
  }
}

/** All connections read into it: each read is handled before the next. */
const shared = Buffer.alloc(LARGEST_READ)
