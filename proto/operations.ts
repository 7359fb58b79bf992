import { type DescMessage, type DescService, getOption, hasOption } from "@bufbuild/protobuf"
import { type ActivityEntry, activityTypes, maxBodyBytes, requirePath } from "./catalog.ts"
import { ActivityTypeSchema } from "./gen/countersign/api/v1/activities_pb.ts"
import {
  obsolete as obsoleteOption,
  operation as operationOption,
} from "./gen/countersign/api/v1/options_pb.ts"
import { QueryService } from "./gen/countersign/api/v1/queries_pb.ts"
import { AuthProxyService } from "./gen/countersign/api/v1/proxy_pb.ts"

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

/** The types that share a submit path, oldest first. */
export const submitPaths: ReadonlyMap<string, readonly ActivityEntry[]> = Map.groupBy(
  activityTypes.values(),
  ({ path }) => path,
)

/** Types of older clients that the interface no longer has, each with the advice for its sender. */
export const obsoleteTypes: ReadonlyMap<string, string> = new Map(
  getOption(ActivityTypeSchema, obsoleteOption).map(({ type, advice }) => [type, advice]),
)

/** Queries by path. */
export const queryPaths: ReadonlyMap<string, OperationEntry> = readOperations(QueryService)

/** Operations of the auth proxy by path. */
export const proxyPaths: ReadonlyMap<string, OperationEntry> = readOperations(AuthProxyService)

function readOperations(service: DescService): ReadonlyMap<string, OperationEntry> {
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
