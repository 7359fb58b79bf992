import { type DescMessage, type DescService, getOption, hasOption } from "@bufbuild/protobuf"
import { operation as operationOption } from "./gen/countersign/api/v1/options_pb.ts"

/** The declaration of one query or proxy operation. */
export type OperationEntry = {
  /** Last segment of the path. */
  readonly path: string
  /** Name of the method, lowerCamel. */
  readonly name: string
  readonly input: DescMessage
  readonly output: DescMessage
  /** True if this release serves the operation. */
  readonly served: boolean
  /** Largest body, bytes. */
  readonly maxBodyBytes: number
  /** True if the auth proxy's user may send the query. */
  readonly isForAuthProxy: boolean
}

/** Largest body of an operation that declares no other bound, KiB. */
const DEFAULT_MAX_BODY_KIB = 64

/** Bytes of a declared bound. */
export function maxBodyBytes(declaredKib: number): number {
  return (declaredKib === 0 ? DEFAULT_MAX_BODY_KIB : declaredKib) * 1024
}

/** The operations that a service declares, by path. @throws TypeError when a module is loaded: the proto contradicts itself */
export function readOperations(service: DescService): ReadonlyMap<string, OperationEntry> {
  const entries = new Map<string, OperationEntry>()
  for (const method of service.methods) {
    if (!hasOption(method, operationOption))
      throw new TypeError(`${service.name}.${method.name} declares nothing`)
    const { path, served, maxBodyKib, authProxy: isForAuthProxy } = getOption(method, operationOption)
    requirePath(path, method.name)
    if (method.methodKind !== "unary") throw new TypeError(`${method.name} is not unary`)
    if (entries.has(path)) throw new TypeError(`${service.name}: two operations have the path ${path}`)
    const { localName: name, input, output } = method
    const bounds = { maxBodyBytes: maxBodyBytes(maxBodyKib), isForAuthProxy }
    entries.set(path, { path, name, input, output, served, ...bounds })
  }
  return entries
}

export function requirePath(path: string, declarer: string): void {
  if (!/^[a-z0-9]+(?:_[a-z0-9]+)*$/.test(path)) throw new TypeError(`${declarer}: "${path}" is not a path`)
}
