import { type OperationEntry, readOperations } from "./declared-operations.ts"
import { AuthProxyService } from "./gen/countersign/api/v1/proxy_pb.ts"

/** Operations of the auth proxy by path. They have a file of their own, so that the auth proxy does not load the whole contract. */
export const proxyPaths: ReadonlyMap<string, OperationEntry> = readOperations(AuthProxyService)
