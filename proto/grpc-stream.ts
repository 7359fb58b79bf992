import { type ClientDuplexStream, type ServerDuplexStream, type ServerUnaryCall, status } from "@grpc/grpc-js"

/** A call as the server sees it: peer, metadata, deadline, certificate. */
export type ServerCall = ServerUnaryCall<object, object> | ServerDuplexStream<object, object>

/**
 * One side of a bidirectional stream. Every request uses one. It has callbacks, because an async iterator would add turns
 * of the event loop to each message.
 *
 * Bytes in received messages are views of the network buffer: copy what outlives the callback.
 */
export type BidiStream<In, Out> = {
  /**
   * Called with each message, in order, until the stream breaks. Set it at once: messages flow from then on.
   * On a server an error of the listener breaks the stream; the caller receives the status it maps to.
   */
  onMessage(listener: (message: In) => void): void
  /** Called once: without error when the other side has ended, else with the error that broke the stream. */
  onEnd(listener: (error: Error | undefined) => void): void
  /** False when the send buffer is full or the stream is broken: then wait for `drained`. Never throws. */
  send(message: Out): boolean
  /** Resolves when more can be sent, or the stream has ended. */
  drained(): Promise<void>
  /** Ends this side of the stream. Messages that were sent are still delivered. */
  end(): void
  /** Breaks the stream off in both directions. */
  cancel(): void
}

const BROKEN_OFF = "the stream was broken off"

type Duplex = ServerDuplexStream<object, object> | ClientDuplexStream<object, object>

/**
 * Wraps a stream of grpc-js with the types of its method. `refuse` receives the errors that the listener of messages
 * throws.
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
