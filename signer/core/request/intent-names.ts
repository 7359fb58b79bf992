// The names of members in the intents of all activities, read from the contract by reflection.
import type { DescMessage } from "@bufbuild/protobuf"
import { type ActivityEntry, activityTypes } from "../../../proto/catalog.ts"
import { planOf } from "../../../proto/read-plan.ts"

/** Names of members at any depth, in both spellings, each with a path to it in lowerCamel names, without indexes. */
type Places = ReadonlyMap<string, string>

const known = new WeakMap<DescMessage, Places>()

let allNames: ReadonlySet<string> | undefined

/** Every name of a member of an intent, at any depth, in both spellings. Computed once. */
export function intentNames(): ReadonlySet<string> {
  allNames ??= new Set(
    [...activityTypes.values()].flatMap((entry) => [...placesIn(entry.intentSchema).keys()]),
  )
  return allNames
}

/** A path at which an activity has a member of this name: `parameters.calls.to`. Undefined: it has none. */
export function placeOf({ intentSchema }: ActivityEntry, name: string): string | undefined {
  const place = placesIn(intentSchema).get(name)
  return place === undefined ? undefined : `parameters.${place}`
}

function placesIn(schema: DescMessage): Places {
  const computed = known.get(schema)
  if (computed !== undefined) return computed
  const places = new Map<string, string>()
  // Set before the members are visited: a message can hold itself.
  known.set(schema, places)
  const { fields } = planOf(schema)
  for (const [name, { jsonName }] of fields) places.set(name, jsonName)
  for (const { jsonName, message } of fields.values()) {
    if (message === undefined || !isOfContract(message)) continue
    for (const [name, place] of placesIn(message))
      if (!places.has(name)) places.set(name, `${jsonName}.${place}`)
  }
  return places
}

/** The members of Google's messages, such as Struct, are the caller's own. */
function isOfContract({ typeName }: DescMessage): boolean {
  return !typeName.startsWith("google.protobuf.")
}
