import type { DescMessage, DescMethod, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf"
import {
  type ClientDuplexStream,
  type handleBidiStreamingCall,
  type MethodDefinition,
  type sendUnaryData,
  type Server,
  type ServerDuplexStream,
  type ServerUnaryCall,
  status,
  type StatusObject,
} from "@grpc/grpc-js"
import { type Codec, codecOf } from "./codec/codec.ts"

/**
 * One handler for each method of a service. Methods are unary or bidirectional streams. A missing handler does not
 * compile. `signal` aborts when the caller cancels or its deadline passes.
 *
 * Bytes in a request are views of the network buffer: copy bytes that outlive the call, and wipe secrets.
 */
export type Handlers<S extends DescService, Context> = {
  [K in keyof S["method"]]: S["method"][K] extends MethodOf<"unary", infer I, infer O>
    ? (request: MessageShape<I>, context: Context, signal: AbortSignal) => Promise<MessageInitShape<O>>
    : S["method"][K] extends MethodOf<"bidi_streaming", infer I, infer O>
      ? (
          stream: BidiStream<MessageShape<I>, MessageInitShape<O>>,
          context: Context,
          signal: AbortSignal,
        ) => void
      : never
}

/** Maps an error to the status that the caller gets. */
export type StatusOf = (error: unknown) => Pick<StatusObject, "code" | "details"> & Partial<StatusObject>

/** The default: every error becomes INTERNAL, without its text. */
const internalOnly: StatusOf = () => ({ code: status.INTERNAL, details: "internal error" })

/**
 * Serves a service. `contextOf` receives each call first (peer, metadata) and refuses it by throwing. `statusOf` maps
 * errors of `contextOf` and of the handlers.
 */
export function addService<S extends DescService, Context>(
  server: Server,
  service: S,
  handlers: Handlers<S, Context>,
  contextOf: (call: ServerCall, method: DescMethod) => Context,
  statusOf: StatusOf = internalOnly,
): void {
  const implementation = service.methods.map((method) => {
    const handler = handlers[method.localName as keyof S["method"]] as AnyHandler<Context>
    const serve =
      method.methodKind === "unary"
        ? serveUnary(handler, (call) => contextOf(call, method), statusOf)
        : serveBidi(handler, (call) => contextOf(call, method), statusOf)
    return [method.localName, serve] as const
  })
  server.addService(serviceDefinition(service), Object.fromEntries(implementation))
}

type AnyHandler<Context> = (input: object, context: Context, signal: AbortSignal) => unknown

function serveUnary<Context>(
  handler: AnyHandler<Context>,
  contextOf: (call: ServerCall) => Context,
  statusOf: StatusOf,
) {
  return (call: ServerUnaryCall<object, object>, reply: sendUnaryData<object>) => {
    const answer = async () => handler(call.request, contextOf(call), signalOf(call))
    answer().then(
      (response) => reply(null, response as object),
      (error: unknown) => reply(statusOf(error)),
    )
  }
}

function serveBidi<Context>(
  handler: AnyHandler<Context>,
  contextOf: (call: ServerCall) => Context,
  statusOf: StatusOf,
): handleBidiStreamingCall<object, object> {
  return (call) => {
    const refuse = (error: unknown) => void call.emit("error", statusOf(error))
    try {
      handler(openBidiStream(call, refuse), contextOf(call), signalOf(call))
    } catch (error) {
      refuse(error)
    }
  }
}

function signalOf(call: ServerCall): AbortSignal {
  const controller = new AbortController()
  call.on("cancelled", () => controller.abort())
  return controller.signal
}

export type MethodOf<Kind extends string, I extends DescMessage, O extends DescMessage> = {
  methodKind: Kind
  input: I
  output: O
}

export type AnyMethodDefinition = MethodDefinition<object, object>

/** The definition for grpc-js, by method name. It serializes and parses by the generated schemas. */
export function serviceDefinition(service: DescService): Record<string, AnyMethodDefinition> {
  return Object.fromEntries(service.methods.map((method) => [method.localName, methodDefinition(method)]))
}

function methodDefinition({ parent, name, methodKind, input, output }: DescMethod): AnyMethodDefinition {
  const request = codecFor(input)
  const response = codecFor(output)
  return {
    path: `/${parent.typeName}/${name}`,
    requestStream: methodKind === "bidi_streaming" || methodKind === "client_streaming",
    responseStream: methodKind === "bidi_streaming" || methodKind === "server_streaming",
    requestSerialize: request.encode,
    requestDeserialize: request.decode,
    responseSerialize: response.encode,
    responseDeserialize: response.decode,
  }
}

/** Codecs that take the place of protobuf-es's, by the name of their message. */
const quick = new Map<string, Codec>()

/**
 * Services that are opened or served from now on write and read the messages of these codecs by them. Only processes that send or
 * decide orders call this: codecs of orders load the whole contract.
 */
export function useCodecs(codecs: (whole: typeof codecOf) => ReadonlyMap<string, Codec>): void {
  for (const [typeName, codec] of codecs(codecOf)) quick.set(typeName, codec)
}

function codecFor(schema: DescMessage): Codec {
  return quick.get(schema.typeName) ?? codecOf(schema)
}

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
  cancel(): void
}

const BROKEN_OFF = "the stream was broken off"

type Duplex = ServerDuplexStream<object, object> | ClientDuplexStream<object, object>

/** A stream of grpc-js with its method's types. `refuse` receives errors of the message listener. */
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
