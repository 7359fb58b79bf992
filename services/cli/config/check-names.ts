import { closestName } from "../../../signer/core/closest-name.ts"
import { onRampName } from "../names/kinds.ts"
import type { FileFault } from "../files/value-file.ts"
import type { OrganizationFile } from "./file.ts"
import { clientName } from "./file-access.ts"
import type { LiveOrganization } from "./live.ts"
import { expand, type Kind, namesOfLive, namesOfUser, readReference } from "./references.ts"

/** Objects of one list with the same name. */
export function duplicates(file: OrganizationFile): FileFault[] {
  const keys = (file.users ?? []).flatMap(({ apiKeys = [] }, user) =>
    apiKeys.map(({ publicKey }, index) => ({
      path: ["users", user, "apiKeys", index, "publicKey"],
      name: publicKey,
    })),
  )
  return [
    ...repeated((file.userTags ?? []).map((name, index) => ({ path: ["userTags", index], name }))),
    ...repeated(keys),
    ...repeatedIn(file.users, "users", "userName"),
    ...(file.users ?? []).flatMap(({ mfaPolicies }, user) =>
      repeatedIn(mfaPolicies, ["users", user, "mfaPolicies"], "mfaPolicyName"),
    ),
    ...repeatedIn(file.privateKeyTags, "privateKeyTags", "privateKeyTagName"),
    ...repeatedIn(file.emailTemplates, "emailTemplates", "templateName"),
    ...repeated(
      (file.oauth2Credentials ?? []).map((one, index) => ({
        path: ["oauth2Credentials", index, "clientId"],
        name: clientName(one),
      })),
    ),
    ...repeated(
      (file.fiatOnRampCredentials ?? []).map((one, index) => ({
        path: ["fiatOnRampCredentials", index, "onrampProvider"],
        name: onRampName(one),
      })),
    ),
    ...repeated(
      (file.ipAllowlists ?? []).map(({ publicKey = "the list of the organization" }, index) => ({
        path: ["ipAllowlists", index],
        name: publicKey,
      })),
    ),
    ...repeatedIn(file.sessionProfiles, "sessionProfiles", "sessionProfileName"),
    ...repeatedIn(file.velocityControls, "velocityControls", "identifier"),
    ...repeatedIn(file.smartContractInterfaces, "smartContractInterfaces", "smartContractAddress"),
    ...repeatedIn(file.policies, "policies", "policyName"),
    ...repeatedIn(file.webhookEndpoints, "webhookEndpoints", "name"),
    ...repeated(
      (file.rootQuorum?.users ?? []).map((name, index) => ({ path: ["rootQuorum", "users", index], name })),
    ),
  ]
}

type NamedPlace = { path: PropertyKey[]; name: string }

function repeatedIn<Item extends object>(
  list: readonly Item[] | undefined,
  section: string | PropertyKey[],
  member: keyof Item & string,
): FileFault[] {
  const path = typeof section === "string" ? [section] : section
  return repeated(
    (list ?? []).map((item, index) => ({ path: [...path, index, member], name: String(item[member]) })),
  )
}

function repeated(places: readonly NamedPlace[]): FileFault[] {
  const seen = new Set<string>()
  return places.flatMap(({ path, name }) => {
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    return [{ path, sentence: `is ${JSON.stringify(name)} a second time; each has to be unique` }]
  })
}

/** Names that stand for nothing that exists or that the file creates. */
export function unknownNames(file: OrganizationFile, live: LiveOrganization, prune: boolean): FileFault[] {
  const known = knownAfter(file, live, prune)
  const faults: FileFault[] = []
  const check = (path: PropertyKey[], kind: Kind, name: string, own = known) => {
    const names = own(kind)
    if (names.includes(name)) return
    const meant = closestName(name, names)
    const hint = meant === undefined ? listHint(kind, names) : `did you mean ${JSON.stringify(meant)}?`
    faults.push({
      path,
      sentence: `names the ${WORDS[kind]} ${JSON.stringify(name)}, which does not exist; ${hint}`,
    })
  }
  const checkText = (path: PropertyKey[], text: string, own = known) => {
    expand(text, (kind, name) => {
      check(path, kind, name, own)
      return undefined
    })
  }
  file.users?.forEach(({ userName, userTags = [], apiKeys = [], mfaPolicies = [] }, user) => {
    userTags.forEach((tag, index) => check(["users", user, "userTags", index], "tag", tag))
    const created = apiKeys.map(({ apiKeyName }) => apiKeyName)
    const own = ownNames(live, userName, (kind) => (kind === "api-key" ? created : known(kind)))
    mfaPolicies.forEach(({ condition, requiredAuthenticationMethods }, policy) => {
      const path = ["users", user, "mfaPolicies", policy]
      checkText([...path, "condition"], condition, own)
      requiredAuthenticationMethods.forEach(({ any }, step) =>
        any.forEach(({ id }, index) => {
          const reference = id === undefined ? undefined : readReference(id)
          const at = [...path, "requiredAuthenticationMethods", step, "any", index, "id"]
          if (reference !== undefined) check(at, reference.kind, reference.name, own)
        }),
      )
    })
  })
  file.sessionProfiles?.forEach(({ scope }, index) => checkText(["sessionProfiles", index, "scope"], scope))
  file.policies?.forEach((policy, index) => {
    for (const field of ["consensus", "condition", "time"] as const)
      checkText(["policies", index, field], policy[field])
  })
  file.privateKeyTags?.forEach(({ privateKeys = [] }, tag) =>
    privateKeys.forEach((name, index) =>
      check(["privateKeyTags", tag, "privateKeys", index], "private-key", name),
    ),
  )
  templatesOf(file).forEach(({ path, text }) => {
    const reference = readReference(text)
    if (reference !== undefined) check(path, reference.kind, reference.name)
  })
  file.rootQuorum?.users.forEach((name, index) => check(["rootQuorum", "users", index], "user", name))
  return [...faults, ...unknownKeys(file, live), ...quorumFaults(file)]
}

