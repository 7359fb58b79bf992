import type { DescMethod, DescService } from "@bufbuild/protobuf"
import { type Server, status } from "@grpc/grpc-js"
import { addService, type ServerCall } from "../../proto/grpc.ts"
import { logRefusedCaller } from "./refused-callers.ts"
import { statusOf } from "./transport.ts"

/**
 * Refuses every call of a service that is served on another socket, and logs the caller. They get the status of a service that is unknown.
 * @param requireKnown throws for callers that are refused anyway
 */
export function refuseService(
  server: Server,
  service: DescService,
  requireKnown: (call: ServerCall) => void,
): void {
  const handlers = Object.fromEntries(service.methods.map(({ localName }) => [localName, never]))
  const contextOf = (call: ServerCall, { name }: DescMethod) => {
    requireKnown(call)
    logRefusedCaller({
      name: undefined,
      address: call.getPeer(),
      reason: `it called ${service.typeName}.${name}, which is not served here`,
    })
    throw new WrongService()
  }
  addService(server, service, handlers as never, contextOf, (error) =>
    error instanceof WrongService ? { code: status.UNIMPLEMENTED, details: error.message } : statusOf(error),
  )
}

class WrongService extends Error {
  override readonly message = "this service is not served on this socket"
}

function never(): never {
  throw new Error("a refused service runs no handler")
}
