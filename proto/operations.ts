import { getOption } from "@bufbuild/protobuf"
import { type ActivityEntry, activityTypes } from "./catalog.ts"
import { type OperationEntry, readOperations } from "./declared-operations.ts"
import { ActivityTypeSchema } from "./gen/countersign/api/v1/activities_pb.ts"
import { obsolete as obsoleteOption } from "./gen/countersign/api/v1/options_pb.ts"
import { QueryService } from "./gen/countersign/api/v1/queries_pb.ts"

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