const WORDS: { readonly [kind in Kind]: string } = {
  user: "user",
  tag: "user tag",
  "private-key-tag": "private key tag",
  "session-profile": "session profile",
  wallet: "wallet",
  "private-key": "private key",
  "email-template": "e-mail template",
  "api-key": "API key of the user",
  passkey: "passkey of the user",
  oauth: "OpenID Connect identity of the user",
}

/** Kinds that the file creates, with its section. */
function sectionOf(kind: Kind, file: OrganizationFile): readonly string[] | undefined {
  if (kind === "user") return file.users?.map(({ userName }) => userName)
  if (kind === "tag") return file.userTags
  if (kind === "private-key-tag")
    return file.privateKeyTags?.map(({ privateKeyTagName }) => privateKeyTagName)
  if (kind === "email-template") return file.emailTemplates?.map(({ templateName }) => templateName)
  if (kind === "session-profile")
    return file.sessionProfiles?.map(({ sessionProfileName }) => sessionProfileName)
  return undefined
}

type NamesOfKind = (kind: Kind) => readonly string[]

function knownAfter(file: OrganizationFile, live: LiveOrganization, prune: boolean): NamesOfKind {
  const there = namesOfLive(live)
  return (kind) => {
    const section = sectionOf(kind, file)
    const isDeleted = section !== undefined && prune
    return [...(section ?? []), ...(isDeleted ? [] : there.ofKind(kind))]
  }
}

/** With the credentials of one user. */
function ownNames(live: LiveOrganization, userName: string, known: NamesOfKind): NamesOfKind {
  const names = namesOfUser(
    live,
    live.users.find((user) => user.userName === userName),
  )
  return (kind) => [...known(kind), ...names.ofKind(kind)]
}

function listHint(kind: Kind, names: readonly string[]): string {
  const isOfFile = OF_FILE.has(kind)
  if (names.length === 0) return isOfFile ? "add it to the file" : "there is none: create it first"
  const shown = names.slice(0, MAX_SHOWN).join(", ")
  return `there ${names.length === 1 ? "is" : "are"} ${shown}${names.length > MAX_SHOWN ? " and others" : ""}`
}

const MAX_SHOWN = 8
/** Kinds that a file can create. */
const OF_FILE: ReadonlySet<Kind> = new Set([
  "user",
  "tag",
  "session-profile",
  "private-key-tag",
  "email-template",
])

/** IP allowlists of keys that no user has and none gets. */
function unknownKeys(
  { ipAllowlists = [], users = [] }: OrganizationFile,
  live: LiveOrganization,
): FileFault[] {
  const known = new Set([
    ...live.users.flatMap(({ apiKeys }) => apiKeys.map(({ credential }) => credential.publicKey)),
    ...users.flatMap(({ apiKeys = [] }) => apiKeys.map(({ publicKey }) => publicKey)),
  ])
  return ipAllowlists.flatMap(({ publicKey }, index) =>
    publicKey === undefined || known.has(publicKey)
      ? []
      : [
          {
            path: ["ipAllowlists", index, "publicKey"],
            sentence: "is the API key of no user; add it to a user of the file",
          },
        ],
  )
}

function templatesOf({ authProxy }: OrganizationFile): { path: PropertyKey[]; text: string }[] {
  const inside = (path: PropertyKey[], value: unknown): { path: PropertyKey[]; text: string }[] => {
    if (typeof value === "string") return [{ path, text: value }]
    if (typeof value !== "object" || value === null || Array.isArray(value)) return []
    return Object.entries(value).flatMap(([name, item]) => inside([...path, name], item))
  }
  return inside(["authProxy", "settings"], authProxy?.settings)
}

function quorumFaults({ rootQuorum }: OrganizationFile): FileFault[] {
  if (rootQuorum === undefined || rootQuorum.threshold <= rootQuorum.users.length) return []
  const { threshold, users } = rootQuorum
  return [
    {
      path: ["rootQuorum", "threshold"],
      sentence: `is ${threshold}, but the quorum has ${users.length} users`,
    },
  ]
}
