import type { Socket } from "node:net"
import type { DescService } from "@bufbuild/protobuf"
import { ChannelCredentials } from "@grpc/grpc-js"
import { type Calls, type ClientOptions, clientFor, type RpcClient } from "../../../proto/grpc-client.ts"

/** A connection that is not open after this time is given up: TCP, TLS handshake and HTTP/2 settings together. */
const OPEN_MS = 3000

/** Time from a renewal until the former connection takes no more calls. By then the new one is open, or given up after OPEN_MS. */
const RETIRE_MS = 4000

/**
 * As `clientFor`, but a peer that accepts a connection and never answers cannot stop the calls for good. grpc-js waits
 * for such a handshake without limit. Here the channel is closed after OPEN_MS, its waiting calls fail as UNAVAILABLE,
 * and the next call opens a new one.
 *
 * `renew` ends the connection once its calls have ended; later calls open another.
 */
export function renewedClient<S extends DescService>(
  service: S,
  options: ClientOptions,
): Pick<RpcClient<S>, "call" | "close"> & { renew: () => void } {
  let current: OpenClient<S> | undefined
  let isClosed = false
  /** The client, with a watch on the opening of its channel unless it is open or watched already. */
  const openClient = () => {
    const client = (current ??= openOnce(service, options))
    if (client.isWatched || client.isOpen()) return client
    client.isWatched = true
    void watch(client, () => {
      if (current === client) current = undefined
    })
    return client
  }
  const call = service.methods.map(({ localName }) => {
    const name = localName as keyof Calls<S>
    const run = (...parameters: never[]) => {
      if (isClosed) throw new Error("the connection was closed")
      return (openClient().call[name] as (...given: never[]) => unknown)(...parameters)
    }
    return [name, run] as const
  })
  return {
    renew: () => {
      const former = current
      current = undefined
      // grpc-js fails calls that it has not put on the connection yet when the channel is closed.
      setTimeout(() => former?.retire(), RETIRE_MS).unref()
    },
    call: Object.fromEntries(call) as Calls<S>,
    close: () => {
      isClosed = true
      current?.close()
    },
  }
}

/** Closes a client that is not open in time. */
async function watch<S extends DescService>(client: OpenClient<S>, giveUp: () => void): Promise<void> {
  try {
    await client.ready(OPEN_MS)
    client.isWatched = false
  } catch {
    giveUp()
    client.close()
  }
}

type OpenClient<S extends DescService> = RpcClient<S> & {
  isWatched: boolean
  /** Closes the connection once its calls have ended. */
  retire(): void
}

/** A client with a channel of its own, whose `close` also ends connections that are being opened. */
function openOnce<S extends DescService>(service: S, options: ClientOptions): OpenClient<S> {
  const credentials = new TrackingCredentials(options.credentials)
  const channel = { ...options.channel, "grpc.use_local_subchannel_pool": 1 }
  const client = clientFor(service, { ...options, credentials, channel })
  const close = () => {
    client.close()
    credentials.endHandshakes()
  }
  return { ...client, isWatched: false, retire: () => client.close(), close }
}

// These method names are those of grpc-js.
/* oxlint-disable no-underscore-dangle */
/** Credentials that know the sockets of their handshakes: grpc-js leaves those open when a channel is closed. */
class TrackingCredentials extends ChannelCredentials {
  readonly #inner: ChannelCredentials
  readonly #sockets = new Set<Socket>()

  constructor(inner: ChannelCredentials) {
    super()
    this.#inner = inner
  }

  endHandshakes(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  _isSecure(): boolean {
    return this.#inner._isSecure()
  }

  _equals(other: ChannelCredentials): boolean {
    return other === this
  }

  _createSecureConnector(...parameters: Parameters<ChannelCredentials["_createSecureConnector"]>) {
    const connector = this.#inner._createSecureConnector(...parameters)
    return {
      connect: (socket: Socket) => {
        this.#sockets.add(socket)
        socket.once("close", () => this.#sockets.delete(socket))
        return connector.connect(socket)
      },
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
    }
  }
}
