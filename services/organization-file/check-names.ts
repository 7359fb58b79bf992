import { closestName } from "../../signer/core/closest-name.ts"
import { counted } from "../../signer/core/counted.ts"
import { onRampName } from "../terminal-client/names/kinds.ts"
import type { FileFault } from "../terminal-client/files/value-file.ts"
import { type OrganizationFile, VERSION } from "./file.ts"
import { clientName } from "./file-access.ts"
import type { LiveOrganization } from "./live.ts"
import {
  expand,
  type ReferenceKind,
  namesInFile,
  namesOfLive,
  namesOfUser,
  readReference,
} from "./references.ts"

/** Lists of the file, with the member that distinguishes their objects, or the text that does. */
const LISTS: { readonly [section in keyof OrganizationFile]?: Distinct } = {
  userTags: [undefined, String],
  users: ["userName"],
  privateKeyTags: ["privateKeyTagName"],
  emailTemplates: ["templateName"],
  oauth2Credentials: ["clientId", (one) => clientName(one as { provider: string; clientId: string })],
  fiatOnRampCredentials: ["onrampProvider", onRampName],
  ipAllowlists: [undefined, ({ publicKey = "the list of the organization" }) => String(publicKey)],
  sessionProfiles: ["sessionProfileName"],
  velocityControls: ["identifier"],
  smartContractInterfaces: ["smartContractAddress"],
  policies: ["policyName"],
  webhookEndpoints: ["name"],
}

type Item = { readonly [member: string]: unknown }
type Distinct = readonly [member: string | undefined, nameOf?: ((item: Item) => string) | undefined]

/** Objects of one list with the same name. */
export function duplicates(file: OrganizationFile): FileFault[] {
  const { users = [], rootQuorum } = file
  const keys = users.flatMap(({ apiKeys = [] }, user) =>
    placesIn(apiKeys, ["users", user, "apiKeys"], ["publicKey"]),
  )
  const mfaPolicies = users.flatMap(({ mfaPolicies: own = [] }, user) =>
    repeated(placesIn(own, ["users", user, "mfaPolicies"], ["mfaPolicyName"])),
  )
  const faults = Object.entries(LISTS).flatMap(([section, distinct]) => {
    const items = (file[section as keyof OrganizationFile] ?? []) as Item[]
    const own = repeated(placesIn(items, [section], distinct))
    return section === "users" ? [...repeated(keys), ...own, ...mfaPolicies] : own
  })
  const quorum = placesIn(rootQuorum?.users ?? [], ["rootQuorum", "users"], [undefined, String])
  return [...faults, ...repeated(quorum)]
}

type NamedPlace = { path: PropertyKey[]; name: string }

function placesIn(items: readonly unknown[], at: PropertyKey[], [member, nameOf]: Distinct): NamedPlace[] {
  return (items as Item[]).map((item, index) => ({
    path: [...at, index, ...(member === undefined ? [] : [member])],
    name: nameOf === undefined ? String(item[member ?? ""]) : nameOf(item),
  }))
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

/** Names of resources that do not exist and that the file does not create. */
export function unknownNames(file: OrganizationFile, live: LiveOrganization, prune: boolean): FileFault[] {
  const known = knownAfter(file, live, prune)
  const faults: FileFault[] = []
  const check = (path: PropertyKey[], kind: ReferenceKind, name: string, own = known) => {
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

const WORDS: { readonly [kind in ReferenceKind]: string } = {
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

type NamesOfKind = (kind: ReferenceKind) => readonly string[]

function knownAfter(file: OrganizationFile, live: LiveOrganization, prune: boolean): NamesOfKind {
  const there = namesOfLive(live)
  const sections = namesInFile(file)
  return (kind) => {
    const section = sections[kind]
    const isDeleted = section !== undefined && prune
    return [...(section ?? []), ...(isDeleted ? [] : there.ofKind(kind))]
  }
}

/** The known names with the credentials of one user. */
function ownNames(live: LiveOrganization, userName: string, known: NamesOfKind): NamesOfKind {
  const names = namesOfUser(
    live,
    live.users.find((user) => user.userName === userName),
  )
  return (kind) => [...known(kind), ...names.ofKind(kind)]
}

function listHint(kind: ReferenceKind, names: readonly string[]): string {
  const isOfFile = kind in namesInFile({ version: VERSION })
  if (names.length === 0) return isOfFile ? "add it to the file" : "there is none: create it first"
  const shown = names.slice(0, MAX_SHOWN).join(", ")
  return `there ${names.length === 1 ? "is" : "are"} ${shown}${names.length > MAX_SHOWN ? " and others" : ""}`
}

const MAX_SHOWN = 8
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
      sentence: `is ${threshold}, but the quorum has ${counted(users.length, "user")}`,
    },
  ]
}
