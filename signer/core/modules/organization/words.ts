// Words of organizations, their quorum, features and addresses.
import type { MemberPhrases } from "../../words/member-phrases.ts"
import type { FamilyWriters } from "../../words/writer.ts"
import { newUser } from "../../words/new-user.ts"

type RootUser = { readonly userName: string; readonly userEmail?: string | undefined }
type SubOrganization = {
  readonly subOrganizationName: string
  readonly rootUsers: readonly RootUser[]
  readonly rootQuorumThreshold: number
}

export const writers = {
  createOrganizationIntent: (members) =>
    `Create organization ${members.say("organizationName")} with root user ${members.one("rootUser", newUser)}`,
  createSubOrganizationIntent: (members) => `Create sub-organization ${members.say("name")} with one passkey`,
  createSubOrganizationIntentV2: subOrganization,
  createSubOrganizationIntentV3: subOrganization,
  createSubOrganizationIntentV4: subOrganization,
  createSubOrganizationIntentV5: subOrganization,
  createSubOrganizationIntentV6: subOrganization,
  createSubOrganizationIntentV7: subOrganization,
  createSubOrganizationIntentV8: subOrganization,
  deleteSubOrganizationIntent(members) {
    members.mention("deleteWithoutExport")
    const also = members.raw.deleteWithoutExport === true ? ", also keys that nobody has exported" : ""
    return `Delete this sub-organization with all it has${also}`
  },
  updateOrganizationNameIntent: (members) => `Name the organization ${members.say("organizationName")}`,
  updateRootQuorumIntent: (members) =>
    `Make the root quorum ${members.say("threshold")} of ${members.raw.userIds.length}: ${members.say("userIds")}`,
  setOrganizationFeatureIntent: (members) =>
    `Set feature ${members.say("name")}${members.ifSet("value", (value) => ` to ${value}`)}`,
  removeOrganizationFeatureIntent: (members) => `Remove feature ${members.say("name")}`,
  setIpAllowlistIntent: (members) =>
    `${members.raw.enabled === true ? "Allow" : "List, without enforcing it,"} requests ${of(members)} from ${members.raw.rules.length === 0 ? "no address" : members.list("rules", (rule) => rule.say("cidr"))} alone`,
  removeIpAllowlistIntent: (members) => `Allow requests ${of(members)} from every address`,
} satisfies FamilyWriters

function subOrganization(members: MemberPhrases<SubOrganization>): string {
  const { rootUsers } = members.raw
  return `Create sub-organization ${members.say("subOrganizationName")} with root quorum ${members.say("rootQuorumThreshold")} of ${rootUsers.length}: ${members.list("rootUsers", newUser)}`
}

function of(members: MemberPhrases<{ readonly publicKey?: string | undefined }>): string {
  return members.ifSet("publicKey", (key) => `of API key ${key}`) || "of the whole organization"
}
