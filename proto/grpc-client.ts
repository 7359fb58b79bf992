import type { DescMessage, DescMethod, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf"
import {
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  connectivityState,
  Metadata,
} from "@grpc/grpc-js"
import { type BidiStream, type MethodOf, openBidiStream, serviceDefinition } from "./grpc.ts"

/** The connection to a service. */
export type ClientOptions = {
  /** `unix:/run/signer.sock`, `signer.internal:7443`: names, not IP addresses, so that certificates can be checked. */
  address: string
  credentials: ChannelCredentials
  /** Deadline of every unary call without a deadline of its own. */
  deadlineMs: number
  channel?: ChannelOptions
}

/**
 * Methods of a service, ready to be called. Unary ones reject with grpc-js's ServiceError (code, details);
 * streams have no deadline. Bytes in replies are views of the network buffer: copy what is kept.
 */
export type Calls<S extends DescService> = {
  [K in keyof S["method"]]: S["method"][K] extends MethodOf<"unary", infer I, infer O>
    ? (
        request: MessageInitShape<I>,
        options?: { deadlineMs?: number; signal?: AbortSignal },
      ) => Promise<MessageShape<O>>
    : S["method"][K] extends MethodOf<"bidi_streaming", infer I, infer O>
      ? () => BidiStream<MessageShape<O>, MessageInitShape<I>>
      : never
}

export type RpcClient<S extends DescService> = {
  call: Calls<S>
  isOpen: () => boolean
  /** Resolves when the connection is open; rejects if it is not open within the time. */
  ready: (deadlineMs: number) => Promise<void>
  close: () => void
}

export function clientFor<S extends DescService>(service: S, options: ClientOptions): RpcClient<S> {
  const client = new Client(options.address, options.credentials, options.channel ?? {})
  const definitions = serviceDefinition(service)
  const calls = service.methods.map((method) => {
    const open = method.methodKind === "unary" ? unaryCall : streamOpener
    return [method.localName, open(client, method, definitions, options.deadlineMs)] as const
  })
  return {
    call: Object.fromEntries(calls) as Calls<S>,
    isOpen: () => client.getChannel().getConnectivityState(false) === connectivityState.READY,
    ready: (deadlineMs) =>
      new Promise((resolve, reject) => {
        client.waitForReady(Date.now() + deadlineMs, (error) => (error ? reject(error) : resolve()))
      }),
    close: () => client.close(),
  }
}

type Definitions = ReturnType<typeof serviceDefinition>
type Message = MessageShape<DescMessage>

function unaryCall(
  client: Client,
  { localName }: DescMethod,
  definitions: Definitions,
  usualDeadlineMs: number,
) {
  const { path, requestSerialize, responseDeserialize } = requireDefinition(definitions, localName)
  return (request: object, options: { deadlineMs?: number; signal?: AbortSignal } = {}): Promise<Message> =>
    new Promise((resolve, reject) => {
      const { signal, deadlineMs = usualDeadlineMs } = options
      const cancel = () => call.cancel()
      const call = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new Metadata(),
        { deadline: Date.now() + deadlineMs },
        (error, response) => {
          signal?.removeEventListener("abort", cancel)
          if (error !== null) reject(error)
          else resolve(response as Message)
        },
      )
      if (signal?.aborted) cancel()
      else signal?.addEventListener("abort", cancel)
    })
}

function streamOpener(client: Client, { localName }: DescMethod, definitions: Definitions) {
  const { path, requestSerialize, responseDeserialize } = requireDefinition(definitions, localName)
  return () => openBidiStream(client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize))
}

function requireDefinition(definitions: Definitions, name: string): Definitions[string] {
  const definition = definitions[name]
  if (definition === undefined) throw new TypeError(`no method ${name}`)
  return definition
}
