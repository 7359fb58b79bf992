import { counted } from "../../../signer/core/counted.ts"
import type { FileUser } from "../file.ts"
import type { LiveUser } from "../live.ts"
import { keyParameters } from "./user-pair.ts"
import { planMembership } from "./tags.ts"
import {
  change,
  chunks,
  differing,
  planned,
  type PlannedActivity,
  type Part,
  type PlanContext,
  Resolver,
  Stage,
} from "./change.ts"
import { planCredentials } from "./credentials.ts"
import { mergeParts } from "./section.ts"
import { planMfaPolicies } from "./mfa-policies.ts"

/** Users by name, with contacts, tags, credentials and MFA policies. Members of a user that the file leaves out stay. */
export function planUsers(context: PlanContext): Part {
  const { file, live } = context
  if (file.users === undefined) return { activities: [] }
  const pairs = file.users.map((user) => ({
    user,
    found: live.users.find(({ userName }) => userName === user.userName),
  }))
  const isNew = (pair: (typeof pairs)[number]) => pair.found === undefined
  const created = pairs.filter(isNew).map(({ user }) => user)
  const changed = pairs.flatMap(({ user, found }) => (found ? contacts(user, found) : []))
  return mergeParts([
    { activities: [...creations(created, context), ...changed, ...planMembership(pairs, context)] },
    planCredentials(pairs, context),
    planMfaPolicies(pairs, context),
    planDeletions(context),
  ])
}

/** Users whose tags exist are created together; the others when their tags do. */
function creations(users: readonly FileUser[], { names }: PlanContext): PlannedActivity[] {
  const prepared = users.map((user) => {
    const resolver = new Resolver(names)
    const userTags = resolver.ids("tag", user.userTags ?? [])
    const parameters = {
      userName: user.userName,
      ...(user.userEmail && { userEmail: user.userEmail }),
      ...(user.userPhoneNumber && { userPhoneNumber: user.userPhoneNumber }),
      apiKeys: (user.apiKeys ?? []).map(keyParameters),
      authenticators: [],
      oauthProviders: [],
      userTags,
    }
    return { parameters, missing: resolver.missing, words: creation(user) }
  })
  const ready = prepared.filter(({ missing }) => missing.length === 0)
  const waiting = prepared.filter(({ missing }) => missing.length > 0)
  const create = (group: typeof prepared) => {
    const words = group.map((one) => one.words)
    const parameters = { users: group.map((one) => one.parameters) }
    const needs = group.flatMap(({ missing }) => missing)
    return planned("CREATE_USERS_V4", Stage.change, words, parameters, needs)
  }
  return [...chunks(ready).map(create), ...chunks(waiting).map(create)]
}

function creation({ userName, userEmail, userPhoneNumber, userTags = [], apiKeys = [] }: FileUser) {
  const gained = [
    ...apiKeys.map(({ apiKeyName, publicKey }) => `may act with API key ${apiKeyName} (${publicKey})`),
    ...userTags.map((tag) => `has the tag ${tag}`),
    ...(userEmail ? [`has the e-mail address ${userEmail}`] : []),
    ...(userPhoneNumber ? [`has the phone number ${userPhoneNumber}`] : []),
  ]
  const warnings =
    apiKeys.length === 0 ? ["has no API key: until a credential is added, nobody can act as this user"] : []
  return change("create", "user", userName, { gained, warnings })
}

function contacts(user: FileUser, found: LiveUser): PlannedActivity[] {
  const members = differing({
    ...(user.userEmail !== undefined && { userEmail: [found.userEmail, user.userEmail] as const }),
    ...(user.userPhoneNumber !== undefined && {
      userPhoneNumber: [found.userPhoneNumber, user.userPhoneNumber] as const,
    }),
  })
  if (members.length === 0) return []
  const parameters = {
    userId: found.userId,
    ...Object.fromEntries(members.map(({ member, after }) => [member, after])),
  }
  const warnings = ["the new contact is unverified until its user proves it"]
  const words = change("update", "user", user.userName, { members, warnings })
  return [planned("UPDATE_USER", Stage.change, words, parameters)]
}

/** Members of the root quorum that the file takes out of it are deleted after it has changed. */
function planDeletions({ file, live, prune }: PlanContext): Part {
  const wanted = new Set(file.users?.map(({ userName }) => userName))
  const extra = live.users.filter(({ userName }) => !wanted.has(userName))
  if (!prune) return { activities: [], kept: extra.map(({ userName }) => `user ${userName}`) }
  const isMember = ({ userId }: LiveUser) => live.rootQuorum.userIds.includes(userId)
  const remove = (stage: Stage) => (users: LiveUser[]) => {
    const words = users.map((user) => deletion(user, live.callerId))
    return planned("DELETE_USERS", stage, words, { userIds: users.map(({ userId }) => userId) })
  }
  return {
    activities: [
      ...chunks(extra.filter((user) => !isMember(user))).map(remove(Stage.remove)),
      ...chunks(extra.filter(isMember)).map(remove(Stage.formerMembers)),
    ],
  }
}

function deletion({ userId, userName, apiKeys, authenticators }: LiveUser, callerId: string) {
  const lost = [
    `every credential: ${counted(apiKeys.length, "API key")} and ${counted(authenticators.length, "passkey")}`,
  ]
  const warnings = userId === callerId ? ["this is the user whose key applies the file"] : []
  return change("delete", "user", userName, { lost, warnings })
}
