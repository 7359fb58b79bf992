import type { DescMethod, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf"
import type { handleBidiStreamingCall, sendUnaryData, Server, ServerUnaryCall } from "@grpc/grpc-js"
import { status, type StatusObject } from "@grpc/grpc-js"
import { type MethodOf, serviceDefinition } from "./grpc-definition.ts"
import { type BidiStream, openBidiStream, type ServerCall } from "./grpc-stream.ts"

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
