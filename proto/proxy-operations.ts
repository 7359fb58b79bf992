import { type OperationEntry, readOperations } from "./declared-operations.ts"
import { AuthProxyService } from "./gen/countersign/api/v1/proxy_pb.ts"

/** Operations of the auth proxy by path. Apart from all others, whose contract the auth proxy starts without. */
export const proxyPaths: ReadonlyMap<string, OperationEntry> = readOperations(AuthProxyService)
