// Words of organizations, their quorum, features and addresses.
import type { Told } from "../told.ts"
import type { FamilyWriters } from "../writer.ts"
import { newUser } from "./users.ts"

type RootUser = { readonly userName: string; readonly userEmail?: string | undefined }
type SubOrganization = {
  readonly subOrganizationName: string
  readonly rootUsers: readonly RootUser[]
  readonly rootQuorumThreshold: number
}

export const organization = {
  createOrganizationIntent: (told) =>
    `Create organization ${told.say("organizationName")} with root user ${told.one("rootUser", newUser)}`,
  createSubOrganizationIntent: (told) => `Create sub-organization ${told.say("name")} with one passkey`,
  createSubOrganizationIntentV2: subOrganization,
  createSubOrganizationIntentV3: subOrganization,
  createSubOrganizationIntentV4: subOrganization,
  createSubOrganizationIntentV5: subOrganization,
  createSubOrganizationIntentV6: subOrganization,
  createSubOrganizationIntentV7: subOrganization,
  createSubOrganizationIntentV8: subOrganization,
  deleteSubOrganizationIntent(told) {
    told.note("deleteWithoutExport")
    const also = told.raw.deleteWithoutExport === true ? ", also keys that nobody has exported" : ""
    return `Delete this sub-organization with all it has${also}`
  },
  updateOrganizationNameIntent: (told) => `Name the organization ${told.say("organizationName")}`,
  updateRootQuorumIntent: (told) =>
    `Make the root quorum ${told.say("threshold")} of ${told.raw.userIds.length}: ${told.say("userIds")}`,
  setOrganizationFeatureIntent: (told) =>
    `Set feature ${told.say("name")}${told.ifSet("value", (value) => ` to ${value}`)}`,
  removeOrganizationFeatureIntent: (told) => `Remove feature ${told.say("name")}`,
  setIpAllowlistIntent: (told) =>
    `${told.raw.enabled === true ? "Allow" : "List, without enforcing it,"} requests ${of(told)} from ${told.raw.rules.length === 0 ? "no address" : told.list("rules", (rule) => rule.say("cidr"))} alone`,
  removeIpAllowlistIntent: (told) => `Allow requests ${of(told)} from every address`,
} satisfies FamilyWriters

function subOrganization(told: Told<SubOrganization>): string {
  const { rootUsers } = told.raw
  return `Create sub-organization ${told.say("subOrganizationName")} with root quorum ${told.say("rootQuorumThreshold")} of ${rootUsers.length}: ${told.list("rootUsers", newUser)}`
}

function of(told: Told<{ readonly publicKey?: string | undefined }>): string {
  return told.ifSet("publicKey", (key) => `of API key ${key}`) || "of the whole organization"
}
