import { type ActivityEntry, activityTypes } from "../../proto/catalog.ts"
import { Authority } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import { queryPaths } from "../../proto/operations.ts"
import { fileOfPath } from "./module-files.ts"

const TYPE_PREFIX = "ACTIVITY_TYPE_"

/**
 * The activities that are declared served: each is exported by the file of its path in its module, under its type in camel case.
 * A missing export does not compile. Votes are part of the pipeline (execution/vote.ts) and have no file here.
 */
export function activityIndex(): string {
  const entries = [...activityTypes.values()].filter(
    ({ served, authority }) => served && authority !== Authority.VOTE,
  )
  const files = Map.groupBy(entries, ({ path }) => path)
  return `${header("activities.proto")}
import type { AnyActivity } from "../activities/activity.ts"
${[...files].map(([path, of]) => importLine(of.map(exportOf), fileOfPath(path))).join("\n")}

/** The activities this release carries out, by type. */
export const activities: ReadonlyMap<string, AnyActivity> = new Map<string, AnyActivity>([
${entries.map((entry) => `["${entry.type}", ${exportOf(entry)}],`).join("\n")}
])
`
}

/** The queries that are declared served: each is exported by the file of its path, under its path in camel case. */
export function queryIndex(): string {
  const entries = [...queryPaths.values()].filter(({ served }) => served)
  const requests = entries.map(({ input }) => input.name).toSorted()
  return `${header("queries.proto")}
import type { ${requests.join(", ")} } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
${entries.map(({ path }) => importLine([camel(path)], `${path.replaceAll("_", "-")}.ts`)).join("\n")}
import type { Query } from "./shared/query.ts"

/** The queries this release answers, by path. */
export const queries: ReadonlyMap<string, Query<never>> = new Map<string, Query<never>>([
${entries.map(({ path, input }) => `["${path}", ${camel(path)} satisfies Query<${input.name}>],`).join("\n")}
])
`
}

function header(source: string): string {
  return `// Generated from proto/countersign/api/v1/${source} by \`npm run generate\`: not edited by hand.`
}

function importLine(names: readonly string[], file: string): string {
  return `import { ${names.join(", ")} } from "./${file}"`
}

/** `ACTIVITY_TYPE_CREATE_USERS_V4` -> `createUsersV4`. */
export function exportOf({ type }: ActivityEntry): string {
  return camel(type.slice(TYPE_PREFIX.length).toLowerCase())
}

/** `create_users_v4` -> `createUsersV4`. */
function camel(snake: string): string {
  return snake.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
