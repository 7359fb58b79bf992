import { queryPaths, submitPaths } from "../../../proto/operations.ts"
import { closestName } from "../../../signer/core/closest-name.ts"

const PREFIX = "ACTIVITY_TYPE_"

/** Suggests an operation for an unknown path; undefined if none is similar. */
export function suggestPath(path: string): string | undefined {
  const [, kind, name = ""] = /^\/public\/v1\/(query|submit)\/(.+)$/.exec(path) ?? []
  if (kind === undefined) return undefined
  const type = typeOf(name)
  if (kind === "query" && type !== undefined) {
    return `${name} is an activity and BODY its parameters: did you mean --submit ${type}?`
  }
  if (kind === "submit" && queryPaths.has(name)) return `${name} is a query: did you mean to omit --submit?`
  const near = closestName(
    name,
    kind === "query" ? [...queryPaths.keys(), ...submitPaths.keys()] : submitPaths.keys(),
  )
  if (near === undefined) return undefined
  const nearType = typeOf(near)
  return `Did you mean ${near}${nearType === undefined ? "" : ` --submit ${nearType}`}?`
}

/** The option that makes a body without `type` the parameters of an activity; undefined for other paths and bodies. */
export function suggestSubmit(path: string, body: object): string | undefined {
  const [, name = ""] = /^\/public\/v1\/submit\/(.+)$/.exec(path) ?? []
  const type = "type" in body ? undefined : typeOf(name)
  return type && `To send the parameters alone: --submit ${type}`
}

/** The newest activity type of a submit path, as `--submit` takes it. */
function typeOf(path: string): string | undefined {
  return submitPaths.get(path)?.at(-1)?.type.slice(PREFIX.length).toLowerCase()
}
