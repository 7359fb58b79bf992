import { type ClientDuplexStream, type ServerDuplexStream, type ServerUnaryCall, status } from "@grpc/grpc-js"

/** A call as a server sees it: peer, metadata, deadline, certificate. */
export type ServerCall = ServerUnaryCall<object, object> | ServerDuplexStream<object, object>

/**
 * One side of a stream in both directions. Callbacks instead of an async iterator: it carries every request,
 * and an iterator would add turns of the loop to each.
 *
 * Bytes in received messages are views of the network buffer: copy what outlives the callback.
 */
export type BidiStream<In, Out> = {
  /**
   * Called with each message, in order, until the stream breaks. Set it at once: messages flow from then on.
   * An error that it throws on a server breaks the stream, and the caller is told what he may know of it.
   */
  onMessage(listener: (message: In) => void): void
  /** Called once: without error when the other side has ended, else with what broke the stream. */
  onEnd(listener: (error: Error | undefined) => void): void
  /** False when messages pile up or the stream is broken: then wait for `drained`. Never throws. */
  send(message: Out): boolean
  /** Settles when there is room again, or the stream is over. */
  drained(): Promise<void>
  /** Nothing more will be sent; what was sent is still delivered. */
  end(): void
  /** Breaks the stream off in both directions. */
  cancel(): void
}

const BROKEN_OFF = "the stream was broken off"

type Duplex = ServerDuplexStream<object, object> | ClientDuplexStream<object, object>

/**
 * The typed face of grpc-js's stream; the types are those of the method it was opened for. `refuse` gets what
 * the listener of messages throws.
 */
export function openBidiStream<In extends object, Out extends object>(
  call: Duplex,
  refuse: (error: unknown) => void = rethrow,
): BidiStream<In, Out> {
  let isOver = false
  let isBroken = false
  const listeners: ((error: Error | undefined) => void)[] = []
  const finish = (error?: Error) => {
    if (error !== undefined) isBroken = true // an end alone leaves our direction open
    if (isOver) return
    isOver = true
    for (const listener of listeners) listener(error)
  }
  call.on("end", () => finish())
  call.on("error", finish)
  call.on("cancelled", () => finish(new Error(BROKEN_OFF)))
  return {
    onMessage: (listener) =>
      void call.on("data", (message: In) => {
        if (isBroken) return
        try {
          listener(message)
        } catch (error) {
          refuse(error)
        }
      }),
    onEnd: (listener) => void listeners.push(listener),
    send: (message) => !isBroken && call.write(message),
    drained: () => (isBroken || !call.writableNeedDrain ? Promise.resolve() : waitForRoom(call)),
    end: () => void call.end(),
    cancel: () => {
      if ("cancel" in call) return call.cancel()
      const error = Object.assign(new Error(BROKEN_OFF), { code: status.UNAVAILABLE, details: BROKEN_OFF })
      call.emit("error", error)
    },
  }
}

function rethrow(error: unknown): never {
  throw error
}

function waitForRoom(call: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ["drain", "close", "error", "cancelled"]) call.off(event, done)
      resolve()
    }
    for (const event of ["drain", "close", "error", "cancelled"]) call.on(event, done)
  })
}
