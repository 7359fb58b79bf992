import { activityTypes } from "../../../proto/catalog.ts"
import { closestName } from "../../../signer/core/closest-name.ts"
import { usage } from "../exit.ts"

const PREFIX = "ACTIVITY_TYPE_"

/** The wire name of a type such as `sign-raw-payload-v2`. @throws {CliError} usage, with the type that was probably meant */
export function requireActivityType(option: string, text: string): string {
  const name = text.toUpperCase().replaceAll("-", "_")
  const type = name.startsWith(PREFIX) ? name : PREFIX + name
  if (activityTypes.has(type)) return type
  const meant = closestName(type, activityTypes.keys())
  const advice =
    meant === undefined
      ? "docs/api.md lists the types"
      : `did you mean ${meant.slice(PREFIX.length).toLowerCase()}?`
  throw usage(`${option} ${text}: there is no such type of activity; ${advice}`)
}
