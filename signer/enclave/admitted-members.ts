// The operator's setting that admits members which newer clients send and this release does not know.
import { activityTypes } from "../../proto/catalog.ts"
import { planOf } from "../../proto/read-plan.ts"
import { ReadFault } from "../../proto/read-value.ts"
import { ENVELOPE_MEMBERS, type KnownNames, misspellingCheck } from "../../proto/unknown-members.ts"
import { intentNames } from "../core/request/intent-names.ts"
import type { AdmittedMembers } from "../core/request/unknown-members.ts"
import { invalid, type Setting, shownAsWritten } from "../core/settings/settings.ts"

const FORM = "ACTIVITY_TYPE_NAME.path, such as ACTIVITY_TYPE_CREATE_POLICY_V3.parameters.remark"

/** Members to admit: activity types with paths of members without indexes, separated by commas. */
export const readAdmittedMembers: Setting<AdmittedMembers> = shownAsWritten((text = "") => {
  const entries = text.split(",").map((one) => one.trim())
  const admitted = new Set(entries.filter((entry) => entry !== ""))
  for (const entry of admitted) {
    const fault = faultOf(entry)
    if (fault !== undefined) throw invalid(fault)
  }
  return admitted
})

/** A member that a newer release knows is no fault: the setting then has no effect. */
function faultOf(entry: string): string | undefined {
  const [, type = "", place = ""] = /^(ACTIVITY_TYPE_\w{1,64})\.(\w{1,64}(?:\.\w{1,64})*)$/.exec(entry) ?? []
  if (type === "") return `write each member as ${FORM}`
  const parts = place.split(".")
  const name = parts.pop() ?? ""
  const known = namesOf(type, parts)
  if (known === undefined) return `${type} has no object at ${parts.join(".") || "its top"}`
  const isKnown = [...known.keys()].includes(name)
  if (isKnown) return undefined
  if (intentNames().has(name) || ENVELOPE_MEMBERS.has(name))
    return `${entry} cannot be admitted: another member of requests has this name, and it would pass for that`
  return faultOfSpelling(entry, name, known)
}

/** Names of the members of an object of a body; undefined: there is no such object. */
function namesOf(type: string, path: readonly string[]): KnownNames | undefined {
  const schema = activityTypes.get(type)?.intentSchema
  if (schema === undefined) return undefined
  const [first, ...rest] = path
  if (first === undefined) return ENVELOPE_MEMBERS
  if (first !== "parameters") return undefined
  let { fields } = planOf(schema)
  for (const part of rest) {
    const message = fields.get(part)?.message
    if (message === undefined || message.typeName.startsWith("google.protobuf.")) return undefined
    fields = planOf(message).fields
  }
  return fields
}

function faultOfSpelling(entry: string, name: string, known: KnownNames): string | undefined {
  try {
    misspellingCheck()("", name, known)
    return undefined
  } catch (fault) {
    if (!(fault instanceof ReadFault)) throw fault
    return `${entry} cannot be admitted: ${fault.sentence}`
  }
}
