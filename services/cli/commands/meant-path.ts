import { queryPaths, submitPaths } from "../../../proto/catalog.ts"
import { closestName } from "../../common/closest-name.ts"

const PREFIX = "ACTIVITY_TYPE_"

/** What somebody meant who asked for a path that the API does not have; undefined when nothing is near. */
export function meantPath(path: string): string | undefined {
  const [, kind, name = ""] = /^\/public\/v1\/(query|submit)\/(.+)$/.exec(path) ?? []
  if (kind === undefined) return undefined
  const type = typeOf(name)
  if (kind === "query" && type !== undefined) {
    return `${name} is an activity, BODY its parameters: did you mean --submit ${type}?`
  }
  if (kind === "submit" && queryPaths.has(name))
    return `${name} is a query: did you mean it without --submit?`
  const near = closestName(
    name,
    kind === "query" ? [...queryPaths.keys(), ...submitPaths.keys()] : submitPaths.keys(),
  )
  if (near === undefined) return undefined
  const nearType = typeOf(near)
  return `Did you mean ${near}${nearType === undefined ? "" : ` --submit ${nearType}`}?`
}

/** The newest activity type of a submit path, as `--submit` takes it. */
function typeOf(path: string): string | undefined {
  return submitPaths.get(path)?.at(-1)?.type.slice(PREFIX.length).toLowerCase()
}
